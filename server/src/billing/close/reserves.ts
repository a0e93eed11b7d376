// The rolling reserve: a share of each bill stays here for some time, by the terms of the client. It is taken off before
// the bill is made, and comes into the bill of the cycle that is open when its time is over. Ledger:
//
//   kept          payable ─► reserved, in the bill's cycle
//   released      reserved (the bill's cycle) ─► payable (the open cycle)
import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { termsInForce, type DefaultTerms } from '../../terms/index.ts'
import type { BillingDeps } from '../deps.ts'
import type { AccountSpan } from '../rules.ts'
import { cycleSums } from './cycle-sums.ts'
import { isLeftOut, within } from './insert-bills.ts'
import type { ClosedCycle } from './store.ts'

/** Notes what is kept of the bills of a span, before they are made. What was released into the cycle is not kept again. */
export async function insertReserves(
  tx: Db,
  { id: cycleId, closedAt }: ClosedCycle,
  span: AccountSpan,
  terms: DefaultTerms,
): Promise<void> {
  const cycle = sql`${cycleId}::int`
  const limited = termsInForce(
    terms,
    sql`u.id between ${span.from}::int and ${span.to}::int and exists (select from client_terms c where c.user_id = u.id)`,
    cycle,
  )
  await sql`insert into reserves (cycle_id, user_id, amount_micro, release_at)
    select ${cycle}, user_id, kept_micro, ${closedAt}::timestamptz + reserve_days * interval '24 hours'
    from (
      select user_id, t.reserve_days,
        floor((total_micro - coalesce(released_micro, 0))::numeric * t.reserve_percent / 100)::bigint as kept_micro
      from ${cycleSums(cycle)} sums join ${limited} t using (user_id)
      left join (
        select user_id, sum(amount_micro) as released_micro from ledger_lines
        where cycle_id = ${cycle} and kind = 'reserve_release' and account = 'payable' group by user_id
      ) released using (user_id)
      where t.reserve_percent > 0 and total_micro > 0 and ${within(span)} and not ${isLeftOut(cycleId)}
    ) kept where kept_micro > 0`.execute(tx)
}

/** The ledger lines of a span's new reserves. */
export function reserveEntries(cycleId: number, span: AccountSpan): RawBuilder<unknown> {
  return sql`select cycle_id, user_id, side.account, side.sign * amount_micro as amount_micro, 1 as settlement,
      'reserve' as kind, cycle_id || '-' || user_id as reference
    from reserves cross join (values ('payable', -1), ('reserved', 1)) side (account, sign)
    where cycle_id = ${cycleId}::int and ${within(span)} and not ${isLeftOut(cycleId)}`
}

const releasedPerStep = 500

/** Releases the reserves whose time has come. May run twice and on several nodes: each is marked in the step that posts it. */
export async function releaseReserves(
  { db, clock, ledger }: BillingDeps,
  signal?: AbortSignal,
): Promise<void> {
  for (let count = releasedPerStep; count === releasedPerStep && signal?.aborted !== true;)
    count = await transaction(db, async (tx) => {
      // The gate comes before any row lock, as everywhere.
      const open = await ledger.holdOpenCycle(tx)
      const released = await rows<{ cycle_id: number; user_id: number }>(
        tx,
        sql`update reserves set released_at = ${clock.now()}, released_cycle_id = ${open.id}
            where (cycle_id, user_id) in (
              select cycle_id, user_id from reserves where released_at is null and release_at <= ${clock.now()}
              order by cycle_id, user_id limit ${releasedPerStep} for update skip locked
            ) returning cycle_id, user_id`,
      )
      if (released.length > 0)
        await ledger.postRows(
          tx,
          sql`select side.cycle_id, r.user_id, side.account, side.amount_micro, 1 as settlement, 'reserve_release' as kind,
                r.cycle_id || '-' || r.user_id as reference
              from unnest(${released.map((each) => each.cycle_id)}::int[], ${released.map((each) => each.user_id)}::int[])
                as due (cycle_id, user_id) join reserves r using (cycle_id, user_id)
              cross join lateral (values (r.cycle_id, 'reserved', -r.amount_micro), (${open.id}::int, 'payable', r.amount_micro))
                side (cycle_id, account, amount_micro)`,
        )
      return released.length
    })
}

const listedMax = 100

/** What is kept of a client now, by the day of its release. */
export async function keptReserves(db: Db, userId: number) {
  const found = await db
    .selectFrom('reserves')
    .select(['cycle_id', 'amount_micro', 'release_at'])
    .where('user_id', '=', userId)
    .where('released_at', 'is', null)
    .orderBy('release_at')
    .orderBy('cycle_id')
    .limit(listedMax)
    .execute()
  return found.map(({ cycle_id: cycleId, amount_micro: micro, release_at: at }) => ({
    periodId: `${cycleId}-${userId}`,
    amount: formatMicro(BigInt(micro), 2),
    releaseAt: at.toISOString(),
  }))
}
