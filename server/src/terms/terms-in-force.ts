// The terms in force of many clients as one table expression, so that a close reads them in its own statement.
import { sql, type RawBuilder } from 'kysely'
import { newcomerBills } from '@tollgate/contract/terms/terms.ts'
import type { DefaultTerms } from './settings.ts'

// The kept share of a client without terms of its own is 0, so the days say nothing until somebody sets a share.
const reserveDaysUsual = 90

/**
 * Columns user_id, is_own, is_newcomer, numbers_max, sms_per_day_max, value_per_cycle_max_micro, payable_after_days,
 * reserve_percent and reserve_days of the users `u` that fit. A client is a newcomer until it has three periods before
 * `beforeCycle` that were billed or came to payouts; a void bill is none.
 */
export function termsInForce(
  defaults: DefaultTerms,
  fits: RawBuilder<unknown>,
  beforeCycle: RawBuilder<unknown> = sql`2147483647`,
): RawBuilder<unknown> {
  const own = (column: string, newcomer: RawBuilder<unknown>) =>
    sql`case when t.id is not null then t.${sql.ref(column)} when b.count < ${newcomerBills} then ${newcomer} end as ${sql.ref(column)}`
  return sql`(
    select u.id as user_id, t.id is not null as is_own, b.count < ${newcomerBills} as is_newcomer,
      ${own('numbers_max', sql`nullif(${defaults.numbersMax}::int, 0)`)},
      ${own('sms_per_day_max', sql`nullif(${defaults.smsPerDayMax}::bigint, 0)`)},
      ${own('value_per_cycle_max_micro', sql`nullif(${defaults.valuePerCycleMaxMicro}::bigint, 0)`)},
      coalesce(t.payable_after_days, case when b.count < ${newcomerBills}
        then greatest(${defaults.newcomerDays}::int, ${defaults.payableAfterDays}::int)
        else ${defaults.payableAfterDays}::int end) as payable_after_days,
      coalesce(t.reserve_percent, 0) as reserve_percent,
      coalesce(t.reserve_days, ${reserveDaysUsual}::int) as reserve_days
    from users u
    left join lateral (
      select * from client_terms c where c.user_id = u.id order by c.id desc limit 1
    ) t on true
    cross join lateral (
      select count(*)::int as count from (
        select p.cycle_id from billing_periods p
          where p.user_id = u.id and p.cycle_id < ${beforeCycle} and p.status <> 'void'
        union select o.cycle_id from payouts o where o.user_id = u.id and o.cycle_id < ${beforeCycle}
        limit ${newcomerBills}
      ) periods
    ) b
    where ${fits}
  )`
}
