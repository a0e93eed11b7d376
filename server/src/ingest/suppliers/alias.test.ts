// Choosing the alias of a supplier, and who then sees it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestApi } from '../../../test/http/api.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { afterUse, fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { row, rows } from '../../platform/db.ts'
import { composeReads } from '../../compose-reads.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../testing/traffic.ts'

const clock = fixedClock(new Date())
const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
const ingest = await makeIngest(db)
afterUse(() => ingest.stop())
await sql`insert into smpp_credentials (user_id, system_id, encrypted_password) values (3, 'NorthTel', '\\x00')`.execute(
  db,
)
await sql`insert into providers (name, api_url, auth_type, poll_interval_ms, lookback_ms, gap_alarm_ms, mapping, is_enabled)
  values ('Feed One', 'https://feed.example/cdr', 'bearer', 60000, 0, 0, '{}', false)`.execute(db)
await sql`insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
  values (100, 'boss', 'b@example.org', 'B', 'B', 'x', 'admin'), (101, 'help', 'h@example.org', 'H', 'H', 'x', 'support')`.execute(
  db,
)
const reads = composeReads({
  db,
  clock,
  secrets: testSecrets,
  audit: createTestAudit({ db, clock }),
  currentActor: async (actor) => actor,
  onFault: (error) => {
    throw error
  },
})
const api = await openTestApi(reads.routes, undefined, clock)
const admin = api.signIn({ userId: 100, username: 'boss', role: 'admin' })
const support = api.signIn({ userId: 101, username: 'help', role: 'support' })
// numbers[0] is held by client2, whose id is 2.
const owner = api.signIn({ userId: 2, username: 'client2', role: 'user' })
const tester = api.signIn({ userId: 2, username: 'client2', role: 'test' })

const path = '/api/suppliers/alias'
const key = { source: 'smpp', name: 'NorthTel' }
const set = (cookie: string, body: object) => api.call('PUT', path, { cookie, body })

test('an alias chosen before the first message is all that a client and the test role see of a supplier', async () => {
  const unknown = await api.call('GET', `${path}?source=smpp&name=NorthTel`, { cookie: support })
  expect(unknown.body).toEqual({ chosen: '', shown: '' })
  const chosen = await set(support, { ...key, alias: 'Northern' })
  expect([chosen.status, chosen.body]).toEqual([200, { chosen: 'Northern', shown: 'Northern' }])
  const gatewayId = await ingest.gatewayId('smpp', 'NorthTel', 3)
  // The account is known from the start: receipts go by it.
  expect(await row(db, sql`select user_id from gateways where id = ${gatewayId}`)).toEqual({ user_id: 3 })
  const answers = new Answers()
  ingest.accept(messageTo(numbers[0]!, answers, { gatewayId }))
  await answers.until(1)

  const [listed] = (await api.call('GET', '/api/records', { cookie: admin })).body
  expect(listed).toMatchObject({ gateway: 'NorthTel', source: 'smpp' })
  for (const cookie of [owner, tester])
    for (const address of [
      '/api/records',
      `/api/records/${listed.id}`,
      '/api/records/export',
      '/api/records/filters',
      '/api/records/report?groupBy=gateway',
      '/api/records?gateway=Northern',
    ]) {
      const { text } = await api.call('GET', address, { cookie })
      expect
        .soft([address, text.includes('Northern'), text.includes('NorthTel')])
        .toEqual([address, true, false])
    }
  // A name cannot be guessed by trying.
  expect((await api.call('GET', '/api/records?gateway=NorthTel', { cookie: owner })).body).toEqual([])

  const back = await set(support, { ...key, alias: '' })
  expect(back.body).toEqual({ chosen: '', shown: `Supplier ${gatewayId}` })
  const entries = await rows(
    db,
    sql`select before ->> 'alias' as was, after ->> 'alias' as is, object_id as id from audit_entries
        where action = 'supplier.alias'`,
  )
  const id = String(gatewayId)
  expect(entries).toContainEqual({ was: null, is: 'Northern', id })
  expect(entries).toContainEqual({ was: 'Northern', is: null, id })
})

test('only staff choose an alias, support none of a provider, and an unknown name gets none', async () => {
  for (const [who, cookie, body, status] of [
    ['a client', owner, key, 403],
    ['support', support, { source: 'provider', name: 'Feed One' }, 403],
    ['an admin', admin, { source: 'provider', name: 'Feed One' }, 200],
    ['an admin', admin, { source: 'connection', name: 'Nobody' }, 404],
  ] as const)
    expect
      .soft([who, body, (await set(cookie, { ...body, alias: 'East' })).status])
      .toEqual([who, body, status])
})
