import { classNames } from './class-names.ts'

interface ProgressProps {
  /** What is in progress, for screen readers. */
  readonly label: string
  /** The done share, 0 to 1. Without it the bar only moves. */
  readonly share?: number
}

/** A progress bar. Not the browser's, whose colours would not fit. */
export function Progress({ label, share }: ProgressProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      {...(share !== undefined && { 'aria-valuenow': Math.round(share * 100) })}
      className="h-1.5 overflow-hidden rounded-full bg-surface-3 forced-colors:border"
    >
      <div
        className={classNames(
          'h-full rounded-full bg-accent forced-colors:bg-[Highlight]',
          share === undefined && 'under-way w-1/3',
        )}
        {...(share !== undefined && { style: { width: `${share * 100}%` } })}
      />
    </div>
  )
}
