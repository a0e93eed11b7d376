// Counts records by day, week and number, behind ingest: a follower of the log, in steps.
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'
import { addSums, BatchCounter, recordsOfBatches, type CounterParts, type LogBatch } from '../ingest/index.ts'
import { conjunctionOf, rowPredicates } from '../records/index.ts'

/** Counts messages by day, week and number. A step takes about 200 ms. */
export function countNumberDays(parts: CounterParts): BatchCounter {
  return new BatchCounter({
    ...parts,
    name: 'numbers',
    lockName: 'numberDays',
    stepRecords: 20_000,
    pauseMs: 5_000,
    add: addBatches,
  })
}

async function addBatches(tx: Db, batches: readonly LogBatch[]): Promise<void> {
  await sql`
    with counted as materialized (
      select (created_at at time zone 'UTC')::date as day, coalesce(client_id, 0) as client_id, number_id,
        coalesce(range_id, 0) as range_id, gateway_id, count(*)::bigint as record_count,
        sum(bill_micro)::bigint as bill_micro, sum(amount_micro)::bigint as amount_micro
      from ${recordsOfBatches(batches)} r where ${conjunctionOf(rowPredicates({ isTest: false }))} group by 1, 2, 3, 4, 5
    ),
    by_week as (
      insert into record_number_weeks as kept
      select date_trunc('week', day)::date, client_id, number_id, range_id,
        sum(record_count), sum(bill_micro), sum(amount_micro)
      from counted group by 1, 2, 3, 4
      on conflict (week, number_id, client_id, range_id) do update set ${sql.raw(addSums)}
    )
    insert into record_number_days as kept
    select day, client_id, number_id, range_id, gateway_id, record_count, bill_micro, amount_micro from counted
    on conflict (client_id, day, number_id, range_id, gateway_id) do update set ${sql.raw(addSums)}`.execute(
    tx,
  )
}
