// A state: lamp and word on soft ground. In a table cell it is the only coloured thing.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Lamp, type LampShape, type Tone } from './Lamp.tsx'
import { statusLook, type StatusKind } from './status.ts'

const grounds: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok-ink [--lamp-ground:var(--ok-soft)]',
  info: 'bg-info-soft text-info-ink [--lamp-ground:var(--info-soft)]',
  warn: 'bg-warn-soft text-warn-ink [--lamp-ground:var(--warn-soft)]',
  bad: 'bg-bad-soft text-bad-ink [--lamp-ground:var(--bad-soft)]',
  idle: 'bg-idle-soft text-idle-ink [--lamp-ground:var(--idle-soft)]',
}

interface BadgeProps {
  readonly tone: Tone
  readonly lamp: LampShape
  readonly children: ReactNode
  /** lg is the page header's. */
  readonly size?: 'md' | 'lg'
}

/** A badge of any state; states of the product's things take {@link StatusBadge}. */
export function Badge({ tone, lamp, children, size = 'md' }: BadgeProps) {
  return (
    <span
      className={classNames(
        'badge inline-flex max-w-full items-center rounded-sm font-medium whitespace-nowrap',
        size === 'lg' ? 'h-6.5 gap-1.5 px-2.5 text-sm' : 'h-5 gap-1.25 px-1.5 text-xs',
        grounds[tone],
      )}
    >
      <Lamp shape={lamp} tone={tone} />
      <span className="truncate">{children}</span>
    </span>
  )
}

interface StatusBadgeProps {
  readonly kind: StatusKind
  readonly status: string
  readonly size?: 'md' | 'lg'
}

/** The badge of a known kind of thing, by its state's word. */
export function StatusBadge({ kind, status, size = 'md' }: StatusBadgeProps) {
  const { tone, lamp, label } = statusLook(kind, status)
  return (
    <Badge tone={tone} lamp={lamp} size={size}>
      {label}
    </Badge>
  )
}

/** Lamp and word without a ground, as in running lines ("verified"). */
export function StatusWord({ kind, status }: Pick<StatusBadgeProps, 'kind' | 'status'>) {
  const { tone, lamp, label } = statusLook(kind, status)
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <Lamp shape={lamp} tone={tone} />
      {label}
    </span>
  )
}
