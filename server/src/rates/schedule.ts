// Rates that start at a chosen time. They wait in a table of their own and join the price history shortly before they
// start, so that a message is priced by its own time to the millisecond, and a waiting rate can still be cancelled.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { ScheduledRate } from '@tollgate/contract/rates/rates.ts'
import { changeCatalog, setOwnPrice, startAhead } from '../numbers/index.ts'
import { row, type Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import type { RatesDeps } from './deps.ts'
import { appendRate, globalScope, latestRate, scopeIds, type RateScope } from './store.ts'

// How long before its start a rate joins the history: every node must have read it by then.
const leadMs = 5_000

interface ToSchedule {
  readonly rateMicro: bigint | null
  readonly startsAt: string
  readonly now: Date
  readonly setBy: number
}

/**
 * Has a rate start later; it replaces one that waits for the same scope. Throws Refusal invalid with `fields.startsAt` when
 * the time is less than a minute or more than a year ahead of `now`.
 */
export async function scheduleRate(
  tx: Db,
  scope: RateScope,
  { rateMicro, startsAt, now, setBy }: ToSchedule,
): Promise<void> {
  const start = startAhead(startsAt, now)
  const { userId, numberId } = scopeIds(scope)
  await sql`insert into scheduled_rates (user_id, number_id, rate_micro, starts_at, set_by)
    values (${userId}, ${numberId}, ${rateMicro}, ${start}, ${setBy})
    on conflict (user_id, number_id) do update set rate_micro = excluded.rate_micro, starts_at = excluded.starts_at,
      set_by = excluded.set_by, created_at = clock_timestamp()`.execute(tx)
}

/** Throws Refusal wrong_state when a scheduled rate has joined the history and is about to start. */
export async function refuseBeforeStart(tx: Db, now: Date, scope: RateScope): Promise<void> {
  const latest = await latestRate(tx, scope)
  if (latest !== undefined && latest.valid_from > now)
    throw new Refusal(
      'wrong_state',
      'A scheduled rate starts in a few seconds. Try again after it has started.',
    )
}

/** The rates that wait for these clients, by client; with null among them also the global one. */
export async function scheduledRates(
  db: Db,
  userIds: readonly (number | null)[],
): Promise<ReadonlyMap<number | null, ScheduledRate>> {
  const found = await db
    .selectFrom('scheduled_rates as s')
    .innerJoin('users as u', 'u.id', 's.set_by')
    .select(['s.user_id', 's.rate_micro', 's.starts_at', 'u.username as set_by'])
    .where(
      sql<boolean>`s.user_id = any(${userIds.filter((id) => id !== null)}::int[])
        or (s.user_id is null and s.number_id is null and ${userIds.includes(null)})`,
    )
    .execute()
  return new Map(
    found.map(({ user_id: userId, rate_micro: micro, starts_at: at, set_by: setBy }) => [
      userId,
      { rate: micro === null ? '' : formatMicro(BigInt(micro), 2), startsAt: at.toISOString(), setBy },
    ]),
  )
}

/** Removes the rate that waits for a scope; false when none did. */
export async function dropScheduled(tx: Db, scope: RateScope): Promise<boolean> {
  const { userId, numberId } = scopeIds(scope)
  const { numDeletedRows } = await tx
    .deleteFrom('scheduled_rates')
    .where('user_id', 'is not distinct from', userId)
    .where('number_id', 'is not distinct from', numberId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Cancels the rate that waits for a client, or the global one. Throws Refusal not_found when none waits, and forbidden for
 * the caller's own account: a lower rate may wait.
 */
export async function cancelScheduledRate(
  { db, audit, refuseOwnAccount }: Pick<RatesDeps, 'db' | 'audit' | 'refuseOwnAccount'>,
  userId: number | undefined,
  { actor, ip }: Caller,
): Promise<undefined> {
  await transaction(db, async (tx) => {
    if (userId !== undefined) await refuseOwnAccount(tx, [{ userId }], actor)
    const waiting = (await scheduledRates(tx, [userId ?? null])).get(userId ?? null)
    const scope: RateScope = userId === undefined ? globalScope : { scope: 'user', userId }
    if (!(await dropScheduled(tx, scope)))
      throw new Refusal('not_found', 'No rate waits: it has started, or was cancelled.')
    await audit.record(tx, {
      actor,
      ip,
      action: 'rate.cancel_scheduled',
      objectType: userId === undefined ? 'setting' : 'user',
      objectId: userId === undefined ? 'global_sms_rate' : String(userId),
      before: { rate: waiting?.rate, startsAt: waiting?.startsAt },
    })
  })
  return undefined
}

/**
 * Moves the rates that start within the next five seconds into the history. One that is late, because no gateway ran at its
 * start, starts now: records that exist keep their price.
 */
export async function startDueRates(db: Db): Promise<void> {
  const due = sql<boolean>`starts_at <= clock_timestamp() + make_interval(secs => ${leadMs / 1000})`
  // Without one, the gate stays open: this runs each second.
  if ((await row(db, sql`select 1 from scheduled_rates where ${due} limit 1`)) === undefined) return
  await transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const starting = await tx.deleteFrom('scheduled_rates').where(due).returningAll().execute()
    for (const each of starting) {
      const validFrom = each.starts_at > change.now ? each.starts_at : change.now
      const rateMicro = each.rate_micro === null ? null : BigInt(each.rate_micro)
      if (each.number_id !== null) await setOwnPrice(tx, change, each.number_id, rateMicro)
      const scope = scopeOf(each)
      await appendRate(tx, scope, { rateMicro, validFrom, setBy: each.set_by })
    }
  })
}

function scopeOf(row: { readonly user_id: number | null; readonly number_id: number | null }): RateScope {
  if (row.number_id !== null) return { scope: 'number', numberId: row.number_id }
  return row.user_id === null ? globalScope : { scope: 'user', userId: row.user_id }
}
