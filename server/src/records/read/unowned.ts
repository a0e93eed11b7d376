// The messages to a number that nobody held when they were stored. A record never changes its client, so who holds the
// number from an earlier time on is credited for them by an adjustment.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import type { LogPosition } from '../../ingest/index.ts'
import { withinSumTime } from '../query/sum-time.ts'

/** Received in [from, to). */
export interface UnownedSpan {
  readonly numberId: number
  readonly from: Date
  readonly to: Date
}

export interface UnownedRecord {
  readonly createdAt: Date
  /** A whole number below 2^53. */
  readonly id: string
  readonly cycleId: number
  /** At least 1: as many SMS as its text fills (decision 64). */
  readonly smsCount: number
}

const columns = sql`created_at as "createdAt", id, cycle_id as "cycleId", sms_count as "smsCount"`

/** The oldest `max` of them, without those that count as no SMS. Throws Refusal unprocessable when that takes more than 20 s. */
export function readUnowned(db: Db, span: UnownedSpan, max: number): Promise<UnownedRecord[]> {
  return withinSumTime(db, (tx) =>
    rows(
      tx,
      sql`select ${columns} from unowned_records(${span.numberId}, ${span.from}, ${span.to}, ${max}::int)`,
    ),
  )
}

// As many batches as come in hours. The steps of one call are seconds apart.
const batchesMax = 100_000

/**
 * Those that were stored after `since`, an end of the log. The caller has closed the traffic gate, so that no batch is on
 * its way: with those read before, they are all there are.
 */
export async function readUnownedSince(
  tx: Db,
  { numberId, from, to }: UnownedSpan,
  since: LogPosition,
): Promise<UnownedRecord[]> {
  const batches = await rows<{ id: string; from: string; to: string }>(
    tx,
    sql`select id, created_from::text as from, created_to::text as to
        from log_batches(${String(since.xid)}::xid8, 0, log_xid(pg_snapshot_xmax(pg_current_snapshot())), ${batchesMax})
        where created_to >= ${from}::timestamptz and created_from < ${to}::timestamptz`,
  )
  if (batches.length === 0) return []
  return rows(
    tx,
    sql`select ${columns} from records_of_batches(
          ${batches.map(({ id }) => id)}::bigint[], ${batches.map((batch) => batch.from)}::timestamptz[],
          ${batches.map((batch) => batch.to)}::timestamptz[], ${batches.map(() => 0)}::int[], ${batches.map(() => 4_096)}::int[]
        ) r
        where r.number_id = ${numberId} and r.client_id is null and r.sms_count > 0
          and r.created_at >= ${from}::timestamptz and r.created_at < ${to}::timestamptz`,
  )
}
