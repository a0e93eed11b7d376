// Adds up what clients earn by number and rate. A job follows the batch log and does this continuously, so that the
// close of a cycle finds its lines ready and does not have to read millions of records.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { lock } from '../../platform/locks/locks.ts'
import type { Overload } from '../../platform/load/overload.ts'
import { transaction } from '../../platform/transaction.ts'

// A step of this size takes about 100 ms.
const stepRecords = 40_000
const stepBatches = 1_024

interface SumLinesOptions {
  readonly signal?: AbortSignal | undefined
  /** Pauses the work while traffic is high. A close passes none: it waits for the sums, so they must not pause. */
  readonly overload?: Overload | undefined
}

/** Adds up everything that is final in the log. Each step is one transaction, so a crash loses nothing. */
export async function sumLines(db: Db, { signal, overload }: SumLinesOptions = {}): Promise<void> {
  while (signal?.aborted !== true && overload?.shouldWait() !== true) {
    const begun = performance.now()
    if ((await transaction(db, step)) === 0) return
    // The signal ends the pause early.
    if (overload)
      await sleep(overload.restMs(performance.now() - begun), undefined, { signal }).catch(() => undefined)
  }
}

/** Adds the next batches of the log to the sums. Returns how many batches. */
async function step(tx: Db): Promise<number> {
  await lock(tx, 'lineSums')
  const taken = await row<{ count: number }>(
    tx,
    sql`with taken as materialized (
          select * from (
            select b.*, sum(b.record_count) over (order by b.xid, b.id) - b.record_count as before
            from record_line_position p, lateral (
              select xid, id, record_count, created_from, created_to from record_batches
              where (xid, id) > (p.xid, p.batch) and xid < (select log_horizon())
              order by xid, id limit ${stepBatches}
            ) b
          ) next where before < ${stepRecords}
        ), added as (
          insert into record_line_sums as s
          select cycle_id, coalesce(client_id, 0), number_id, coalesce(rate_id, 0), settlement, count(*), sum(amount_micro)
          from (
            select array_agg(id) as ids, array_agg(created_from) as froms, array_agg(created_to) as tos,
              array_agg(0) as firsts, array_agg(4096) as beyonds from taken
          ) b cross join lateral records_of_batches(b.ids, b.froms, b.tos, b.firsts, b.beyonds) group by 1, 2, 3, 4, 5
          on conflict (cycle_id, client_id, number_id, rate_id, settlement) do update
            set record_count = s.record_count + excluded.record_count,
              amount_micro = s.amount_micro + excluded.amount_micro
        ), moved as (
          update record_line_position set (xid, batch) = (select xid, id from taken order by xid desc, id desc limit 1)
          where exists (select from taken)
        )
        select count(*)::int as count from taken`,
  )
  return taken?.count ?? 0
}

/** Whether batches of a closed cycle are still missing in the sums, because an older transaction has not ended yet. */
export async function isBehind(tx: Db, cycleId: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from record_line_position p, cycles c, lateral (
          select from record_batches b where (b.xid, b.id) > (p.xid, p.batch) and b.stored_at <= c.closed_at limit 1
        ) late where c.id = ${cycleId}`,
  )
  return found !== undefined
}

/** Deletes the sums of a cycle whose bills have their lines. */
export async function dropLineSums(tx: Db, cycleId: number): Promise<void> {
  await sql`delete from record_line_sums where cycle_id = ${cycleId}`.execute(tx)
}
