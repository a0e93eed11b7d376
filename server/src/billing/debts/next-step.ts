// What is next for a debt that is not settled: one rule for the list, its sums and the figure on the page.
import { sql, type RawBuilder } from 'kysely'
import { underWay } from './debt-store.ts'

/** Debts as `d`, with the live run `r`, the parked account `k` and the payment under way `w` of each. */
export const debtsWithState: RawBuilder<unknown> = sql`debts d
  left join payment_run_debts r on r.reference = d.reference and r.is_live
  left join parked_accounts k on k.user_id = d.user_id
  left join (
    select coalesce('payout-' || y.payout_id, y.cycle_id || '-' || y.user_id) as reference, bool_or(y.awaits_approval) as awaits,
      max(y.requested_by) filter (where y.awaits_approval) as asked_by
    from payments y where ${underWay('y')} group by 1
  ) w on w.reference = d.reference`

/** The next step of a debt. What keeps it from being paid comes first, before the step that would be next otherwise. */
export const stepAt = (now: Date): RawBuilder<unknown> => sql`case
  when r.run_id is not null then 'in_run'
  when k.user_id is not null then 'parked'
  when d.is_stopped then 'stopped'
  when w.awaits then 'approve'
  when w.reference is not null then 'confirming'
  when d.due_micro = 0 then 'decide'
  when d.usdt_address is null then 'no_address'
  when d.payable_from > ${now}::timestamptz then 'not_yet'
  else 'pay' end`
