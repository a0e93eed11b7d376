// SQL of the fold: it moves the counter buffers into the counters by hour, day and cycle, and into the hours of traffic.
import { sql } from 'kysely'
import { changed, execute, row, type Db } from '../platform/db.ts'

/** How counters grow: the assignments of an upsert into a table `kept`. */
export const addSums = `record_count = kept.record_count + excluded.record_count,
    bill_micro = kept.bill_micro + excluded.bill_micro, amount_micro = kept.amount_micro + excluded.amount_micro`

/** Whether there is anything to fold. Cheaper than a transaction, which is needed in few of the seconds. */
export async function hasUnfolded(db: Db): Promise<boolean> {
  const found = await row<{ is_any: boolean }>(
    db,
    sql`select exists (select from record_counter_buffers) as is_any`,
  )
  return found?.is_any === true
}

/**
 * Moves all committed counter buffers. Each record is counted in several rows of an hour and of a day, with -1 for what a
 * row does not tell apart (`query/counters.ts` reads them). It sums in two steps, so that the second has few rows, and as
 * bigint, since sums of numeric take several times as long.
 */
export const foldStatement = `
  with buffers as (delete from record_counter_buffers returning *),
  buffered as materialized (
    select hour, date '1970-01-01' + hour / 24 as day, client_id, range_id, gateway_id, cycle_id,
      kind / 8 as settlement, kind % 8 as status, sum(record_count)::bigint as record_count,
      sum(bill_micro)::bigint as bill_micro, sum(amount_micro)::bigint as amount_micro
    from buffers, unnest(hours, client_ids, range_ids, gateway_ids, kinds, record_counts, bills_micro, amounts_micro)
      as sums (hour, client_id, range_id, gateway_id, kind, record_count, bill_micro, amount_micro)
    group by hour, client_id, range_id, gateway_id, cycle_id, kind
  ),
  by_hour as (
    insert into record_hour_counters as kept
    select to_timestamp(hour * 3600.0), coalesce(client_id, -1), coalesce(range_id, -1), coalesce(gateway_id, -1), status,
      sum(record_count)::bigint, sum(bill_micro)::bigint, sum(amount_micro)::bigint
    from buffered group by grouping sets (
      (hour, status), (hour, status, client_id),
      (hour, status, range_id, gateway_id), (hour, status, client_id, range_id, gateway_id)
    )
    on conflict (hour, client_id, range_id, gateway_id, status) do update set ${addSums}
  ),
  by_day as (
    insert into record_day_counters as kept
    select coalesce(day, '-infinity'), coalesce(client_id, -1), coalesce(range_id, -1), coalesce(gateway_id, -1), status,
      sum(record_count)::bigint, sum(bill_micro)::bigint, sum(amount_micro)::bigint
    from buffered group by grouping sets (
      (status), (status, client_id),
      (day, status), (day, status, client_id),
      (day, status, gateway_id), (day, status, client_id, gateway_id),
      (day, status, range_id, gateway_id), (day, status, client_id, range_id, gateway_id)
    )
    on conflict (day, client_id, range_id, gateway_id, status) do update set ${addSums}
  ),
  by_cycle as (
    insert into record_cycle_counters as kept
    select cycle_id, client_id, settlement, sum(record_count), sum(amount_micro) from buffered group by 1, 2, 3
    on conflict (cycle_id, client_id, settlement) do update set
      record_count = kept.record_count + excluded.record_count,
      amount_micro = kept.amount_micro + excluded.amount_micro
  ),
  traffic as (
    insert into traffic_hours as kept
    select date_trunc('hour', clock_timestamp(), 'UTC'), case when range_id is null then 'gateway' else 'range' end,
      coalesce(range_id, gateway_id), sum(record_count)
    from buffered group by grouping sets ((gateway_id), (range_id)) having sum(record_count) <> 0
    on conflict (hour, kind, item_id) do update set record_count = kept.record_count + excluded.record_count
  )
  select count(*)::int as buffer_count from buffers`

/** Moves them in the transaction; gives how many there were, one for each transaction of ingest. */
export async function foldCounters(tx: Db): Promise<number> {
  const found = await row<{ buffer_count: number }>(tx, sql.raw(foldStatement))
  return found?.buffer_count ?? 0
}

/** Deletes counters by hour and range before this time. Those of days stay. */
export async function pruneHoursOfRanges(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from record_hour_counters where hour < ${before} and range_id >= 0`)
}

/** Frees the space of folded counter buffers. */
export async function vacuumUnfolded(db: Db): Promise<void> {
  await execute(db, 'vacuum (truncate false) record_counter_buffers')
}
