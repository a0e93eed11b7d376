// Adds up what clients earn by number and rate. A job follows the batch log and does this continuously, so that the
// close of a cycle finds its lines ready and does not have to read millions of records.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { Overload } from '../../platform/load/overload.ts'
import { BatchFollower, recordsOfBatches, type LogBatch } from '../../records/index.ts'

// A step of this size takes about 100 ms.
const stepRecords = 40_000

interface SumLinesOptions {
  readonly signal?: AbortSignal | undefined
  /** Pauses the work while traffic is high. A close passes none: it waits for the sums, so they must not pause. */
  readonly overload?: Overload | undefined
}

/** Adds up everything that is final in the log. Each step is one transaction, so a crash loses nothing. */
export async function sumLines(db: Db, { signal, overload }: SumLinesOptions = {}): Promise<void> {
  const follower = new BatchFollower({
    db,
    positionTable: 'record_line_position',
    lockName: 'lineSums',
    skipsLocked: false,
    recordsMax: stepRecords,
    recordsMin: 1,
    work: addBatches,
  })
  while (signal?.aborted !== true && overload?.shouldWait() !== true) {
    const begun = performance.now()
    if ((await follower.step()) === 0) return
    // The signal ends the pause early.
    if (overload)
      await sleep(overload.restMs(performance.now() - begun), undefined, { signal }).catch(() => undefined)
  }
}

async function addBatches(tx: Db, batches: readonly LogBatch[]): Promise<LogBatch | undefined> {
  await sql`
    insert into record_line_sums as s
    select cycle_id, coalesce(client_id, 0), number_id, coalesce(rate_id, 0), settlement, count(*), sum(amount_micro)
    from ${recordsOfBatches(batches)} group by 1, 2, 3, 4, 5
    on conflict (cycle_id, client_id, number_id, rate_id, settlement) do update
      set record_count = s.record_count + excluded.record_count,
        amount_micro = s.amount_micro + excluded.amount_micro`.execute(tx)
  return batches.at(-1)
}

/** Whether batches of a closed cycle are still missing in the sums, because an older transaction has not ended yet. */
export async function isBehind(tx: Db, cycleId: number): Promise<boolean> {
  const position = await row<{ xid: string; batch: string; closed_at: Date }>(
    tx,
    sql`select p.xid::text, p.batch, c.closed_at from record_line_position p, cycles c where c.id = ${cycleId}`,
  )
  if (position === undefined) return false
  const missing = await row(
    tx,
    sql`select id from record_batches
        where (xid, id) > (${position.xid}::xid8, ${position.batch}::bigint) and stored_at <= ${position.closed_at}
        limit 1`,
  )
  return missing !== undefined
}

/** Deletes the sums of a cycle whose bills have their lines. */
export async function dropLineSums(tx: Db, cycleId: number): Promise<void> {
  await sql`delete from record_line_sums where cycle_id = ${cycleId}`.execute(tx)
}
