import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type ButtonTone = 'primary' | 'secondary' | 'ghost' | 'danger'
export type ButtonSize = 'sm' | 'md' | 'lg'

const tones: Record<ButtonTone, string> = {
  primary: 'bg-accent text-on-accent shadow-card hover:bg-accent-hover',
  secondary: 'border border-line-strong bg-surface text-ink shadow-card hover:bg-surface-3',
  ghost: 'text-ink-2 hover:bg-surface-3 hover:text-ink',
  danger: 'bg-danger text-on-danger shadow-card hover:bg-danger-hover',
}

const disabledTones: Record<ButtonTone, string> = {
  primary: 'bg-surface-3 text-ink-3',
  secondary: 'border border-line bg-surface-2 text-ink-3',
  ghost: 'text-ink-3',
  danger: 'bg-surface-3 text-ink-3',
}

const sizes: Record<ButtonSize, string> = {
  sm: 'h-7 gap-1.25 px-2 text-xs pointer-coarse:h-11 pointer-coarse:px-3 max-sm:h-11 max-sm:px-3',
  md: 'h-(--control) gap-1.75 px-3 text-sm',
  lg: 'h-10 gap-2 px-4 text-md pointer-coarse:h-11',
}

const shape =
  'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap transition-colors duration-(--fast) select-none'

/** The classes of a button, for links that look like one. */
export function buttonClass(tone: ButtonTone = 'secondary', size: ButtonSize = 'md'): string {
  return classNames(shape, tones[tone], sizes[size])
}

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly tone?: ButtonTone
  readonly size?: ButtonSize
  readonly icon?: LucideIcon
  /** Disabled buttons stay focusable, so that people find the reason near them. */
  readonly isDisabled?: boolean | undefined
  readonly isBusy?: boolean | undefined
  /** The label while busy: 'Saving...'. The button is as wide as the longer label. */
  readonly busyLabel?: string
}

export function Button({
  tone = 'secondary',
  size = 'md',
  icon: Icon,
  isDisabled = false,
  isBusy = false,
  busyLabel,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isInert = isDisabled || isBusy
  const guard = (event: MouseEvent<HTMLButtonElement>) => {
    // The second click of a double click would repeat what a quick gateway has done already, or take it back where the
    // button has changed its meaning meanwhile. Enter in a form is stopped too: the browser clicks the submit button for it.
    if (isInert || event.detail > 1) event.preventDefault()
    else onClick?.(event)
  }
  const words = (
    <>
      {Icon && <Icon size={16} strokeWidth={1.6} aria-hidden="true" />}
      {children}
    </>
  )
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isInert || undefined}
      aria-busy={isBusy || undefined}
      onClick={guard}
      className={classNames(
        shape,
        isDisabled ? disabledTones[tone] : tones[tone],
        sizes[size],
        isBusy && 'opacity-85',
        className,
      )}
    >
      {busyLabel === undefined ? words : <BusyWords isBusy={isBusy} label={busyLabel} words={words} />}
    </button>
  )
}

/** Both labels in the same place, one of them invisible, so that the width does not change. */
function BusyWords({ isBusy, label, words }: { isBusy: boolean; label: string; words: ReactNode }) {
  return (
    <span className="grid *:flex *:items-center *:justify-center *:gap-1.75 *:[grid-area:1/1]">
      <span aria-hidden={isBusy} className={isBusy ? 'invisible' : undefined}>
        {words}
      </span>
      <span aria-hidden={!isBusy} className={isBusy ? undefined : 'invisible'}>
        <LoaderCircle size={15} strokeWidth={2} className="animate-spin" aria-hidden="true" />
        {label}
      </span>
    </span>
  )
}
