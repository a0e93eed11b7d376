// Adds up what clients earn by number and rate. A job follows the batch log and does this continuously, so that the
// close of a cycle finds its lines ready and does not have to read millions of records.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { takeTurn, type Overload } from '../../platform/load/overload.ts'
import { BatchFollower, recordsOfBatches, type LogBatch } from '../../ingest/index.ts'

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
    follower: 'lines',
    lockName: 'lineSums',
    skipsLocked: false,
    recordsMax: stepRecords,
    recordsMin: 1,
    work: addBatches,
  })
  while (signal?.aborted !== true && overload?.shouldWait() !== true) {
    const { found, restMs } = await takeTurn(overload, () => follower.step())
    if (found === 0) return
    // The signal ends the pause early.
    if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined)
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

/**
 * What a client earned in a cycle without bill lines so far, by number and rate, as a query: the sums, and the records of
 * the client's batches that they lack. In one statement, so that no batch is in both or in neither.
 */
export const sumsSoFar = ({
  cycleId,
  userId,
}: {
  cycleId: number
  userId: number
}): RawBuilder<unknown> => sql`
  select number_id, rate_id, record_count as sms_count, amount_micro from record_line_sums
    where cycle_id = ${cycleId} and client_id = ${userId} and settlement = 1
  union all
  select r.number_id, coalesce(r.rate_id, 0), count(*), sum(r.amount_micro) from (
    select array_agg(b.id) as ids, min(b.created_from) as since, max(b.created_to) as until
    from follower_positions p join record_batches b on (b.xid, b.id) > (p.xid, p.batch)
    where p.follower = 'lines' and (b.client_ids is null or ${userId}::int = any(b.client_ids))
  ) missing join records r on r.created_at between missing.since and missing.until and r.id / 4096 = any(missing.ids)
  where r.cycle_id = ${cycleId} and r.client_id = ${userId} and r.settlement = 1 group by 1, 2`

/** Whether batches of a closed cycle are still missing in the sums, because an older transaction has not ended yet. */
export async function isBehind(tx: Db, cycleId: number): Promise<boolean> {
  const position = await row<{ xid: string; batch: string; closed_at: Date }>(
    tx,
    sql`select p.xid::text, p.batch, c.closed_at from follower_positions p, cycles c
        where p.follower = 'lines' and c.id = ${cycleId} and c.closed_at is not null`,
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

/** The clients whose sums of a closed cycle are not what the counters say, by count or amount. */
export async function differingClients(tx: Db, cycleId: number): Promise<number[]> {
  const found = await rows<{ client_id: number }>(
    tx,
    sql`select distinct client_id from (
          select client_id from (
            select client_id, settlement, record_count, amount_micro from record_cycles where cycle_id = ${cycleId}
            union all select client_id, settlement, -record_count, -amount_micro from record_line_sums
              where cycle_id = ${cycleId}
          ) sums where client_id <> 0 and settlement in (1, 2)
          group by client_id, settlement having sum(record_count) <> 0 or sum(amount_micro) <> 0
        ) differing order by 1`,
  )
  return found.map(({ client_id: id }) => id)
}

/** Makes the sums of these clients anew from their records. `bounds` is a condition on records `r`. */
export async function remakeSums(
  tx: Db,
  cycleId: number,
  clientIds: readonly number[],
  bounds: RawBuilder<unknown>,
): Promise<void> {
  const clients = sql`any(${clientIds}::int[])`
  await sql`delete from record_line_sums where cycle_id = ${cycleId} and client_id = ${clients}`.execute(tx)
  await sql`insert into record_line_sums
    select cycle_id, client_id, number_id, coalesce(rate_id, 0), settlement, count(*), sum(amount_micro)
    from records r where r.cycle_id = ${cycleId} and r.client_id = ${clients} and ${bounds}
    group by 1, 2, 3, 4, 5`.execute(tx)
}

/** Deletes the sums of a cycle whose bills have their lines, but for the accounts that were left out. */
export async function dropLineSums(tx: Db, cycleId: number): Promise<void> {
  await sql`delete from record_line_sums where cycle_id = ${cycleId}
    and client_id not in (select user_id from unclosed_accounts where cycle_id = ${cycleId})`.execute(tx)
}
