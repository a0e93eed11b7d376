// SQL that makes the bills of a closed cycle, their lines, its payouts, and the ledger lines of both.
import { sql, type RawBuilder } from 'kysely'
import { changed, type Db } from '../../platform/db.ts'
import { termsInForce, type DefaultTerms } from '../../terms/index.ts'
import { addressInForce } from '../profile/profile-store.ts'
import type { AccountSpan } from '../rules.ts'
import { cycleSums } from './cycle-sums.ts'
import type { ClosedCycle } from './store.ts'

export const within = ({ from, to }: AccountSpan) => sql`user_id between ${from}::int and ${to}::int`

/** The accounts of a cycle that the close leaves out. */
export const isLeftOut = (cycleId: number) =>
  sql`user_id in (select user_id from unclosed_accounts where cycle_id = ${cycleId})`

/** Makes a bill for each account of the span that earned something in a closed cycle. Returns how many. */
export function insertBills(
  tx: Db,
  { id: cycleId, closedAt: sentAt }: ClosedCycle,
  span: AccountSpan,
  terms: DefaultTerms,
): Promise<number> {
  return changed(
    tx,
    sql`insert into billing_periods (cycle_id, user_id, sms_count, total_micro, usdt_address, bill_sent_at, payable_from)
        select ${cycleId}::int, user_id, greatest(sms_count, 0), total_micro, ${addressInForce('p', sentAt)},
          ${sentAt}::timestamptz, ${sentAt}::timestamptz + t.payable_after_days * interval '24 hours'
        from ${cycleSums(sql`${cycleId}::int`)} sums left join payment_profiles p using (user_id)
          join ${termsInForce(terms, sql`u.id between ${span.from}::int and ${span.to}::int`, sql`${cycleId}::int`)} t using (user_id)
        where total_micro > 0 and ${within(span)} and not ${isLeftOut(cycleId)}`,
  )
}

/**
 * The ledger lines of the bills of a span: payable → billed. A negative total (a correction larger than the traffic) is
 * carried into the open cycle.
 */
export function billEntries(cycleId: number, openCycleId: number, span: AccountSpan): RawBuilder<unknown> {
  return sql`select line.cycle_id, user_id, line.account, line.amount_micro, line.settlement,
      case when total_micro > 0 then 'bill' else 'carry' end as kind, ${cycleId}::text || '-' || user_id as reference
    from ${cycleSums(sql`${cycleId}::int`)} sums cross join lateral (values
      (${cycleId}::int, 'payable', residual_micro - total_micro, 1),
      (${cycleId}::int, 'payable', -residual_micro, 2),
      (case when total_micro > 0 then ${cycleId}::int else ${openCycleId}::int end,
        case when total_micro > 0 then 'billed' else 'payable' end, total_micro, 1)
    ) line (cycle_id, account, amount_micro, settlement)
    where line.amount_micro <> 0 and ${within(span)} and not ${isLeftOut(cycleId)}`
}

/** The ledger lines of a span's payouts: payable → billed. */
export function payoutEntries(cycleId: number, span: AccountSpan): RawBuilder<unknown> {
  return sql`select ${cycleId}::int as cycle_id, user_id, side.account, side.sign * sum(amount_micro) as amount_micro,
      2 as settlement, 'bill' as kind, 'payouts-' || ${cycleId}::text as reference
    from payouts cross join (values ('payable', -1), ('billed', 1)) side (account, sign)
    where cycle_id = ${cycleId} and ${within(span)} group by user_id, side.account, side.sign`
}

// What the clients' own lines are made of: by client, number and rate, without what was held at the close.
const lineSums = (cycleId: number, span: AccountSpan): RawBuilder<unknown> => sql`
  select client_id as user_id, number_id, nullif(rate_id, 0) as rate_id, settlement,
    sum(sms_count)::bigint as sms_count, sum(amount_micro)::bigint as amount_micro
  from (
    select client_id, number_id, rate_id, settlement, record_count as sms_count, amount_micro from record_line_sums
      where cycle_id = ${cycleId} and client_id between greatest(${span.from}::int, 1) and ${span.to}::int
    union all select user_id, number_id, rate_id, settlement, -record_count, -amount_micro from hold_sums
      where cycle_id = ${cycleId} and user_id between ${span.from}::int and ${span.to}::int
  ) parts where settlement in (1, 2) group by 1, 2, 3, 4 having sum(sms_count) <> 0`

/** The condition on `hold_records` that bill and payouts of the record's own cycle leave it out. */
export const isLeftOutOfBill = sql`not is_billed and (outcome is distinct from 'released' or decided_cycle_id <> cycle_id)`

/** Writes the bill lines of a span of accounts, and one payout for each own-price number and holder. */
export async function insertItems(
  tx: Db,
  cycleId: number,
  span: AccountSpan,
  terms: DefaultTerms,
): Promise<void> {
  await sql`with lines as materialized (
      select * from (${lineSums(cycleId, span)}) lines where not ${isLeftOut(cycleId)}
    ), billed as (
      insert into billing_lines (cycle_id, user_id, number_id, rate_id, sms_count, amount_micro)
      select b.cycle_id, b.user_id, l.number_id, l.rate_id, l.sms_count, l.amount_micro
      from billing_periods b join lines l on l.user_id = b.user_id and l.settlement = 1
      where b.cycle_id = ${cycleId}
    )
    insert into payouts (cycle_id, user_id, number_id, sms_count, amount_micro, usdt_address, created_at,
      payable_from)
    select c.id, sums.user_id, sums.number_id, sums.sms_count, sums.amount_micro,
      case when p.next_from <= c.closed_at then p.next_address else p.usdt_address end, c.closed_at,
      c.closed_at + t.payable_after_days * interval '24 hours'
    from cycles c, (
      select user_id, number_id, sum(sms_count) as sms_count, sum(amount_micro) as amount_micro
      from lines where settlement = 2 group by 1, 2 having sum(amount_micro) > 0
    ) sums left join payment_profiles p on p.user_id = sums.user_id
      join ${termsInForce(terms, sql`u.id between ${span.from}::int and ${span.to}::int`, sql`${cycleId}::int`)} t on t.user_id = sums.user_id
    where c.id = ${cycleId}`.execute(tx)
  await adjustLines(tx, cycleId, span)
}

/** Adds a line for the part of a bill that is not messages (corrections, releases), so that the lines sum to the bill. */
async function adjustLines(tx: Db, cycleId: number, span: AccountSpan): Promise<void> {
  await sql`insert into billing_lines (cycle_id, user_id, sms_count, amount_micro)
    select b.cycle_id, b.user_id, b.sms_count - coalesce(sum(l.sms_count), 0),
      b.total_micro - coalesce(sum(l.amount_micro), 0)
    from billing_periods b left join billing_lines l using (cycle_id, user_id)
    where b.cycle_id = ${cycleId} and b.user_id between ${span.from}::int and ${span.to}::int
      and not b.${isLeftOut(cycleId)}
    group by b.cycle_id, b.user_id
    having b.total_micro <> coalesce(sum(l.amount_micro), 0)`.execute(tx)
}
