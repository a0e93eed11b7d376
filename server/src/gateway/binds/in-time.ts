import { setTimeout as sleep } from 'node:timers/promises'

// operations.md: a request that needs the database and does not get an answer in this time is refused with an error.
const databaseMs = 2_000

/** Rejects when the database takes too long. Calls `late` with a value that arrives after that. */
export async function inTime<T>(work: Promise<T>, late: () => void): Promise<T> {
  const timer = new AbortController()
  const overdue = sleep(databaseMs, undefined, { signal: timer.signal, ref: false }).then(
    () => 'overdue' as const,
    // The timer was aborted because the work finished first.
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
