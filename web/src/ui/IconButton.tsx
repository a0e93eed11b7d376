import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, MouseEvent } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './Tooltip.tsx'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  readonly icon: LucideIcon
  /** Its name, for screen readers and the tooltip: 'Edit client6'. */
  readonly label: string
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  /** Quick clicks go on, one step each: Next, Previous. Otherwise the second click of a double click counts for nothing. */
  readonly isStep?: boolean
}

/** An icon button with a tooltip, which opens after 700 ms. */
export function IconButton({
  icon: Icon,
  label,
  side = 'top',
  className,
  type = 'button',
  isStep = false,
  onClick,
  ...rest
}: IconButtonProps) {
  const guard = (event: MouseEvent<HTMLButtonElement>) => {
    if (event.detail > 1 && !isStep) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <Tooltip text={label} side={side}>
      <button
        {...rest}
        type={type}
        aria-label={label}
        onClick={guard}
        className={classNames(
          'inline-grid size-7 shrink-0 place-items-center rounded-md text-ink-3 transition-colors duration-(--fast)',
          'hover:bg-surface-3 hover:text-ink disabled:text-ink-mute pointer-coarse:size-11',
          className,
        )}
      >
        <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
      </button>
    </Tooltip>
  )
}
