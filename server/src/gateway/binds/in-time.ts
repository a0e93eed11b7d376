import { setTimeout as sleep } from 'node:timers/promises'

// operations.md: what needs the database and does not get it in so long is answered with an error.
const databaseMs = 2_000

/** Rejects when the database takes too long; what comes after all goes to `late`. */
export async function inTime<T>(work: Promise<T>, late: () => void): Promise<T> {
  const timer = new AbortController()
  const overdue = sleep(databaseMs, undefined, { signal: timer.signal, ref: false }).then(
    () => 'overdue' as const,
    // The timer was taken back: the work came first.
    () => 'cancelled' as const,
  )
  try {
    const first = await Promise.race([work.then((value) => ({ value })), overdue])
    if (typeof first !== 'string') return first.value
  } finally {
    timer.abort()
  }
  work.then(late, () => undefined)
  throw new Error(`The database gave no answer within ${databaseMs} ms`)
}
