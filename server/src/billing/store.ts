// SQL on this slice's tables: bills, their lines, payouts. Payments: payment-store.ts.
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'
import { addressInForce, cycleSums } from './sums.ts'

/** What a client's cycle comes to. */
export interface BillTotal {
  readonly userId: number
  readonly totalMicro: bigint
  readonly residualMicro: bigint
}

export async function insertCycleBills(tx: Db, cycleId: number): Promise<void> {
  await sql`insert into cycle_bills (cycle_id) values (${cycleId})`.execute(tx)
  await sql`insert into cycle_held_records (cycle_id, record_id)
    select cycle_id, id from records where is_held and cycle_id = ${cycleId}`.execute(tx)
}

/** Makes a bill for everybody who earned something, and gives everybody's total. The caller holds the traffic gate. */
export async function insertBills(
  tx: Db,
  cycleId: number,
  sentAt: Date,
  payableFrom: Date,
): Promise<BillTotal[]> {
  const found = await rows<{ user_id: number; total_micro: string; residual_micro: string }>(
    tx,
    sql`with sums as materialized (select * from ${cycleSums(sql`${cycleId}::int`)} sums),
      made as (
        insert into billing_periods (cycle_id, user_id, sms_count, total_micro, usdt_address, bill_sent_at, payable_from)
        select ${cycleId}::int, user_id, greatest(sms_count, 0), total_micro, ${addressInForce('p', sentAt)},
          ${sentAt}::timestamptz, ${payableFrom}::timestamptz
        from sums left join payment_profiles p using (user_id) where total_micro > 0
      )
      select user_id, total_micro, residual_micro from sums where total_micro <> 0 or residual_micro <> 0`,
  )
  return found.map((sum) => ({
    userId: sum.user_id,
    totalMicro: BigInt(sum.total_micro),
    residualMicro: BigInt(sum.residual_micro),
  }))
}

/** A closed cycle without lines that no other node is working on. */
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

const billable = (cycleId: number, settlement: number, bounds: RawBuilder<unknown>) => sql`
  r.cycle_id = ${cycleId} and r.settlement = ${settlement} and r.client_id is not null and ${bounds}
  and not exists (select from cycle_held_records h where h.cycle_id = ${cycleId} and h.record_id = r.id)`

export async function insertLines(tx: Db, cycleId: number, bounds: RawBuilder<unknown>): Promise<void> {
  await sql`insert into billing_lines (cycle_id, user_id, number_id, rate_id, sms_count, amount_micro)
    select b.cycle_id, b.user_id, lines.number_id, lines.rate_id, lines.sms_count, lines.amount_micro
    from billing_periods b join (
      select r.client_id, r.number_id, r.rate_id, count(*) as sms_count, sum(r.amount_micro) as amount_micro
      from records r where ${billable(cycleId, 1, bounds)} group by 1, 2, 3
    ) lines on lines.client_id = b.user_id
    where b.cycle_id = ${cycleId}`.execute(tx)
}

/** One payout for each own-price number and holder. */
export async function insertPayouts(tx: Db, cycleId: number, bounds: RawBuilder<unknown>): Promise<void> {
  await sql`insert into payouts (cycle_id, user_id, number_id, sms_count, amount_micro, usdt_address, created_at)
    select c.id, sums.client_id, sums.number_id, sums.sms_count, sums.amount_micro,
      case when p.next_from <= c.closed_at then p.next_address else p.usdt_address end, c.closed_at
    from cycles c, (
      select r.client_id, r.number_id, count(*) as sms_count, sum(r.amount_micro) as amount_micro
      from records r where ${billable(cycleId, 2, bounds)} group by 1, 2 having sum(r.amount_micro) > 0
    ) sums left join payment_profiles p on p.user_id = sums.client_id
    where c.id = ${cycleId}`.execute(tx)
}

/** Whether lines and payouts hold as many messages as the counters say. */
export async function countItems(tx: Db, cycleId: number): Promise<boolean> {
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

/** What a bill holds beyond its messages becomes a line of its own, so that the lines always sum to the bill. */
export async function adjustLines(tx: Db, cycleId: number): Promise<void> {
  await sql`insert into billing_lines (cycle_id, user_id, sms_count, amount_micro)
    select b.cycle_id, b.user_id, b.sms_count - coalesce(sum(l.sms_count), 0),
      b.total_micro - coalesce(sum(l.amount_micro), 0)
    from billing_periods b left join billing_lines l using (cycle_id, user_id)
    where b.cycle_id = ${cycleId} group by b.cycle_id, b.user_id
    having b.total_micro <> coalesce(sum(l.amount_micro), 0)`.execute(tx)
}

export async function payoutTotals(
  tx: Db,
  cycleId: number,
): Promise<{ userId: number; totalMicro: bigint }[]> {
  const found = await rows<{ user_id: number; total: string }>(
    tx,
    sql`select user_id, sum(amount_micro)::text as total from payouts where cycle_id = ${cycleId} group by user_id`,
  )
  return found.map(({ user_id, total }) => ({ userId: user_id, totalMicro: BigInt(total) }))
}

export async function setItemised(tx: Db, cycleId: number): Promise<void> {
  await sql`update cycle_bills set itemised_at = clock_timestamp() where cycle_id = ${cycleId}`.execute(tx)
}
