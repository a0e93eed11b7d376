import { CircleAlert, CircleCheck, Info, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type NoticeTone = 'accent' | 'ok' | 'warn' | 'bad'

const looks: Record<NoticeTone, { icon: LucideIcon; className: string; title: string }> = {
  accent: { icon: Info, className: 'border-accent-line bg-accent-soft', title: 'text-accent-ink' },
  ok: { icon: CircleCheck, className: 'border-ok-line bg-ok-soft', title: 'text-ok-ink' },
  warn: { icon: TriangleAlert, className: 'border-warn-line bg-warn-soft', title: 'text-warn-ink' },
  bad: { icon: CircleAlert, className: 'border-bad-line bg-bad-soft', title: 'text-bad-ink' },
}

interface NoticeProps {
  readonly tone?: NoticeTone
  readonly title: string
  readonly children?: ReactNode
  /** Announced to screen readers when it appears, for errors after an action. */
  readonly isAlert?: boolean
}

/** A notice in the place where it matters. */
export function Notice({ tone = 'accent', title, children, isAlert = false }: NoticeProps) {
  const { icon: Icon, className, title: titleClass } = looks[tone]
  return (
    <div
      role={isAlert ? 'alert' : 'note'}
      className={classNames('flex gap-2.5 rounded-lg border px-3 py-2.5', className)}
    >
      <Icon
        size={16}
        strokeWidth={1.6}
        aria-hidden="true"
        className={classNames('mt-0.5 shrink-0', titleClass)}
      />
      <div className="min-w-0 grow space-y-0.5">
        <p className={classNames('font-semibold', titleClass)}>{title}</p>
        {children !== undefined && <div className="text-ink-2">{children}</div>}
      </div>
    </div>
  )
}
