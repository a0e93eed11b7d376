import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openPeople, rootPassword } from '../../../test/people/people.ts'

const { api, clock, db, users, person, signIn } = await openPeople()

function create(cookie: string, body: object = { name: 'collector', scopes: ['records:read'] }) {
  return api.call('POST', '/api/keys', { cookie, body })
}

test('a key is shown once, and its hash alone is kept', async () => {
  const { id, cookie } = await person('user')
  const made = await create(cookie)
  expect(made.status).toBe(201)
  const { key, ...rest } = made.body
  expect(key).toMatch(/^tgk_[\w-]{43}$/)
  expect(rest).toEqual({
    id: expect.any(String),
    name: 'collector',
    scopes: ['records:read'],
    prefix: key.slice(0, 10),
    createdAt: clock.now().toISOString(),
    lastUsedAt: null,
    lastUsedAddress: null,
    lastUsedBy: null,
  })
  const list = await api.call('GET', '/api/keys', { cookie })
  expect(list.body).toEqual([rest])
  const stored = await rows<{ text: string }>(
    db,
    sql`select k::text as text from api_keys k union all select e::text from audit_entries e`,
  )
  for (const { text } of stored) expect(text).not.toContain(key.slice(12))
  expect(await users.findActor({ key })).toMatchObject({ userId: id, role: 'user', scopes: ['records:read'] })
})

test('staff see and withdraw the keys of an account, support not those of an admin; its history tells it', async () => {
  const { id, cookie } = await person('user')
  const { key, ...made } = (await create(cookie)).body
  const support = await person('support')
  const admin = await person('admin')
  const theirs = (await create(admin.cookie)).body
  const as = (who: string, method: 'GET' | 'DELETE', path: string) => api.call(method, path, { cookie: who })
  expect((await as(support.cookie, 'GET', `/api/users/${id}/keys`)).body).toEqual([made])
  expect((await as(cookie, 'GET', `/api/users/${id}/keys`)).status).toBe(403)
  expect((await as(support.cookie, 'GET', `/api/users/${admin.id}/keys`)).status).toBe(403)
  expect((await as(support.cookie, 'DELETE', `/api/users/${admin.id}/keys/${theirs.id}`)).status).toBe(403)
  // A key of somebody else, under this account's address.
  expect((await as(support.cookie, 'DELETE', `/api/users/${id}/keys/${theirs.id}`)).status).toBe(404)
  expect((await as(support.cookie, 'DELETE', `/api/users/${id}/keys/${made.id}`)).status).toBe(200)
  expect(await users.findActor({ key })).toBeUndefined()
  const history = await as(admin.cookie, 'GET', `/api/audit?objectType=user&objectId=${id}`)
  expect(history.body[0]).toMatchObject({
    action: 'key.delete',
    actor: expect.stringContaining('support'),
    before: { prefix: made.prefix },
  })
})

test('a key gives access only to what its scopes name', async () => {
  const { cookie } = await person('admin')
  const { key } = (await create(cookie)).body
  for (const [method, path] of [
    ['GET', '/api/user'],
    ['GET', '/api/users'],
    ['GET', '/api/keys'],
    ['POST', '/api/keys'],
    ['GET', '/api/audit'],
    ['POST', '/api/logout'],
  ] as const)
    expect([path, (await api.call(method, path, { key })).status]).toEqual([path, 403])
  const body = {
    username: 'by.key',
    password: 'a long enough password',
    email: 'a@example.org',
    firstName: 'A',
    lastName: 'B',
    role: 'admin',
  }
  expect((await api.call('POST', '/api/register', { key, body })).status).toBe(403)
  const { username, password } = body
  expect((await api.call('POST', '/api/login', { key, body: { username, password } })).status).toBe(403)
})

test('a key ends with its withdrawal, its owner\u2019s suspension and the loss of the right to keys', async () => {
  const root = await signIn('root', rootPassword)
  const owner = await person('user')
  const { key, id } = (await create(owner.cookie)).body
  const set = (what: string, body: object) =>
    api.call('PUT', `/api/users/${owner.id}/${what}`, { cookie: root, body })
  await set('status', { status: 'suspended' })
  expect(await users.findActor({ key })).toBeUndefined()
  await set('status', { status: 'active' })
  expect(await users.findActor({ key })).toBeDefined()
  await set('role', { role: 'test' })
  expect(await users.findActor({ key })).toBeUndefined()
  await set('role', { role: 'user' })

  const cookie = await signIn(owner.username, owner.password)
  const stranger = await person('user')
  expect((await api.call('DELETE', `/api/keys/${id}`, { cookie: stranger.cookie })).status).toBe(404)
  expect((await api.call('DELETE', `/api/keys/${id}`, { cookie })).status).toBe(200)
  expect((await api.call('DELETE', `/api/keys/${id}`, { cookie })).status).toBe(404)
  expect(await users.findActor({ key })).toBeUndefined()
})

test('a key shows when it was last used, to the minute', async () => {
  const { cookie } = await person('user')
  const startMs = clock.now().getTime()
  const after = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString()
  const { key } = (await create(cookie)).body
  const lastUsed = async () => (await api.call('GET', '/api/keys', { cookie })).body[0].lastUsedAt
  await users.findActor({ key, ip: '198.51.100.7', userAgent: 'collector/2.1 (linux)' })
  expect(await lastUsed()).toBe(after(0))
  expect((await api.call('GET', '/api/keys', { cookie })).body[0]).toMatchObject({
    lastUsedAddress: '198.51.100.7',
    lastUsedBy: 'collector/2.1',
  })
  clock.advance(30_000)
  await users.findActor({ key })
  expect(await lastUsed()).toBe(after(0))
  clock.advance(30_000)
  await users.findActor({ key })
  expect(await lastUsed()).toBe(after(60))
})

test.each([
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x' }, 'scopes'],
  [{ name: 'x', scopes: ['everything'] }, 'scopes.0'],
  [{ name: 'x'.repeat(101), scopes: ['records:read'] }, 'name'],
])('a key of %j is refused', async (body, field) => {
  const { cookie } = await person('user')
  const answer = await create(cookie, body)
  expect([answer.status, Object.keys(answer.body.fields)]).toEqual([400, [field]])
})

test('fifty keys are enough, also when asked for at once', async () => {
  const { cookie } = await person('user')
  const answers = await Promise.all(Array.from({ length: 60 }, () => create(cookie)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(50)
  expect(answers.filter(({ body }) => body.code === 'wrong_state')).toHaveLength(10)
})

test('a new key asks for the password after five minutes', async () => {
  const { cookie } = await person('user')
  clock.advance(5 * 60_000 + 1)
  expect((await create(cookie)).body.code).toBe('reauthenticate')
})

test.each(['', 'tgk_', `tgk_${'a'.repeat(43)}`, 'x'.repeat(200)])('the key %j opens nothing', async (key) => {
  expect(await users.findActor({ key })).toBeUndefined()
})

test('the actor of an open feed is found by session or key until either ends', async () => {
  const { id, cookie } = await person('user')
  const { key, id: keyId } = (await create(cookie)).body
  const byKey = await users.findActor({ key })
  const bySession = await users.findActor({ session: cookie })
  expect(await users.currentActor(byKey!)).toEqual(byKey)
  expect(await users.currentActor(bySession!)).toEqual(bySession)
  await api.call('DELETE', `/api/keys/${keyId}`, { cookie })
  expect(await users.currentActor(byKey!)).toBeUndefined()
  await api.call('POST', '/api/logout', { cookie })
  expect(await users.currentActor(bySession!)).toBeUndefined()
  expect(await users.currentActor({ userId: id, username: 'x', role: 'user' })).toBeUndefined()
})
