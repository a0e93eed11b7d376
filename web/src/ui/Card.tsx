import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface CardProps {
  readonly title?: ReactNode
  /** Quiet text or actions at the right of the title. */
  readonly aside?: ReactNode
  readonly foot?: ReactNode
  readonly children: ReactNode
  /** Without padding, for lists and tables. */
  readonly isFlush?: boolean
  readonly className?: string
}

/** A card with a 1 px border. */
export function Card({ title, aside, foot, children, isFlush = false, className }: CardProps) {
  const hasHead = title !== undefined || aside !== undefined
  return (
    <section
      className={classNames('flex flex-col rounded-lg border border-line bg-surface shadow-card', className)}
    >
      {hasHead && (
        <header
          className={classNames(
            'flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4',
            isFlush ? 'border-b border-line py-2' : 'pt-3',
          )}
        >
          <h2 className="text-md">{title}</h2>
          {aside !== undefined && <div className="text-ink-3">{aside}</div>}
        </header>
      )}
      <div
        className={classNames(
          'min-w-0 grow',
          !isFlush && 'px-4 pb-4',
          !isFlush && (hasHead ? 'pt-1.5' : 'pt-4'),
        )}
      >
        {children}
      </div>
      {foot !== undefined && (
        <footer className="rounded-b-lg border-t border-line bg-surface-2 px-4 py-3">{foot}</footer>
      )}
    </section>
  )
}

export interface Pair {
  readonly label: string
  readonly value: ReactNode
}

/** Label left, value right, one pair on each line. */
export function Pairs({ items }: { items: readonly Pair[] }) {
  return (
    <dl className="space-y-2">
      {items.map(({ label, value }) => (
        <div key={label} className="flex min-h-5 items-baseline justify-between gap-4">
          <dt className="shrink-0 text-ink-3">{label}</dt>
          <dd className="min-w-0 text-end">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
