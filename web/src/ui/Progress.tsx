import { classNames } from './class-names.ts'

interface ProgressProps {
  /** What is under way, for screen readers. */
  readonly label: string
  /** How much is done, 0 to 1; left out where nobody knows, and the bar only moves. */
  readonly share?: number
}

/** The bar of long work. Drawn by us: browsers paint their own in colours that are none of ours. */
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
