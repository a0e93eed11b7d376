// A state: status icon and label on a soft background. In a table cell it is the only coloured element.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { StatusIcon, type StatusShape, type Tone } from './StatusIcon.tsx'
import { statusLook, type StatusKind } from './status.ts'

const grounds: Record<Tone, string> = {
  ok: 'bg-ok-soft text-ok-ink [--status-icon-ground:var(--ok-soft)]',
  info: 'bg-info-soft text-info-ink [--status-icon-ground:var(--info-soft)]',
  warn: 'bg-warn-soft text-warn-ink [--status-icon-ground:var(--warn-soft)]',
  bad: 'bg-bad-soft text-bad-ink [--status-icon-ground:var(--bad-soft)]',
  idle: 'bg-idle-soft text-idle-ink [--status-icon-ground:var(--idle-soft)]',
}

interface BadgeProps {
  readonly tone: Tone
  readonly icon: StatusShape
  readonly children: ReactNode
  /** lg is for the page header. */
  readonly size?: 'md' | 'lg'
}

/** A badge of any state. For states of the product use {@link StatusBadge}. */
export function Badge({ tone, icon, children, size = 'md' }: BadgeProps) {
  return (
    <span
      className={classNames(
        'badge inline-flex max-w-full items-center rounded-sm font-medium whitespace-nowrap',
        size === 'lg' ? 'h-6.5 gap-1.5 px-2.5 text-sm' : 'h-5 gap-1.25 px-1.5 text-xs',
        grounds[tone],
      )}
    >
      <StatusIcon shape={icon} tone={tone} />
      <span className="truncate">{children}</span>
    </span>
  )
}

interface StatusBadgeProps {
  readonly kind: StatusKind
  readonly status: string
  readonly size?: 'md' | 'lg'
}

/** The badge for a state of a kind of object. */
export function StatusBadge({ kind, status, size = 'md' }: StatusBadgeProps) {
  const { tone, icon, label } = statusLook(kind, status)
  return (
    <Badge tone={tone} icon={icon} size={size}>
      {label}
    </Badge>
  )
}

/** Icon and label without a background, for running text ("verified"). */
export function StatusWord({ kind, status }: Pick<StatusBadgeProps, 'kind' | 'status'>) {
  const { tone, icon, label } = statusLook(kind, status)
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <StatusIcon shape={icon} tone={tone} />
      {label}
    </span>
  )
}
