// How many calls a second a caller may make. A call that is over still counts, so this is a rate and no queue, where a turn
// is given back at its end (decision 38).
import { Refusal } from '@tollgate/contract/errors.ts'

interface Bucket {
  calls: number
  filledAtMs: number
}

/**
 * A token bucket for each subject (a person, a session or an address): it may make `perSecond` calls a second. A full
 * bucket holds the calls of one second, so a burst of that many passes at once. The function that it returns throws
 * Refusal too_many beyond that.
 */
export function callLimit(perSecond: number, nowMs: () => number = Date.now): (subject: string) => void {
  const buckets = new Map<string, Bucket>()
  let sweptAtMs = nowMs()
  return (subject) => {
    const now = nowMs()
    if (now - sweptAtMs > 10_000) {
      // A bucket that was not used for a second is full again and can be dropped; without this the map would only grow.
      for (const [key, { filledAtMs }] of buckets) if (now - filledAtMs > 1_000) buckets.delete(key)
      sweptAtMs = now
    }
    const bucket = buckets.get(subject) ?? { calls: perSecond, filledAtMs: now }
    const refilled = bucket.calls + ((now - bucket.filledAtMs) / 1_000) * perSecond
    bucket.calls = Math.min(perSecond, Math.max(bucket.calls, refilled))
    bucket.filledAtMs = now
    buckets.set(subject, bucket)
    if (bucket.calls < 1)
      throw new Refusal('too_many', 'Too many calls. Wait a second and try again.', { retryAfterSeconds: 1 })
    bucket.calls -= 1
  }
}
