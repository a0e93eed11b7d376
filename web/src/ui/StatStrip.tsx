import type { ReactNode } from 'react'
import { unknownFigure } from '../format/money.ts'
import { Skeleton } from './States.tsx'

export interface Stat {
  readonly label: string
  /** The formatted figure; undefined while it is loading. */
  readonly figure: ReactNode
  readonly unit?: string
  /** A few words of explanation. A stat that may have them says so with undefined: their place is kept. */
  readonly note?: ReactNode
  /** A small graph at the right. */
  readonly graph?: ReactNode
}

interface StatStripProps {
  readonly label: string
  readonly stats: readonly Stat[]
  /** A note below the cells, such as that their figures are old. */
  readonly under?: ReactNode
}

/** One card with cells; two columns on a phone. */
export function StatStrip({ label, stats, under }: StatStripProps) {
  return (
    <div className="min-w-0">
      <section
        aria-label={label}
        data-figures
        className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line shadow-card lg:grid-cols-[repeat(auto-fit,minmax(0,1fr))] lg:grid-flow-col lg:auto-cols-fr"
      >
        {stats.map((stat) => (
          <div
            key={stat.label}
            className="flex min-w-0 justify-between gap-3 bg-surface px-4 py-3 max-lg:last:odd:col-span-2"
          >
            <dl className="min-w-0 space-y-0.5">
              <dt className="text-ink-3">{stat.label}</dt>
              <dd className="flex flex-wrap items-baseline gap-x-1.5 text-2xl font-semibold tracking-[-0.03em] [font-variant-numeric:proportional-nums] max-sm:text-xl [&_a]:text-ink [&_a]:decoration-line-strong [&_a]:decoration-1 [&_a]:underline-offset-4 [&_a:hover]:decoration-current">
                {stat.figure === undefined ? (
                  <Skeleton className="my-1.5 h-5 w-20 max-sm:my-1" />
                ) : (
                  stat.figure
                )}
                {stat.unit !== undefined && stat.figure !== unknownFigure && (
                  <span className="text-md font-normal tracking-normal text-ink-3">{stat.unit}</span>
                )}
              </dd>
              {/* A link of the note is as high as WCAG 2.5.8 wants a target, because the figure above may be one too. */}
              {'note' in stat && (
                // On a phone the words may take two lines; all strips keep the second, so that nothing below them moves.
                <dd className="flow-root min-h-5 text-ink-3 max-sm:min-h-10 max-sm:text-balance [&_a]:inline-block [&_a]:leading-6">
                  {stat.note ?? (stat.figure === undefined && <Skeleton className="my-1 w-24" />)}
                </dd>
              )}
            </dl>
            {stat.graph !== undefined && (
              <div className="shrink-0 self-end pb-0.5 max-xl:hidden">{stat.graph}</div>
            )}
          </div>
        ))}
      </section>
      {under}
    </div>
  )
}
