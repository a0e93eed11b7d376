// Counters as traffic makes them: sums in a buffer, and the fold.
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { foldCounters } from '../../src/ingest/fold-store.ts'

/**
 * SQL that puts sums into buffers, as a transaction of ingest leaves them. `from` is a table expression with the columns of
 * records by which counters tell apart, and record_count.
 */
export const bufferSums = (from: string) => `
  insert into record_counter_buffers (cycle_id, hours, client_ids, range_ids, gateway_ids, kinds, record_counts,
    bills_micro, amounts_micro)
  select cycle_id, array_agg(floor(extract(epoch from created_at) / 3600)), array_agg(coalesce(client_id, 0)),
    array_agg(coalesce(range_id, 0)), array_agg(gateway_id), array_agg(settlement * 8 + status), array_agg(record_count),
    array_agg(bill_micro), array_agg(amount_micro)
  from ${from} group by cycle_id`

/** The same for records, each counted once. */
export const bufferRecords = (from: string) =>
  bufferSums(`(select *, 1 as record_count from ${from}) counted`)

export interface Sum {
  readonly at: string
  readonly client?: number
  readonly range?: number
  readonly gateway?: number
  readonly status?: number
  readonly count: number
  readonly amountMicro?: number
}

/** Leaves sums of messages that settle by bill in a buffer. */
export async function bufferCounts(db: Db, sums: readonly Sum[]): Promise<void> {
  const lines = sums.map(
    ({ at, client = 0, range = 0, gateway = 1, status = 2, count, amountMicro = 0 }) =>
      `(timestamptz '${at}', ${client}, ${range}, ${gateway}, ${status}, ${count}, 0::bigint, ${amountMicro}::bigint, 1, 1)`,
  )
  const columns =
    'created_at, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro, settlement, cycle_id'
  await sql.raw(bufferSums(`(values ${lines.join(', ')}) sums (${columns})`)).execute(db)
}

/** Adds such sums to the counters. */
export async function addCounts(db: Db, sums: readonly Sum[]): Promise<void> {
  await bufferCounts(db, sums)
  await transaction(db, foldCounters)
}
