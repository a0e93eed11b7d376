// Accepted messages of the last 15 minutes, from the log of batches: of all sources and nodes. A test is a batch by itself.
import { sql } from 'kysely'
import { onlyRow, rows, type Db } from '../../platform/db.ts'
import { recordFlags } from '../../ingest/index.ts'

const stepSeconds = 10
const stepCount = 90
// A batch takes its time just before its commit, and a writer waits for a commit at most 8 s: older steps are final.
const unsettledSteps = 3

export interface ThroughputSeries {
  /** When the first step begins. */
  readonly from: Date
  readonly stepSeconds: number
  /** Messages of each whole step, the oldest first. */
  readonly counts: readonly number[]
}

/**
 * Gives a reader of the last 90 steps of 10 s, by the database's clock. It keeps the steps that are final, so that only
 * the first call reads all batches and later ones read those of about half a minute.
 */
export function throughputReader(db: Db): () => Promise<ThroughputSeries> {
  let known = { counts: new Map<number, number>(), settledTo: 0 }
  return async () => {
    const { counts: before, settledTo } = known
    const now = await currentStep(db)
    const first = now - stepCount
    // If the clock was set back, the known steps lie in the future; all are read again.
    const readFrom = settledTo > now ? first : Math.max(first, settledTo)
    const fresh = await countSteps(db, readFrom, now)
    const steps = Array.from({ length: stepCount }, (_, index) => first + index)
    const counts = new Map(steps.map((step) => [step, (step < readFrom ? before : fresh).get(step) ?? 0]))
    known = { counts, settledTo: now - unsettledSteps }
    return { from: new Date(first * stepSeconds * 1_000), stepSeconds, counts: [...counts.values()] }
  }
}

async function currentStep(db: Db): Promise<number> {
  const found = await onlyRow<{ step: number }>(
    db,
    sql`select floor(extract(epoch from clock_timestamp()) / ${stepSeconds}::int)::int as step`,
  )
  return found.step
}

async function countSteps(db: Db, from: number, to: number): Promise<Map<number, number>> {
  const found = await rows<{ step: number; count: number }>(
    db,
    sql`
      select floor(extract(epoch from stored_at) / ${stepSeconds}::int)::int as step, sum(record_count)::int as count
      from record_batches
      where coalesce(record_flags, 0) & ${recordFlags.test} = 0 and stored_at >= to_timestamp(${from * stepSeconds}::int) and stored_at < to_timestamp(${to * stepSeconds}::int)
      group by 1`,
  )
  return new Map(found.map(({ step, count }) => [step, count]))
}
