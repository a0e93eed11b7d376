import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import { Tooltip } from './Tooltip.tsx'

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  readonly icon: LucideIcon
  /** Its name, for screen readers and the tooltip: 'Edit client6'. */
  readonly label: string
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
}

/** An icon button with a tooltip, which opens after 700 ms. */
export function IconButton({
  icon: Icon,
  label,
  side = 'top',
  className,
  type = 'button',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={label} side={side}>
      <button
        {...rest}
        type={type}
        aria-label={label}
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
