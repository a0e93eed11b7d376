import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestApi } from '../../../test/http/api.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { afterUse, openTestDatabase } from '../../../test/environment/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { execute, row, rows } from '../../platform/db.ts'
import { changeCatalog } from '../../numbers/index.ts'
import { transaction } from '../../platform/transaction.ts'
import { loadPricing } from '../../rates/index.ts'
import { readUnowned } from '../../records/index.ts'
import { makeBusiness, makeIngest } from '../../ingest/testing/traffic.ts'
import { createSimulator } from './create-simulator.ts'

const { db } = await openTestDatabase()
// Client 2 holds the first and the third number, client 1 the others; nobody holds the last.
const [own = '', foreign = '', taken = '', , unheld = ''] = await makeBusiness(db, { clients: 2, numbers: 5 })
await sql`insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
  values (100, 'help', 'h@example.org', 'H', 'H', 'x', 'support')`.execute(db)
const pricing = await loadPricing(db)
const ingest = await makeIngest(db, { pricing, hasDelivery: (clientId) => clientId === 2 })
afterUse(() => ingest.stop())
const simulator = createSimulator({
  db,
  audit: createTestAudit({ db, clock: systemClock }),
  messages: ingest,
  pricing,
})
const api = await openTestApi(simulator.routes)
const support = api.signIn({ userId: 100, username: 'help', role: 'support' })
const client = api.signIn({ userId: 2, username: 'client2', role: 'user' })
const send = (cookie: string, to: string, over: object = {}, headers = {}) =>
  api.call('POST', '/api/simulator/messages', {
    cookie,
    body: { from: '+447700900318', to, text: 'VOTE 3', ...over },
    headers,
  })
const stored = () =>
  rows<Record<string, unknown>>(
    db,
    sql`select n.number, r.sender, r.amount_micro::int as amount, r.bill_micro::int as bill, r.sms_count as sms,
          r.settlement, r.status, r.client_id as client, g.name as gateway, g.source, g.alias
        from records r join numbers n on n.id = r.number_id join gateways g on g.id = r.gateway_id order by r.id`,
  )

beforeEach(() => execute(db, 'delete from rate_uses'))

test('a test message is stored and handed on as any other, and earns nobody anything', async () => {
  const before = (await stored()).length
  const sent = await send(support, own)
  expect([sent.status, sent.body]).toEqual([
    201,
    { messageId: expect.any(String), client: 'client2', price: { usdPerSms: '0.050', from: 'global' } },
  ])
  const unowned = await send(support, `+${unheld}`)
  expect([unowned.status, unowned.body.client, unowned.body.price]).toEqual([201, '', null])
  const nothing = {
    amount: 0,
    bill: 0,
    sms: 0,
    settlement: 0,
    gateway: 'Simulator',
    source: 3,
    alias: 'Simulator',
  }
  expect((await stored()).slice(before)).toMatchObject([
    // Waits to be delivered to client 2.
    { ...nothing, number: own, sender: '447700900318', client: 2, status: 0 },
    { ...nothing, number: unheld, client: null },
  ])
  const posted = await row<{ lines: number; batches: number; counted: number }>(
    db,
    sql`select (select count(*)::int from ledger_lines) as lines, (select count(*)::int from ledger_batches) as batches,
          (select count(*)::int from records where amount_micro <> 0 or settlement <> 0) as counted`,
  )
  expect(posted).toEqual({ lines: 0, batches: 0, counted: 0 })
  // Backdating a holding credits what came while nobody held the number, but no test.
  const holding = await row<{ id: number }>(db, sql`select id from numbers where number = ${unheld}`)
  const span = { numberId: holding?.id ?? 0, from: new Date(0), to: new Date(Date.now() + 60_000) }
  expect(await readUnowned(db, span, 10)).toEqual([])
  const audited = await row<{ after: object }>(
    db,
    sql`select after from audit_entries where action = 'message.simulate' order by id desc offset 1 limit 1`,
  )
  expect(audited?.after).toEqual({ from: '+447700900318', to: own })
})

test('a client sends to its own numbers only, also when one was taken a moment ago', async () => {
  expect((await send(client, taken)).status).toBe(201)
  for (const to of [foreign, unheld, '449999999999'])
    expect([to, (await send(client, to)).status]).toEqual([to, 404])
  const before = (await stored()).length
  await transaction(db, async (tx) => {
    const { version, now } = await changeCatalog(tx)
    await sql`update number_holders set held_to = ${now} where held_to is null
      and number_id = (select id from numbers where number = ${taken})`.execute(tx)
    await sql`update numbers set holder_id = null, catalog_version = ${version} where number = ${taken}`.execute(
      tx,
    )
  })
  expect((await send(client, taken)).status).toBe(404)
  expect(await stored()).toHaveLength(before)
})

test('a number that takes no message and a text of two SMS are refused with what to do', async () => {
  const before = (await stored()).length
  const unknown = await send(support, '449999999999')
  expect([unknown.status, unknown.body.fields.to]).toEqual([422, expect.stringContaining('add the number')])
  const long = await send(support, own, { text: 'ש'.repeat(71) })
  expect([long.status, long.body.fields.text]).toEqual([422, expect.stringContaining('more than one SMS')])
  expect((await send(support, own, { from: '' })).status).toBe(400)
  expect(await stored()).toHaveLength(before)
  expect(await row(db, sql`select at from rate_uses limit 1`)).toBeUndefined()
})

test('one person sends a few in an hour, and one click sends one', async () => {
  const key = { 'idempotency-key': 'one-click' }
  const before = (await stored()).length
  const answers = [await send(support, own, {}, key), await send(support, own, {}, key)]
  expect(answers[1]?.body).toEqual(answers[0]?.body)
  expect(await stored()).toHaveLength(before + 1)
  await execute(
    db,
    `insert into rate_uses (act, subject, at) select 'test message', '100', now() - interval '2 hours' from generate_series(1, 50);
     insert into rate_uses (act, subject, at) select 'test message', '100', now() from generate_series(1, 19)`,
  )
  const refused = await send(support, own)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '600'])
  await execute(db, 'update rate_uses set at = at - interval $$2 hours$$ where subject = $$100$$')
  expect((await send(support, own)).status).toBe(201)
})
