// When cycles begin and end. Half-open intervals, UTC.

export interface Interval {
  readonly startsAt: Date
  readonly endsAt: Date
}

const weekSeconds = 604_800
// Monday 1970-01-05, the first one after the epoch.
const firstMondayMs = 345_600_000

/** The cycle that holds `at`. Spec §9: seven days from Monday 00:00 UTC; other lengths count from the epoch. */
export function cycleAround(at: Date, cycleSeconds: number): Interval {
  const lengthMs = cycleSeconds * 1000
  const originMs = cycleSeconds === weekSeconds ? firstMondayMs : 0
  const startMs = Math.floor((at.getTime() - originMs) / lengthMs) * lengthMs + originMs
  return { startsAt: new Date(startMs), endsAt: new Date(startMs + lengthMs) }
}

/**
 * The cycle after one that ended at `endsAt`, without a gap. It ends where the cycles of this length always end, so it is
 * shorter than the set length when the one before had another length: weeks return to Monday after a drill.
 */
export function cycleAfter(endsAt: Date, cycleSeconds: number): Interval {
  return { startsAt: endsAt, endsAt: cycleAround(endsAt, cycleSeconds).endsAt }
}

/** How many cycles have ended at `at`, when the open one ends at `endsAt`; 0 while it has not ended. */
export function countEnded(endsAt: Date, at: Date, cycleSeconds: number): number {
  if (at < endsAt) return 0
  const next = cycleAfter(endsAt, cycleSeconds).endsAt
  return at < next ? 1 : 2 + Math.floor((at.getTime() - next.getTime()) / (cycleSeconds * 1000))
}
