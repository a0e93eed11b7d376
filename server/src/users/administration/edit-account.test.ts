import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openPeople, rootPassword } from '../../../test/people/people.ts'

const { api, db, users, root, person, signIn } = await openPeople()

const rootId: number = (await api.call('GET', '/api/user', { cookie: root })).body.id

function put(cookie: string, id: number, what: 'role' | 'status' | 'smpp-access', body: object) {
  return api.call('PUT', `/api/users/${id}/${what}`, { cookie, body })
}

function patch(cookie: string, id: number, body: object) {
  return api.call('PATCH', `/api/users/${id}`, { cookie, body })
}

test('an admin changes role, state and SMPP access, and each leaves its entry', async () => {
  const { id } = await person('user')
  for (const role of ['test', 'support', 'admin', 'user'])
    expect((await put(root, id, 'role', { role })).body.role).toBe(role)
  for (const status of ['inactive', 'suspended', 'active'])
    expect((await put(root, id, 'status', { status })).body.status).toBe(status)
  expect((await put(root, id, 'smpp-access', { smppAccess: true })).body.smppAccess).toBe(true)
  const entries = await api.call('GET', `/api/audit?objectType=user&objectId=${id}`, { cookie: root })
  expect(entries.body.map(({ action }: { action: string }) => action).toReversed()).toEqual([
    'user.create',
    'session.start',
    'user.role',
    'user.role',
    'user.role',
    'user.role',
    'user.deactivate',
    'user.suspend',
    'user.activate',
    'user.smpp-access',
  ])
  expect(entries.body[1]).toMatchObject({
    actor: 'root',
    before: { status: 'suspended' },
    after: { status: 'active' },
  })
})

test('support changes users, but no role and nothing of an admin', async () => {
  const support = await person('support')
  const user = await person('user')
  const admin = await person('admin')
  expect((await put(support.cookie, user.id, 'status', { status: 'inactive' })).status).toBe(200)
  expect((await patch(support.cookie, user.id, { firstName: 'Grace', role: 'user' })).status).toBe(200)
  expect((await put(support.cookie, user.id, 'smpp-access', { smppAccess: true })).status).toBe(200)
  for (const answer of [
    await put(support.cookie, user.id, 'role', { role: 'support' }),
    await patch(support.cookie, user.id, { role: 'support' }),
    await patch(support.cookie, support.id, { role: 'admin' }),
    await patch(support.cookie, admin.id, { firstName: 'X' }),
    await put(support.cookie, admin.id, 'status', { status: 'suspended' }),
    await put(support.cookie, admin.id, 'smpp-access', { smppAccess: true }),
    await put(support.cookie, rootId, 'status', { status: 'suspended' }),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
  const untouched = await api.call('GET', `/api/users/${admin.id}`, { cookie: support.cookie })
  expect(untouched.body).toMatchObject({ firstName: 'Ada', status: 'active', smppAccess: false, version: 1 })
})

test('the status of several accounts is set at once, all or none, each with its entry', async () => {
  const [first, second, third] = [await person('user'), await person('user'), await person('user')]
  const set = (ids: unknown, status: string, cookie = root) =>
    api.call('PUT', '/api/users/status', { cookie, body: { ids, status } })
  await put(root, third.id, 'status', { status: 'suspended' })
  const answer = await set([third.id, second.id, first.id, first.id], 'suspended')
  expect([answer.status, answer.body]).toEqual([200, { changed: 2, changeId: expect.any(String) }])
  for (const { id, cookie } of [first, second, third]) {
    expect((await api.call('GET', '/api/user', { cookie })).status).toBe(401)
    const [entry] = (await api.call('GET', `/api/audit?objectType=user&objectId=${id}`, { cookie: root }))
      .body
    expect(entry).toMatchObject({ action: 'user.suspend', after: { status: 'suspended' } })
  }
  const support = await person('support')
  for (const [given, status] of [
    [await set([first.id, 999_999], 'active'), 404],
    [await set([first.id, rootId], 'inactive', support.cookie), 403],
    [await set([first.id, rootId], 'inactive'), 403],
    [await set([first.id], 'asleep'), 400],
    [await set([], 'active'), 400],
    [await set(['first'], 'active'), 400],
    [await set(Array(501).fill(first.id), 'active'), 400],
    [await set([first.id], 'active', second.cookie), 401],
  ] as const)
    expect(given.status).toBe(status)
  const after = await api.call('GET', `/api/users/${first.id}`, { cookie: root })
  expect(after.body.status).toBe('suspended')
})

test('all accounts that match get a status, but the own one and those one may not change; undone as one', async () => {
  const people = [await person('user'), await person('user'), await person('user', 'inactive')]
  const support = await person('support')
  const admin = await person('admin')
  await sql`update users set first_name = 'Bulkley' where id = any(${[...people, support, admin].map(({ id }) => id)})`.execute(
    db,
  )
  const post = (path: string, body: object) => api.call('POST', path, { cookie: support.cookie, body })
  const request = { filter: { search: 'Bulkley' }, count: 5, status: 'suspended' }
  expect((await post('/api/users/status/matching', { ...request, count: 4 })).body.code).toBe('stale')
  const { body } = await post('/api/users/status/matching', request)
  expect(body).toMatchObject({ changedCount: 3, changeId: expect.any(String) })
  expect(new Set(body.leftOut.map(({ reason }: { reason: string }) => reason))).toEqual(
    new Set(['ownAccount', 'adminAccount']),
  )
  expect((await api.call('GET', '/api/user', { cookie: people[0]!.cookie })).status).toBe(401)
  // Changed since, so undoing leaves it alone.
  await put(root, people[1]!.id, 'smpp-access', { smppAccess: true })
  expect((await post(`/api/user-changes/${body.changeId}/undo`, {})).body).toEqual({
    restoredCount: 2,
    leftCount: 1,
  })
  const now = await rows<{ status: string }>(
    db,
    sql`select status from users where id = any(${people.map(({ id }) => id)}) order by id`,
  )
  expect(now.map(({ status }) => status)).toEqual(['active', 'suspended', 'inactive'])
})

test('sign-ups that were approved together wait again after undoing, and the log names the change', async () => {
  const [waiting, closed] = [await person('user', 'inactive'), await person('user', 'inactive')]
  await sql`update users set awaits_approval = true where id = ${waiting.id}`.execute(db)
  const ids = [waiting.id, closed.id]
  const { body } = await api.call('PUT', '/api/users/status', {
    cookie: root,
    body: { ids, status: 'active' },
  })
  expect(body).toMatchObject({ changed: 2, changeId: expect.any(String) })
  const undone = await api.call('POST', `/api/user-changes/${body.changeId}/undo`, { cookie: root, body: {} })
  expect(undone.body).toEqual({ restoredCount: 2, leftCount: 0 })
  const now = await rows<{ status: string; waits: boolean }>(
    db,
    sql`select status, awaits_approval as waits from users where id = any(${ids}) order by id`,
  )
  expect(now).toEqual([
    { status: 'inactive', waits: true },
    { status: 'inactive', waits: false },
  ])
  const entries = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries where after ->> 'change' = ${body.changeId} order by id`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'user.activate',
    'user.activate',
    'user.deactivate',
    'user.deactivate',
  ])
})

test('nobody changes their own role or suspends themselves', async () => {
  const admin = await person('admin')
  for (const answer of [
    await put(admin.cookie, admin.id, 'role', { role: 'user' }),
    await patch(admin.cookie, admin.id, { role: 'support' }),
    await put(admin.cookie, admin.id, 'status', { status: 'suspended' }),
    await patch(admin.cookie, admin.id, { status: 'inactive' }),
  ])
    expect(answer.status).toBe(403)
  const form = { firstName: 'Grace', role: 'admin', status: 'active' }
  expect((await patch(admin.cookie, admin.id, form)).status).toBe(200)
})

test('of the last two admins who demote each other fifty times at once, one stays an admin', async () => {
  const first = await person('admin')
  const second = await person('admin')
  await sql`update users set status = 'inactive' where role = 'admin' and id not in (${first.id}, ${second.id})`.execute(
    db,
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const [actor, target] = index % 2 === 0 ? [first, second] : [second, first]
      return index % 4 < 2
        ? put(actor.cookie, target.id, 'role', { role: 'user' })
        : put(actor.cookie, target.id, 'status', { status: 'suspended' })
    }),
  )
  const admins = await rows<{ id: number }>(
    db,
    sql`select id from users where role = 'admin' and status = 'active'`,
  )
  expect(admins).toHaveLength(1)
  const allowed = answers.filter(({ status }) => status === 200)
  expect(allowed.length).toBeGreaterThanOrEqual(1)
  for (const { status } of answers) expect([200, 401, 403, 409]).toContain(status)
  await sql`update users set role = 'admin', status = 'active' where id = ${rootId}`.execute(db)
})

test('the last active admin can be neither demoted nor suspended', async () => {
  await sql`update users set role = 'user' where role = 'admin' and id <> ${rootId}`.execute(db)
  const cookie = await signIn('root', rootPassword)
  const retired = await person('admin', 'inactive')
  expect((await put(cookie, rootId, 'status', { status: 'suspended' })).status).toBe(403)
  expect((await put(cookie, rootId, 'role', { role: 'user' })).status).toBe(403)
  expect((await put(cookie, retired.id, 'role', { role: 'user' })).status).toBe(200)
})

test('of fifty suspensions at once every one ends in the same state, with one entry', async () => {
  const { id } = await person('user')
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => put(root, id, 'status', { status: 'suspended' })),
  )
  for (const { status, body } of answers) expect([status, body.status]).toEqual([200, 'suspended'])
  const entries = await api.call('GET', `/api/audit?action=user.suspend&objectId=${id}`, { cookie: root })
  expect(entries.body).toHaveLength(1)
})

test('of two saves of one form the second is refused as stale', async () => {
  const { id } = await person('user')
  const answers = await Promise.all(
    ['Grace', 'Joan'].map((firstName) => patch(root, id, { firstName, version: 1 })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
})

test("a custom rate that has begun shows in the account, one that was removed doesn't", async () => {
  const { id } = await person('user')
  const shown = async () => (await api.call('GET', `/api/users/${id}`, { cookie: root })).body.customSmsRate
  const add = (rateMicro: number | null, validFrom: string) =>
    sql`insert into rates (scope, user_id, rate_micro, valid_from) values ('user', ${id}, ${rateMicro}, ${validFrom})`.execute(
      db,
    )
  await add(30_000, '2026-01-01T00:00:00Z')
  await add(90_000, '2999-01-01T00:00:00Z')
  expect(await shown()).toBe('0.03')
  await add(null, '2026-02-01T00:00:00Z')
  expect(await shown()).toBe('')
})

test('the first admin is made once, and never beside another', async () => {
  expect(await users.ensureFirstAdmin(undefined)).toBeUndefined()
  expect(await users.ensureFirstAdmin({ username: 'intruder', password: 'a long password' })).toBeUndefined()
  expect((await api.call('GET', '/api/users?search=intruder', { cookie: root })).body).toEqual([])
})
