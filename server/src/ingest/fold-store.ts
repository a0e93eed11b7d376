// SQL of the fold: it moves the counter buffers (record_tally_packs) into the counters record_days, record_gateway_days,
// record_hours, record_cycles and record_totals.
import { sql } from 'kysely'
import { execute, row, type Db } from '../platform/db.ts'

/** Whether there is anything to fold. Cheaper than a transaction, which is needed in few of the seconds. */
export async function hasUnfolded(db: Db): Promise<boolean> {
  const found = await row<{ is_any: boolean }>(
    db,
    sql`select exists (select from record_tally_packs) as is_any`,
  )
  return found?.is_any === true
}

/**
 * Moves all committed counter buffers; gives how many there were, one for each transaction. It sums in two steps, so that
 * the second has few rows, and as bigint, since sums of numeric take several times as long.
 */
export async function foldCounters(tx: Db): Promise<number> {
  const found = await row<{ buffer_count: number }>(
    tx,
    sql`
    with packs as (delete from record_tally_packs returning *),
    buffered as materialized (
      select hour, client_id, range_id, gateway_id, cycle_id, kind,
        sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from packs, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro, amounts_micro)
        as packed (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro)
      group by 1, 2, 3, 4, 5, 6
    ),
    clients as materialized (
      select hour, client_id, gateway_id, cycle_id, kind / 8 as settlement, kind % 8 as status,
        sum(record_count)::bigint as record_count, sum(bill_micro)::bigint as bill_micro,
        sum(amount_micro)::bigint as amount_micro
      from buffered group by 1, 2, 3, 4, kind
    ),
    days as (
      insert into record_days as kept
      select date '1970-01-01' + hour / 24, client_id, range_id, kind % 8,
        sum(record_count), sum(bill_micro), sum(amount_micro)
      from buffered group by 1, 2, 3, 4
      on conflict (day, client_id, range_id, status) do update set
        record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro,
        amount_micro = kept.amount_micro + excluded.amount_micro
    ),
    gateway_days as (
      insert into record_gateway_days as kept
      select date '1970-01-01' + hour / 24, gateway_id, client_id, status,
        sum(record_count), sum(bill_micro), sum(amount_micro)
      from clients group by 1, 2, 3, 4
      on conflict (day, gateway_id, client_id, status) do update set
        record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro,
        amount_micro = kept.amount_micro + excluded.amount_micro
    ),
    hours as (
      insert into record_hours as kept
      select to_timestamp(hour * 3600.0), client_id, status, sum(record_count), sum(amount_micro)
      from clients group by hour, client_id, status
      on conflict (hour, client_id, status) do update set
        record_count = kept.record_count + excluded.record_count,
        amount_micro = kept.amount_micro + excluded.amount_micro
    ),
    cycles as (
      insert into record_cycles as kept
      select cycle_id, client_id, settlement, sum(record_count), sum(amount_micro)
      from clients group by 1, 2, 3
      on conflict (cycle_id, client_id, settlement) do update set
        record_count = kept.record_count + excluded.record_count,
        amount_micro = kept.amount_micro + excluded.amount_micro
    ),
    totals as (
      insert into record_totals as kept
      select client_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
      from clients group by 1, 2
      on conflict (client_id, status) do update set
        record_count = kept.record_count + excluded.record_count,
        bill_micro = kept.bill_micro + excluded.bill_micro,
        amount_micro = kept.amount_micro + excluded.amount_micro
    )
    select count(*)::int as buffer_count from packs`,
  )
  return found?.buffer_count ?? 0
}

/** Frees the space of folded counter buffers. */
export async function vacuumUnfolded(db: Db): Promise<void> {
  await execute(db, 'vacuum (truncate false) record_tally_packs')
}
