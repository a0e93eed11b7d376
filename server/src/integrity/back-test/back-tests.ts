// Back-tests for people: asked for, listed, and their sums.
import { sql } from 'kysely'
import type { BackTest, BackTestSum } from '@tollgate/contract/integrity/back-tests.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Audit } from '../../audit/index.ts'
import type { Caller } from '../../http/handlers.ts'
import { row, rows, type Db } from '../../platform/db.ts'
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

interface TestRow {
  readonly id: string
  readonly version_id: number
  readonly from_day: string
  readonly until_day: string
  readonly made_by: string
  readonly made_at: Date
  readonly is_done: boolean
  readonly judged: number
  readonly days: number
}

interface SumRow {
  readonly back_test_id: string
  readonly rule: string
  readonly clients: number
  readonly messages: string
  readonly amount_micro: string
  readonly earned_micro: string
  readonly refused_micro: string
  readonly released_micro: string
}

/** The last ones, each with its sums by rule. */
export async function listBackTests(db: Db): Promise<BackTest[]> {
  const tests = await rows<TestRow>(
    db,
    sql`select b.id, b.version_id, b.from_day::text as from_day, b.until_day::text as until_day, u.username as made_by,
          b.made_at, b.done_at is not null as is_done, d.judged, d.days
        from back_tests b join users u on u.id = b.made_by cross join lateral (
          select count(*)::int as days, count(*) filter (where b.done_at is not null
            or (day, client_id) <= (b.judged_day, b.judged_client))::int as judged
          from client_days where day between b.from_day and b.until_day
        ) d order by b.id desc limit ${listedMax}::int`,
  )
  const sums = await rows<SumRow>(
    db,
    sql`select back_test_id, rule, count(*) filter (where message_count > 0)::int as clients,
          sum(message_count)::bigint as messages, sum(amount_micro)::bigint as amount_micro,
          sum(earned_micro)::bigint as earned_micro, sum(refused_micro)::bigint as refused_micro,
          sum(released_micro)::bigint as released_micro
        from back_test_sums where back_test_id = any(${tests.map(({ id }) => id)}::bigint[])
        group by 1, 2 order by 1, 5 desc, 2`,
  )
  return tests.map((test) => {
    const own = sums.filter(({ back_test_id: id }) => id === test.id)
    const all = own.find(({ rule }) => rule === '')
    return {
      id: test.id,
      versionId: test.version_id,
      fromDay: test.from_day,
      untilDay: test.until_day,
      madeBy: test.made_by,
      madeAt: test.made_at.toISOString(),
      isDone: test.is_done,
      judgedCount: test.judged,
      dayCount: test.days,
      held: heldOf(all),
      earnedUsd: formatMicro(BigInt(all?.earned_micro ?? 0), 2),
      rules: own
        .filter(({ rule }) => rule !== '')
        .map((each) => ({ rule: each.rule, clientCount: each.clients, ...heldOf(each) })),
    }
  })
}

type HeldRow = Pick<SumRow, 'messages' | 'amount_micro' | 'refused_micro' | 'released_micro'>

const heldOf = (of: HeldRow | undefined) => ({
  messageCount: Number(of?.messages ?? 0),
  amountUsd: formatMicro(BigInt(of?.amount_micro ?? 0), 2),
  refusedUsd: formatMicro(BigInt(of?.refused_micro ?? 0), 2),
  releasedUsd: formatMicro(BigInt(of?.released_micro ?? 0), 2),
})

interface ClientRow extends HeldRow {
  readonly client_id: number
  readonly username: string
  readonly rule: string
  readonly senders: string
  readonly earned_micro: string
}

/** What it would have held of each client, by rule; clients without any are left out. Throws Refusal not_found. */
export async function listBackTestClients(db: Db, id: string): Promise<BackTestSum[]> {
  const known = await row(db, sql`select from back_tests where id = ${id}::bigint`)
  if (known === undefined) throw new Refusal('not_found', 'There is no such back-test.')
  const found = await rows<ClientRow>(
    db,
    sql`select s.client_id, u.username, s.rule, s.sender_count as senders, s.message_count as messages, s.amount_micro,
          s.earned_micro, s.refused_micro, s.released_micro
        from back_test_sums s join users u on u.id = s.client_id
        where s.back_test_id = ${id}::bigint and s.message_count > 0
        order by s.amount_micro desc, s.client_id, s.rule limit ${clientsMax}::int`,
  )
  return found.map((each) => ({
    userId: each.client_id,
    userName: each.username,
    rule: each.rule,
    senderCount: Number(each.senders),
    earnedUsd: formatMicro(BigInt(each.earned_micro), 2),
    ...heldOf(each),
  }))
}
