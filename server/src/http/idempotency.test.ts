// Idempotency-Key over the whole API: one effect for each key, whichever route it is.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openPeople } from '../../test/people/people.ts'
import { rows } from '../platform/db.ts'
import { forgetOldKeys } from './idempotency.ts'

const { api, db, person } = await openPeople()

async function aPerson() {
  const { cookie } = await person('user')
  const create = (key: string | undefined, body: object = { name: 'collector', scopes: ['records:read'] }) =>
    api.call('POST', '/api/keys', {
      cookie,
      body,
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    })
  const count = async () => (await api.call('GET', '/api/keys', { cookie })).body.length
  return { create, count }
}

test('the same key and body give the same answer, also its secret, and one effect', async () => {
  const { create, count } = await aPerson()
  const first = await create('order-1')
  expect(first.status).toBe(201)
  const again = await create('order-1')
  expect([again.status, again.body]).toEqual([201, first.body])
  expect(await count()).toBe(1)
  expect((await create(undefined)).body.id).not.toBe(first.body.id)
  expect(await count()).toBe(2)
})

test('ten calls at once with one key have one effect and one answer', async () => {
  const { create, count } = await aPerson()
  const answers = await Promise.all(Array.from({ length: 10 }, () => create('order-2')))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.key}`)).size).toBe(1)
  expect(await count()).toBe(1)
})

test('another body under the same key is refused; another person has keys of its own', async () => {
  const [one, other] = [await aPerson(), await aPerson()]
  await one.create('order-3')
  const refused = await one.create('order-3', { name: 'other', scopes: ['records:read'] })
  expect([refused.status, refused.body.code]).toEqual([422, 'unprocessable'])
  expect(refused.body.fields).toHaveProperty('idempotency-key')
  expect((await other.create('order-3')).status).toBe(201)
  expect([await one.count(), await other.count()]).toEqual([1, 1])
})

test('a call that was refused keeps no key: it may be corrected and sent again', async () => {
  const { create, count } = await aPerson()
  expect((await create('order-4', { name: 'x', scopes: [] })).status).toBe(400)
  expect((await create('order-4')).status).toBe(201)
  expect(await count()).toBe(1)
})

test('staff who send a new account again get the account that they made', async () => {
  const { cookie } = await person('support')
  const register = (username: string, password = 'correct horse battery') =>
    api.call('POST', '/api/register', {
      cookie,
      headers: { 'idempotency-key': 'account-1' },
      body: { username, password, email: 'a@example.org', firstName: 'A', lastName: 'B', maxConnections: 9 },
    })
  const answers = await Promise.all([register('twicesent'), register('twicesent')])
  answers.push(await register('twicesent'))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(answers[0]?.body).toMatchObject({ username: 'twicesent', maxConnections: 9 })
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  for (const other of [await register('othername'), await register('twicesent', 'another horse battery')])
    expect([other.status, Object.keys(other.body.fields)]).toEqual([422, ['idempotency-key']])
  const made = await rows(db, sql`select from users where username in ('twicesent', 'othername')`)
  expect(made).toHaveLength(1)
  const audited = await rows(
    db,
    sql`select from audit_entries where action = 'user.create' and after->>'username' = 'twicesent'`,
  )
  expect(audited).toHaveLength(1)
})

test('what is kept of an answer is encrypted, and forgotten after a day', async () => {
  const { create } = await aPerson()
  const { body } = await create('order-5')
  const kept = await rows<{ row: string }>(
    db,
    sql`select idempotency_keys::text as row from idempotency_keys`,
  )
  const secret = body.key as string
  for (const { row } of kept)
    for (const text of [secret, Buffer.from(secret).toString('hex')]) expect(row).not.toContain(text)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours'`.execute(db)
  await forgetOldKeys(db)
  expect((await rows(db, sql`select from idempotency_keys`)).length).toBe(0)
  expect((await create('order-5')).body.id).not.toBe(body.id)
})
