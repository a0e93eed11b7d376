// SQL that closes a cycle: makes bills, their lines and payouts.
import { sql, type RawBuilder } from 'kysely'
import { changed, row, type Db } from '../../platform/db.ts'
import { addressInForce } from '../profile/profile-store.ts'
import { cycleSums } from './cycle-sums.ts'

/** Copies which records are held when the cycle closes. The caller has the traffic gate. */
export async function insertHeldRecords(tx: Db, cycleId: number): Promise<void> {
  await sql`insert into cycle_held_records
      (cycle_id, record_id, client_id, number_id, rate_id, settlement, amount_micro)
    select cycle_id, id, client_id, number_id, rate_id, settlement, amount_micro
    from records where is_held and cycle_id = ${cycleId}`.execute(tx)
}

/** Whether a cycle waits to be closed, to get its bills, or to get their lines. */
export async function isCloseDue(db: Db, now: Date): Promise<boolean> {
  const found = await row<{ is_any: boolean }>(
    db,
    sql`select exists (select from cycles where closed_at is null and ends_at <= ${now})
          or exists (select from cycles c where closed_at is not null
               and not exists (select from cycle_bills b where b.cycle_id = c.id))
          or exists (select from cycle_bills where itemised_at is null) as is_any`,
  )
  return found?.is_any === true
}

/** The closed cycle whose bills are to be made next. */
export async function findUnbilled(
  db: Db,
): Promise<{ id: number; endsAt: Date; closedAt: Date } | undefined> {
  const found = await row<{ id: number; ends_at: Date; closed_at: Date }>(
    db,
    sql`select id, ends_at, closed_at from cycles c where closed_at is not null
          and not exists (select from cycle_bills b where b.cycle_id = c.id) order by id limit 1`,
  )
  return found && { id: found.id, endsAt: found.ends_at, closedAt: found.closed_at }
}

/** False when another node made the cycle's bills; waits while it is still making them. */
export async function claimBills(tx: Db, cycleId: number): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`insert into cycle_bills (cycle_id) values (${cycleId}) on conflict do nothing`,
    )) === 1
  )
}

/** Makes a bill for each client who earned something in a closed cycle. Returns how many. */
export function insertBills(tx: Db, cycleId: number, sentAt: Date, payableFrom: Date): Promise<number> {
  return changed(
    tx,
    sql`insert into billing_periods (cycle_id, user_id, sms_count, total_micro, usdt_address, bill_sent_at, payable_from)
        select ${cycleId}::int, user_id, greatest(sms_count, 0), total_micro, ${addressInForce('p', sentAt)},
          ${sentAt}::timestamptz, ${payableFrom}::timestamptz
        from ${cycleSums(sql`${cycleId}::int`)} sums left join payment_profiles p using (user_id)
        where total_micro > 0`,
  )
}

/**
 * The ledger lines of the bills: payable → billed. A negative total (a correction larger than the traffic) is carried
 * into the open cycle.
 */
export function billEntries(cycleId: number, openCycleId: number): RawBuilder<unknown> {
  return sql`select line.cycle_id, user_id, line.account, line.amount_micro, line.settlement,
      case when total_micro > 0 then 'bill' else 'carry' end as kind, ${cycleId}::text || '-' || user_id as reference
    from ${cycleSums(sql`${cycleId}::int`)} sums cross join lateral (values
      (${cycleId}::int, 'payable', residual_micro - total_micro, 1),
      (${cycleId}::int, 'payable', -residual_micro, 2),
      (case when total_micro > 0 then ${cycleId}::int else ${openCycleId}::int end,
        case when total_micro > 0 then 'billed' else 'payable' end, total_micro, 1)
    ) line (cycle_id, account, amount_micro, settlement)
    where line.amount_micro <> 0`
}

/** The ledger lines of a cycle's payouts: payable → billed. */
export function payoutEntries(cycleId: number): RawBuilder<unknown> {
  return sql`select ${cycleId}::int as cycle_id, user_id, side.account, side.sign * sum(amount_micro) as amount_micro,
      2 as settlement, 'bill' as kind, 'payouts-' || ${cycleId}::text as reference
    from payouts cross join (values ('payable', -1), ('billed', 1)) side (account, sign)
    where cycle_id = ${cycleId} group by user_id, side.account, side.sign`
}

/** A closed cycle whose bills have no lines yet, and that no other node is working on. */
export function findUnitemised(tx: Db): Promise<{ id: number } | undefined> {
  return row(
    tx,
    sql`select cycle_id as id from cycle_bills where itemised_at is null order by cycle_id limit 1
        for update skip locked`,
  )
}

export async function clearItems(tx: Db, cycleId: number): Promise<void> {
  await sql`delete from billing_lines where cycle_id = ${cycleId}`.execute(tx)
  await sql`delete from payouts where cycle_id = ${cycleId}`.execute(tx)
}

/** Sums of a cycle's messages by client, number and rate, from record_line_sums. */
export const fromLineSums = (cycleId: number): RawBuilder<unknown> => sql`
  select client_id, number_id, nullif(rate_id, 0) as rate_id, settlement, sum(sms_count)::bigint as sms_count,
    sum(amount_micro)::bigint as amount_micro
  from (
    select client_id, number_id, rate_id, settlement, record_count as sms_count, amount_micro from record_line_sums
      where cycle_id = ${cycleId} and client_id <> 0
    union all select client_id, number_id, coalesce(rate_id, 0), settlement, -1, -amount_micro from cycle_held_records
      where cycle_id = ${cycleId} and client_id is not null
  ) parts where settlement in (1, 2) group by 1, 2, 3, 4 having sum(sms_count) <> 0`

/** The same sums from the records themselves. */
export const fromRecords = (cycleId: number, bounds: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select client_id, number_id, rate_id, settlement, count(*) as sms_count, sum(amount_micro)::bigint as amount_micro
  from records r
  where r.cycle_id = ${cycleId} and r.settlement in (1, 2) and r.client_id is not null and ${bounds}
    and not exists (select from cycle_held_records h where h.cycle_id = ${cycleId} and h.record_id = r.id)
  group by 1, 2, 3, 4`

/** Writes bill lines, and one payout for each own-price number and holder. */
export async function insertItems(
  tx: Db,
  cycleId: number,
  source: RawBuilder<unknown>,
  payableAfterDays: number,
): Promise<void> {
  await sql`with lines as materialized (${source}), billed as (
      insert into billing_lines (cycle_id, user_id, number_id, rate_id, sms_count, amount_micro)
      select b.cycle_id, b.user_id, l.number_id, l.rate_id, l.sms_count, l.amount_micro
      from billing_periods b join lines l on l.client_id = b.user_id and l.settlement = 1
      where b.cycle_id = ${cycleId}
    )
    insert into payouts (cycle_id, user_id, number_id, sms_count, amount_micro, usdt_address, created_at,
      payable_from)
    select c.id, sums.client_id, sums.number_id, sums.sms_count, sums.amount_micro,
      case when p.next_from <= c.closed_at then p.next_address else p.usdt_address end, c.closed_at,
      c.closed_at + ${payableAfterDays} * interval '24 hours'
    from cycles c, (
      select client_id, number_id, sum(sms_count) as sms_count, sum(amount_micro) as amount_micro
      from lines where settlement = 2 group by 1, 2 having sum(amount_micro) > 0
    ) sums left join payment_profiles p on p.user_id = sums.client_id
    where c.id = ${cycleId}`.execute(tx)
}

/** Whether lines and payouts together contain as many messages as the counters say. */
export async function hasAllItems(tx: Db, cycleId: number): Promise<boolean> {
  const found = await row<{ is_complete: boolean }>(
    tx,
    sql`select (
        coalesce((select sum(sms_count) from billing_lines where cycle_id = ${cycleId}), 0)
        + coalesce((select sum(sms_count) from payouts where cycle_id = ${cycleId}), 0)
      ) = (
        select coalesce(sum(record_count), 0) from (
          select record_count, client_id, settlement from record_cycles where cycle_id = ${cycleId}
          union all select record_count, client_id, settlement from record_tallies where cycle_id = ${cycleId}
        ) counters where client_id <> 0 and settlement in (1, 2)
      ) - (select count(*) from cycle_held_records where cycle_id = ${cycleId}) as is_complete`,
  )
  return found?.is_complete === true
}

/** Adds a line for the part of a bill that is not messages (corrections, releases), so that the lines sum to the bill. */
export async function adjustLines(tx: Db, cycleId: number): Promise<void> {
  await sql`insert into billing_lines (cycle_id, user_id, sms_count, amount_micro)
    select b.cycle_id, b.user_id, b.sms_count - coalesce(sum(l.sms_count), 0),
      b.total_micro - coalesce(sum(l.amount_micro), 0)
    from billing_periods b left join billing_lines l using (cycle_id, user_id)
    where b.cycle_id = ${cycleId} group by b.cycle_id, b.user_id
    having b.total_micro <> coalesce(sum(l.amount_micro), 0)`.execute(tx)
}

export async function setItemised(tx: Db, cycleId: number): Promise<void> {
  await sql`update cycle_bills set itemised_at = clock_timestamp() where cycle_id = ${cycleId}`.execute(tx)
}
