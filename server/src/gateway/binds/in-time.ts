import { timedOut, within } from '../../platform/work/within.ts'

// A request that needs the database and does not get an answer in this time is refused with an error.
const databaseMs = 2_000

/** Rejects when the database takes too long. Calls `late` with a value that arrives after that. */
export async function inTime<T>(work: Promise<T>, late: (value: T) => void): Promise<T> {
  const result = await within(work, databaseMs)
  if (result !== timedOut) return result
  work.then(late, () => undefined)
  throw new Error(`The database gave no answer within ${databaseMs} ms`)
}
