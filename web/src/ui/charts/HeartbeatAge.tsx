import { formatAge } from '../../format/dates.ts'
import { StatusIcon } from '../StatusIcon.tsx'

// Spec §4: a heartbeat is shown green if under 60 seconds old.
const freshMs = 60_000

interface HeartbeatAgeProps {
  /** ISO 8601; null when there was none yet. */
  readonly at: string | null
  /** The current time in ms, so that all ages of a table change together. */
  readonly now: number
}

/** A dot and the age: green under 60 s, otherwise red with an x. */
export function HeartbeatAge({ at, now }: HeartbeatAgeProps) {
  if (at === null) return <span className="text-ink-3">–</span>
  const isFresh = now - new Date(at).getTime() < freshMs
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <StatusIcon shape={isFresh ? 'dot' : 'x'} tone={isFresh ? 'ok' : 'bad'} />
      {formatAge(at, now)}
    </span>
  )
}
