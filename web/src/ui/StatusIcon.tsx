// Glyphs of states. The shape carries the state; colour only supports it. Visual language §5, §18.
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type StatusShape =
  | 'check'
  | 'dcheck'
  | 'half'
  | 'ring'
  | 'dash'
  | 'sent'
  | 'x'
  | 'minus'
  | 'pause'
  | 'dot'
export type Tone = 'ok' | 'info' | 'warn' | 'bad' | 'idle'

/** The shape of a state that has no other one than its tone. */
export const toneIcons: Readonly<Record<Tone, StatusShape>> = {
  ok: 'check',
  info: 'half',
  warn: 'ring',
  bad: 'x',
  idle: 'minus',
}

const iconColour: Record<Tone, string> = {
  ok: 'text-ok-lamp',
  info: 'text-info-lamp',
  warn: 'text-warn-lamp',
  bad: 'text-bad-lamp',
  idle: 'text-idle-lamp',
}

const ring = <circle cx="6" cy="6" r="4.6" strokeWidth="1.6" />
const solid = <circle cx="6" cy="6" r="5.5" fill="currentColor" stroke="none" />
// Strokes inside solid shapes have the colour of the background.
const ground = 'var(--status-icon-ground, var(--surface))'

const drawings: Record<StatusShape, ReactNode> = {
  check: (
    <>
      {solid}
      <path d="M3.6 6.2 5.3 7.9 8.5 4.5" stroke={ground} strokeWidth="1.5" />
    </>
  ),
  dcheck: <path d="M.9 6.5 3 8.7 7 3.9M5.2 8.2l.6.6L10.9 3.9" strokeWidth="1.7" />,
  half: (
    <>
      {ring}
      <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" fill="currentColor" stroke="none" />
    </>
  ),
  ring: (
    <>
      {ring}
      <path d="M6 3.6V6l1.6 1" strokeWidth="1.4" />
    </>
  ),
  // Round caps would close the gaps.
  dash: <circle cx="6" cy="6" r="4.6" strokeWidth="1.6" strokeDasharray="2.2 1.42" strokeLinecap="butt" />,
  sent: (
    <>
      {ring}
      <path d="M6 8V4.2M4.3 5.7 6 4l1.7 1.7" strokeWidth="1.4" />
    </>
  ),
  x: (
    <>
      <path d="M3.9.6h4.2L11.4 3.9v4.2L8.1 11.4H3.9L.6 8.1V3.9z" fill="currentColor" stroke="none" />
      <path d="m4.3 4.3 3.4 3.4m0-3.4L4.3 7.7" stroke={ground} strokeWidth="1.5" />
    </>
  ),
  minus: (
    <>
      {ring}
      <path d="M3.9 6h4.2" strokeWidth="1.4" />
    </>
  ),
  pause: (
    <>
      {solid}
      <path d="M4.7 4v4M7.3 4v4" stroke={ground} strokeWidth="1.5" />
    </>
  ),
  dot: <circle cx="6" cy="6" r="3.6" fill="currentColor" stroke="none" />,
}

interface StatusIconProps {
  readonly shape: StatusShape
  readonly tone: Tone
  readonly size?: number
  readonly className?: string
}

/** The glyph alone. A label always stands beside it, so screen readers skip it. */
export function StatusIcon({ shape, tone, size = 12, className }: StatusIconProps) {
  return (
    <svg
      viewBox="0 0 12 12"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      data-status-icon={shape}
      className={classNames('status-icon shrink-0', iconColour[tone], className)}
    >
      {drawings[shape]}
    </svg>
  )
}
