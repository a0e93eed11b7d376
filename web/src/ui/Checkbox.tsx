import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'children'> {
  readonly label: ReactNode
  readonly isLabelHidden?: boolean
  /** Some of its items are checked, but not all. */
  readonly isMixed?: boolean
}

const boxClass =
  'peer size-4 shrink-0 appearance-none rounded-sm border border-line-control bg-surface bg-center bg-no-repeat ' +
  'checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:opacity-50'

/** A checkbox with its label. The whole line is clickable. */
export function Checkbox({
  label,
  isLabelHidden = false,
  isMixed = false,
  className,
  ref,
  ...rest
}: CheckboxProps) {
  const setBox = (box: HTMLInputElement | null) => {
    // HTML has no attribute for the mixed state.
    if (box) box.indeterminate = isMixed
    if (typeof ref === 'function') ref(box)
    else if (ref) ref.current = box
  }
  return (
    <label
      className={classNames(
        'relative inline-flex min-h-6 items-center gap-2 pointer-coarse:min-h-11',
        className,
      )}
    >
      <input {...rest} ref={setBox} type="checkbox" className={boxClass} />
      <svg
        viewBox="0 0 16 16"
        aria-hidden="true"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="pointer-events-none absolute start-0 size-4 opacity-0 peer-checked:opacity-100 peer-indeterminate:opacity-100"
      >
        <path d={isMixed ? 'M4.5 8h7' : 'm4.2 8.3 2.6 2.5 5-5.4'} />
      </svg>
      <span className={isLabelHidden ? 'sr-only' : undefined}>{label}</span>
    </label>
  )
}

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'children'> {
  readonly label: string
  readonly isLabelHidden?: boolean
}

/** A switch that takes effect at once. */
export function Switch({ label, isLabelHidden = false, className, ...rest }: SwitchProps) {
  return (
    <label
      className={classNames('inline-flex min-h-6 items-center gap-2 pointer-coarse:min-h-11', className)}
    >
      <input
        {...rest}
        type="checkbox"
        role="switch"
        className="relative h-4.5 w-7.5 shrink-0 appearance-none rounded-full bg-line-control transition-colors duration-(--fast) before:absolute before:top-0.5 before:start-0.5 before:size-3.5 before:rounded-full before:bg-surface before:transition-transform before:duration-(--fast) checked:bg-accent checked:before:translate-x-3 rtl:checked:before:-translate-x-3 disabled:opacity-50 forced-colors:border"
      />
      <span className={isLabelHidden ? 'sr-only' : undefined}>{label}</span>
    </label>
  )
}
