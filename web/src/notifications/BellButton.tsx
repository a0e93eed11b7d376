import { Bell } from 'lucide-react'
import { IconButton } from '../ui/IconButton.tsx'
import { t } from '../language/t.ts'

interface BellButtonProps {
  /** How many are not read. */
  readonly count: number
  readonly side: 'right' | 'bottom'
  readonly onOpen: () => void
}

/** The bell with its counter. */
export function BellButton({ count, side, onOpen }: BellButtonProps) {
  const label =
    count === 0
      ? t('Notifications')
      : count > 99
        ? t('Notifications, more than 99 unread')
        : t('Notifications, {count} unread', { count })
  return (
    <span className="relative inline-flex">
      <IconButton icon={Bell} label={label} side={side} aria-haspopup="dialog" onClick={onOpen} />
      {count > 0 && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute -top-0.5 -end-0.5 grid h-4 min-w-4 place-items-center rounded-full bg-bad-soft px-0.5 text-[0.625rem] leading-none font-semibold text-bad-ink"
        >
          {count > 99 ? '99+' : count}
        </span>
      )}
    </span>
  )
}
