// Holds on a real ledger: what is held leaves what is payable, comes back by a release, and is given up by a refusal.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { sentence } from '@tollgate/contract/sentences.ts'
import { holdCause, newestRecord, openTestBilling } from '../../test/money/billing.ts'
import { row, rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { LedgerChecker } from '../ledger/index.ts'
import { messageIdOf } from '../ingest/index.ts'
import { holdSteps } from './index.ts'

const environment = await openTestBilling()
const { db, call, traffic, integrity, closeCycle, billing } = environment
await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
await sql`insert into gateways (source, name) values (0, 'acme')`.execute(db)

const reason = 'checked with the supplier'

/** One record of this client that is held, and the id of its hold. */
const held = (amountMicro = 50_000, client = 1, number = 1) =>
  environment.held({ client, number, amountMicro })

const decide = (userId: number, id: string, verb: 'release' | 'confirm', body: object = { reason }) =>
  call(userId, 'PUT', `/api/holds/${id}/${verb}`, { body })
const openTotal = async (client = 1) => {
  const [period] = (await call(client, 'GET', '/api/billing/periods')).body
  return [period.totalSmsCount, period.totalCost]
}
async function account(name: string, client = 1): Promise<string> {
  const found = await row<{ sum: string }>(
    db,
    sql`select coalesce(sum(amount_micro), 0)::text as sum from ledger_entries
        where account = ${name} and user_id = ${client}`,
  )
  return found?.sum ?? ''
}

beforeEach(async () => {
  // Each test begins a cycle of its own, with nothing in it.
  await traffic({ client: 3, number: 2, count: 1, amountMicro: 50_000 })
  await closeCycle()
})

test('what is held is in no bill, and what is released in its own period counts as if it had never been', async () => {
  await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
  const { id } = await held()
  expect(await openTotal()).toEqual([2, '0.10'])
  expect(await account('held')).toBe('50000')
  const released = await decide(4, id, 'release')
  expect([released.status, released.body]).toEqual([
    200,
    expect.objectContaining({ status: 'released', decidedBy: 'u4', decisionReason: reason }),
  ])
  expect(await openTotal()).toEqual([3, '0.15'])
  expect(await account('held')).toBe('0')
  const { id: cycleId } = await closeCycle()
  const [, bill] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([bill.totalSmsCount, bill.totalCost]).toEqual([3, '0.15'])
  const lines = (await call(1, 'GET', `/api/billing/periods/${cycleId}-1/lines`)).body
  expect(lines.map((line: Record<string, unknown>) => [line['number'], line['amount']])).toEqual([
    ['447700000001', '0.15'],
  ])
})

test.each([
  ['the bill', 1],
  ['a payout', 3],
])(
  'what is released after its period closed is paid in the open one: of a number in %s',
  async (_, number) => {
    const { id, key } = await held(500_000, 1, number)
    const { id: heldCycleId } = await closeCycle()
    expect(await openTotal()).toEqual([0, '0.00'])
    expect((await decide(4, id, 'release')).status).toBe(200)
    expect(await openTotal()).toEqual([0, '0.50'])
    const { id: cycleId } = await closeCycle()
    const lines = (await call(1, 'GET', `/api/billing/periods/${cycleId}-1/lines`)).body
    expect(lines).toMatchObject([
      {
        number: '',
        amount: '0.50',
        reason: 'Released after review: 1 SMS of earlier periods',
        messages: [
          {
            id: messageIdOf(key),
            number: `44770000000${number}`,
            amount: '0.50',
            heldIn: `${heldCycleId}-1`,
          },
        ],
      },
    ])
    expect(await account('held')).toBe('0')
  },
)

test.each([
  ['before', 1],
  ['after', 1],
  ['before', 3],
  ['after', 3],
])('what is refused %s its period closed is never paid, of number %i', async (when, number) => {
  const owed = () =>
    row(db, sql`select coalesce(sum(total_micro), 0)::text as sum from billing_periods where user_id = 1`)
  const before = await owed()
  const { id } = await held(500_000, 1, number)
  if (when === 'after') await closeCycle()
  expect((await decide(4, id, 'confirm')).body.status).toBe('confirmed')
  expect(await account('held')).toBe('0')
  expect(await openTotal()).toEqual([0, '0.00'])
  await closeCycle()
  await closeCycle()
  expect(await openTotal()).toEqual([0, '0.00'])
  expect(await owed()).toEqual(before)
  expect((await decide(5, id, 'release')).status).toBe(409)
})

test('of ten that decide at once one wins, and the money moves once', async () => {
  const { id } = await held()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      decide(index % 2 === 0 ? 4 : 5, id, index % 3 === 0 ? 'confirm' : 'release'),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
  expect(await account('held')).toBe('0')
})

test('no reason, an unknown hold, a stranger: nothing is decided', async () => {
  const { id } = await held()
  expect((await decide(4, id, 'release', { reason: ' ' })).status).toBe(400)
  expect((await decide(4, id, 'confirm', {})).status).toBe(400)
  expect((await decide(4, '999999', 'release')).status).toBe(404)
  expect((await decide(1, id, 'release')).status).toBe(403)
  expect((await call(1, 'GET', '/api/holds')).status).toBe(403)
  const both = { ids: [id, '999999'], action: 'release', reason }
  expect((await call(4, 'POST', '/api/holds/decide', { body: both })).status).toBe(404)
  expect((await call(4, 'GET', '/api/holds?status=open')).body[0]).toMatchObject({ id, status: 'open' })
  expect((await decide(4, id, 'release')).status).toBe(200)
})

test('above the limit a second person says the same, also when the sum of many is above it', async () => {
  const { id } = await held(150_000_000)
  const first = await decide(4, id, 'release')
  expect([first.status, first.body.status, first.body.asked]).toEqual([
    200,
    'open',
    expect.objectContaining({ action: 'release', by: 'u4', reason }),
  ])
  expect(await openTotal()).toEqual([0, '0.00'])
  expect((await decide(4, id, 'release')).status).toBe(409)
  // Somebody who says the opposite asks anew, for the first one to agree with.
  expect((await decide(5, id, 'confirm')).body.asked).toMatchObject({ action: 'confirm', by: 'u5' })
  expect((await decide(6, id, 'confirm')).body).toMatchObject({ status: 'confirmed', decidedBy: 'u6' })

  const ids = [(await held(60_000_000)).id, (await held(60_000_000)).id]
  const many = (userId: number, given = ids) =>
    call(userId, 'POST', '/api/holds/decide', { body: { ids: given, action: 'release', reason } })
  expect((await many(4)).body.map(({ status }: { status: string }) => status)).toEqual(['open', 'open'])
  // Nor one by one: the requester of the whole cannot approve a part.
  expect((await many(4, ids.slice(0, 1))).status).toBe(409)
  expect((await many(5)).body.map(({ status }: { status: string }) => status)).toEqual([
    'released',
    'released',
  ])
  expect(await openTotal()).toEqual([2, '120.00'])
})

test('many at once carry one key, and repeat harmlessly', async () => {
  const ids = [(await held()).id, (await held()).id, (await held()).id]
  const body = { ids, action: 'release', reason }
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() =>
      call(4, 'POST', '/api/holds/decide', { body, headers: { 'idempotency-key': 'bulk' } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await openTotal()).toEqual([3, '0.15'])
  const audited = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries where object_type = 'hold' and object_id = any(${ids})`,
  )
  expect(audited.map(({ action }) => action)).toEqual(['hold.release', 'hold.release', 'hold.release'])
})

test('the list shows each held record beside the one it repeats, and finds them by client and number', async () => {
  await traffic({ client: 2, number: 2, count: 1, amountMicro: 50_000 })
  const original = await newestRecord(db)
  const { id, key } = await held(50_000, 2, 2)
  await sql`insert into duplicate_records values (${key.recordId}, ${new Date(key.createdAtMs)},
    ${original.recordId}, ${new Date(original.createdAtMs)})`.execute(db)
  for (const query of ['search=u2&status=open', 'search=%2B44 7700 000002&limit=1']) {
    const [found] = (await call(4, 'GET', `/api/holds?${query}`)).body
    expect(found).toMatchObject({
      id,
      userName: 'u2',
      number: '447700000002',
      rule: 'duplicate',
      explanation: 'The same message came on 2026-11-19 08:30 UTC.',
      explanationWords: [holdCause.explanation],
      amountUsd: '0.05',
      messageIds: [messageIdOf(key)],
      records: [{ messageId: messageIdOf(key), gateway: 'acme' }],
      original: { messageId: messageIdOf(original) },
    })
  }
  expect((await call(4, 'GET', '/api/holds?search=nobody')).body).toEqual([])
  const record = { id: key.recordId, createdAt: new Date(key.createdAtMs) }
  const [own] = await holdSteps(db, record, { userId: 2, role: 'user' })
  expect(own?.title).toEqual(sentence('Held for review'))
  // What made it suspicious would teach how not to be.
  expect(JSON.stringify(own?.detail)).not.toContain('same message')
  expect(await holdSteps(db, record, { userId: 1, role: 'user' })).toEqual([])
  await decide(4, id, 'confirm')
  const steps = await holdSteps(db, record, { userId: 4, role: 'support' })
  expect(steps.map(({ step }) => step)).toEqual(['held', 'withheld'])
})

test('a record that nobody earns by has nothing to hold, and the ledger balances after all of this', async () => {
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  const key = await newestRecord(db)
  await sql`update records set client_id = null where id = ${key.recordId}`.execute(db)
  expect(await transaction(db, (tx) => integrity.hold(tx, key, holdCause))).toBeUndefined()
  await sql`update records set client_id = 1 where id = ${key.recordId}`.execute(db)
  await billing.watchLedger()
  const findings = await new LedgerChecker(db).run()
  expect([findings?.sumMicro, findings?.breaks]).toEqual([0n, []])
  expect((await call(4, 'GET', '/api/billing/parked')).body).toEqual([])
})
