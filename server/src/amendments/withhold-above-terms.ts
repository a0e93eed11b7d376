// A bill of a client who received more than its terms allow waits for a person. Its messages are stored and priced as
// ever: a limit that refused them would lose traffic that the network has taken already.
import { sql } from 'kysely'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { systemActor } from '../audit/index.ts'
import {
  announceChange,
  mailAmendment,
  setWithheld,
  type AccountSpan,
  type BillingDeps,
} from '../billing/index.ts'
import { rows, type Db } from '../platform/db.ts'
import { termsInForce } from '../terms/index.ts'
import { amendmentOf, record } from './amend.ts'
import { insertAmendment, setDecision } from './amendment-store.ts'

interface AboveRow {
  readonly user_id: number
  /** The day with the most messages, of those above the limit; null where no day is above it. */
  readonly day: string | null
  readonly sms_count: string | null
  readonly sms_per_day_max: string | null
  readonly value_micro: string
  readonly value_per_cycle_max_micro: string | null
}

/**
 * Withholds the new bills of a closed cycle that are above the terms of their clients, of a span of clients. A day counts in
 * the cycle in which it ends.
 */
export async function withholdAboveTerms(
  tx: Db,
  deps: BillingDeps,
  cycleId: number,
  span: AccountSpan,
): Promise<void> {
  const at = deps.clock.now()
  for (const above of await findAbove(tx, deps, cycleId, span)) {
    const bill = { cycleId, userId: above.user_id }
    const reason = reasonOf(above)
    const id = await insertAmendment(tx, {
      cycle_id: cycleId,
      user_id: above.user_id,
      kind: 'withhold',
      reason,
      client_reason: reason,
      requested_at: at,
      acceptable_from: at,
    })
    await setDecision(tx, id, { status: 'done', by: null, at, reason: '' })
    await setWithheld(tx, bill, at)
    await record(tx, deps, bill, await amendmentOf(tx, id), { actor: systemActor, ip: '' }, 'do')
    await mailAmendment(tx, deps, id)
    await announceChange(tx, deps, { kind: 'period', ...bill })
  }
}

async function findAbove(
  tx: Db,
  { terms }: BillingDeps,
  cycleId: number,
  { from, to }: AccountSpan,
): Promise<AboveRow[]> {
  const limited = termsInForce(
    await terms.defaults(tx),
    sql`u.id in (select b.user_id from billing_periods b
      where b.cycle_id = ${cycleId}::int and b.user_id between ${from}::int and ${to}::int)`,
    sql`${cycleId}::int`,
  )
  return rows<AboveRow>(
    tx,
    sql`select t.user_id, d.day::text, d.sms_count::text, t.sms_per_day_max, v.value_micro::text, t.value_per_cycle_max_micro
        from ${limited} t
        join cycles c on c.id = ${cycleId}::int
        cross join lateral (
          select coalesce(sum(s.amount_micro), 0) as value_micro from record_cycles s
          where s.client_id = t.user_id and s.cycle_id = c.id and t.value_per_cycle_max_micro is not null
        ) v
        left join lateral (
          select day, sum(record_count) as sms_count from (
            select k.day, k.record_count from record_day_counters k
            where k.client_id = t.user_id and k.range_id = -1 and k.gateway_id = -1
              and k.day >= (c.starts_at at time zone 'UTC')::date and k.day < (c.ends_at at time zone 'UTC')::date
            union all
            select (b.hour at time zone 'UTC')::date, b.record_count from buffered_counters b
            where b.client_id = t.user_id and b.hour >= date_trunc('day', c.starts_at, 'UTC')
              and b.hour < date_trunc('day', c.ends_at, 'UTC')
          ) days group by day having sum(record_count) > t.sms_per_day_max order by sms_count desc limit 1
        ) d on t.sms_per_day_max is not null
        where d.day is not null or v.value_micro > t.value_per_cycle_max_micro
        order by t.user_id`,
  )
}

function reasonOf(above: AboveRow): string {
  if (above.day !== null)
    return keptText('Above the terms: {count} SMS on {day}, at most {max} a day', {
      count: Number(above.sms_count),
      day: above.day,
      max: Number(above.sms_per_day_max),
    })
  return keptText('Above the terms: {amount} USDT in the period, at most {limit}', {
    amount: formatMicro(BigInt(above.value_micro), 2),
    limit: formatMicro(BigInt(above.value_per_cycle_max_micro ?? 0), 2),
  })
}
