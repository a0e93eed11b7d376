// Back-tests for people: asked for, listed, and their sums.
import { sql } from 'kysely'
import type { BackTest, BackTestSum } from '@tollgate/contract/integrity/back-tests.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit } from '../../audit/index.ts'
import type { Caller } from '../../http/handlers.ts'
import { replyRows } from '../../http/reply.ts'
import { row, type Db } from '../../platform/db.ts'
import { findVersion } from '../versions/versions.ts'
import { lastFrozenDay } from './run-back-tests.ts'

const waitingMax = 5
const listedMax = 20
const clientsMax = 500

/** Asks for a back-test. Throws Refusal not_found for the version, and too_many while several wait. */
export async function addBackTest(
  tx: Db,
  { audit, now }: { readonly audit: Pick<Audit, 'record'>; readonly now: Date },
  { versionId, days }: { readonly versionId: number; readonly days: number },
  by: Caller,
): Promise<BackTest> {
  await findVersion(tx, versionId)
  const waiting = await row<{ count: number }>(
    tx,
    sql`select count(*)::int as count from back_tests where done_at is null`,
  )
  if ((waiting?.count ?? 0) >= waitingMax)
    throw new Refusal('too_many', 'Other back-tests are waiting. Try again when they are done.', {
      retryAfterSeconds: 60,
    })
  const untilDay = lastFrozenDay(now)
  const made = await row<{ id: string }>(
    tx,
    sql`insert into back_tests (version_id, from_day, until_day, made_by, made_at)
        values (${versionId}::int, ${untilDay}::date - ${days - 1}::int, ${untilDay}::date, ${by.actor.userId}, ${now}) returning id`,
  )
  const id = made?.id ?? ''
  await audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: 'back_test.create',
    objectType: 'back_test',
    objectId: id,
    after: { version: versionId, days },
  })
  const found = (await listBackTests(tx)).find((each) => each.id === id)
  if (found === undefined) throw new Error('The back-test did not come back')
  return found
}

type HeldSums = BackTest['held'] & { readonly rule: string; readonly earnedUsd: string }

const heldColumns = sql`s.earned_micro as earned_usd_micro, s.amount_micro as amount_usd_micro,
  s.refused_micro as refused_usd_micro, s.released_micro as released_usd_micro`

/** The last ones, each with its sums by rule. */
export async function listBackTests(db: Db): Promise<BackTest[]> {
  const tests = await replyRows<Omit<BackTest, 'held' | 'earnedUsd' | 'rules'>>(
    db,
    sql`select b.id, b.version_id, b.from_day::text as from_day, b.until_day::text as until_day, u.username as made_by,
          b.made_at, b.done_at is not null as is_done, d.judged as judged_count, d.days as day_count
        from back_tests b join users u on u.id = b.made_by cross join lateral (
          select count(*)::int as days, count(*) filter (where b.done_at is not null
            or (day, client_id) <= (b.judged_day, b.judged_client))::int as judged
          from client_days where day between b.from_day and b.until_day
        ) d order by b.id desc limit ${listedMax}::int`,
  )
  const sums = await replyRows<HeldSums & { readonly backTestId: string; readonly clientCount: number }>(
    db,
    sql`select s.back_test_id, s.rule, s.clients as client_count, s.messages::float8 as message_count, ${heldColumns}
        from (
          select back_test_id, rule, count(*) filter (where message_count > 0)::int as clients,
            sum(message_count)::bigint as messages, sum(amount_micro)::bigint as amount_micro,
            sum(earned_micro)::bigint as earned_micro, sum(refused_micro)::bigint as refused_micro,
            sum(released_micro)::bigint as released_micro
          from back_test_sums where back_test_id = any(${tests.map(({ id }) => id)}::bigint[]) group by 1, 2
        ) s order by s.back_test_id, s.amount_micro desc, s.rule`,
  )
  return tests.map((test) => {
    const own = sums.filter(({ backTestId }) => backTestId === test.id)
    const all = own.find(({ rule }) => rule === '')
    return {
      ...test,
      held: heldOf(all),
      earnedUsd: all?.earnedUsd ?? '0.00',
      rules: own
        .filter(({ rule }) => rule !== '')
        .map((each) => ({ rule: each.rule, clientCount: each.clientCount, ...heldOf(each) })),
    }
  })
}

const heldOf = (of: HeldSums | undefined): BackTest['held'] => ({
  messageCount: of?.messageCount ?? 0,
  amountUsd: of?.amountUsd ?? '0.00',
  refusedUsd: of?.refusedUsd ?? '0.00',
  releasedUsd: of?.releasedUsd ?? '0.00',
})

/** What it would have held of each client, by rule; clients without any are left out. Throws Refusal not_found. */
export async function listBackTestClients(db: Db, id: string): Promise<BackTestSum[]> {
  const known = await row(db, sql`select from back_tests where id = ${id}::bigint`)
  if (known === undefined) throw new Refusal('not_found', 'There is no such back-test.')
  return replyRows(
    db,
    sql`select s.client_id as user_id, u.username as user_name, s.rule, s.sender_count::float8 as sender_count,
          s.message_count::float8 as message_count, ${heldColumns}
        from back_test_sums s join users u on u.id = s.client_id
        where s.back_test_id = ${id}::bigint and s.message_count > 0
        order by s.amount_micro desc, s.client_id, s.rule limit ${clientsMax}::int`,
  )
}
