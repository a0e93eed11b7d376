import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openPeople } from '../../../test/people/people.ts'

const { api, clock, db, users, root, person, signIn, newAddress } = await openPeople()
const minuteMs = 60_000

beforeEach(() => {
  clock.set('2026-03-04T12:00:00Z')
})

const create = (userId: number, cookie = root) =>
  api.call('POST', `/api/users/${userId}/reset-links`, { cookie })
const approve = (userId: number, linkId: number, cookie: string) =>
  api.call('PUT', `/api/users/${userId}/reset-links/${linkId}/approve`, { cookie })
const tokenOf = ({ body }: { body: { path?: string | null } }) =>
  /^\/auth#reset=([\w-]{43})$/.exec(body.path ?? '')?.[1] ?? ''
const open = (token: string) => api.call('POST', '/api/password-reset/open', { body: { token } })
const use = (token: string, newPassword = 'a word of my own', more: object = {}) =>
  api.call('POST', '/api/password-reset/use', { body: { token, newPassword, ...more } })
const signInStatus = async (username: string, password: string) =>
  (await api.call('POST', '/api/login', { body: { username, password }, ip: newAddress() })).status

async function linkFor(role: 'user' | 'test' | 'support' = 'user') {
  const made = await person(role)
  const answer = await create(made.id)
  expect(answer.status, answer.text).toBe(201)
  return { ...made, linkId: answer.body.id as number, token: tokenOf(answer) }
}

test('a link shows its account and what else gives access to it, and is valid for one new password', async () => {
  const { id, username, password, cookie } = await person('user')
  await api.call('PUT', `/api/users/${id}/smpp-access`, { cookie: root, body: { smppAccess: true } })
  const key = await api.call('POST', '/api/keys', {
    cookie,
    body: { name: 'robot', scopes: ['records:read'] },
  })
  const made = await create(id)
  expect(made.body).toMatchObject({ way: 'admin', state: 'open', requestedBy: 'root', approvedBy: '' })
  const token = tokenOf(made)
  const seen = await open(token)
  expect(seen.body).toEqual({
    username,
    isFirst: false,
    expiresAt: '2026-03-05T12:00:00.000Z',
    passwordLengthMin: 6,
    keys: [expect.objectContaining({ id: key.body.id, name: 'robot', lastUsedAt: null })],
    hasSmppAccess: true,
  })
  const more = { withdrawKeys: [key.body.id], renewSmppCredentials: true }
  const used = await use(token, 'a word of my own', more)
  expect([used.status, used.body]).toEqual([200, { username }])
  expect(used.cookie).toBeUndefined()
  expect((await api.call('GET', '/api/user', { cookie })).status).toBe(401)
  expect(await users.findActor({ key: key.body.key })).toBeUndefined()
  expect([await signInStatus(username, password), await signInStatus(username, 'a word of my own')]).toEqual([
    401, 200,
  ])
  for (const answer of [await open(token), await use(token, 'another word')])
    expect([answer.status, answer.body.message]).toEqual([
      409,
      'This link has been used already. Ask for a new one.',
    ])
})

test('of twenty uses at once one wins', async () => {
  const { username, token } = await linkFor()
  const words = Array.from({ length: 20 }, (_, index) => `the word number ${index}`)
  const answers = await Promise.all(words.map((word) => use(token, word)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(19).fill(409),
  ])
  const winner = words[answers.findIndex(({ status }) => status === 200)] ?? ''
  await signIn(username, winner)
})

test('a weak password is refused by the rules of the role, and the link stays good', async () => {
  const { token } = await linkFor('support')
  const short = await use(token, 'eleven char')
  expect([short.status, short.body.fields]).toEqual([
    400,
    { newPassword: 'Password must be at least 12 characters' },
  ])
  expect((await use(token, 'a word of twelve')).status).toBe(200)
})

test('a link ends with its time: a day for clients, an hour for staff', async () => {
  const client = await linkFor('user')
  const staff = await linkFor('support')
  clock.advance(60 * minuteMs)
  expect([(await open(client.token)).status, (await open(staff.token)).status]).toEqual([200, 409])
  clock.advance(23 * 60 * minuteMs)
  const late = await use(client.token)
  expect([late.status, late.body.message]).toEqual([409, 'This link has expired. Ask for a new one.'])
})

test.each([
  [
    'taken back',
    async (id: number, linkId: number) =>
      api.call('DELETE', `/api/users/${id}/reset-links/${linkId}`, { cookie: root }),
    409,
  ],
  ['followed by a newer one', async (id: number) => create(id), 409],
  [
    'of an account that is suspended',
    async (id: number) =>
      api.call('PUT', `/api/users/${id}/status`, { cookie: root, body: { status: 'suspended' } }),
    403,
  ],
  [
    'of an account with another role',
    async (id: number) =>
      api.call('PUT', `/api/users/${id}/role`, { cookie: root, body: { role: 'support' } }),
    409,
  ],
  [
    'of an account that the operator reset',
    async (id: number) => ({ status: 200, ...(await users.resetByOperator(id, { withdrawsAccess: false })) }),
    409,
  ],
] as const)('a link %s opens nothing', async (_, end, status) => {
  const { id, linkId, token } = await linkFor()
  expect((await end(id, linkId)).status).toBeLessThan(300)
  expect([(await open(token)).status, (await use(token)).status]).toEqual([status, status])
})

test('a suspension and a use at once leave no new password, or one that signs nobody in', async () => {
  const { id, username, token } = await linkFor()
  const [used] = await Promise.all([
    use(token),
    api.call('PUT', `/api/users/${id}/status`, { cookie: root, body: { status: 'suspended' } }),
  ])
  expect([200, 403]).toContain(used.status)
  expect(await signInStatus(username, 'a word of my own')).not.toBe(200)
})

test("a link into an admin's account takes two other admins", async () => {
  const [target, first, second] = [await person('admin'), await person('admin'), await person('admin')]
  const created = await create(target.id, first.cookie)
  expect(created.body).toMatchObject({ state: 'waiting', path: null, requestedBy: first.username })
  const same = await approve(target.id, created.body.id, first.cookie)
  expect([same.status, same.body.message]).toEqual([
    403,
    expect.stringContaining('another admin must approve'),
  ])
  expect((await approve(target.id, created.body.id, target.cookie)).status).toBe(403)
  const approved = await approve(target.id, created.body.id, second.cookie)
  expect(approved.body).toMatchObject({
    state: 'open',
    requestedBy: first.username,
    approvedBy: second.username,
  })
  expect((await approve(target.id, created.body.id, second.cookie)).status).toBe(409)
  expect((await use(tokenOf(approved), 'the word of an admin')).status).toBe(200)
  await signIn(target.username, 'the word of an admin')
  const actions = await api.call('GET', `/api/audit?objectId=${target.id}&limit=10`, { cookie: root })
  expect(actions.body.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining(['reset-link.request', 'reset-link.approve', 'user.password-reset']),
  )
})

test('of two approvals at once one opens the link', async () => {
  const [target, first, second] = [await person('admin'), await person('admin'), await person('admin')]
  const created = await create(target.id, first.cookie)
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => approve(target.id, created.body.id, second.cookie)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a link ends when the admin who made it loses that role', async () => {
  const [maker, client] = [await person('admin'), await person('user')]
  const token = tokenOf(await create(client.id, maker.cookie))
  await api.call('PUT', `/api/users/${maker.id}/status`, { cookie: root, body: { status: 'suspended' } })
  expect((await use(token)).status).toBe(409)
})

test('nobody makes a link for themselves, support makes none, and staff see which there are', async () => {
  const [admin, support, client] = [await person('admin'), await person('support'), await person('user')]
  expect((await create(admin.id, admin.cookie)).status).toBe(403)
  expect((await create(client.id, support.cookie)).status).toBe(403)
  const made = await create(client.id)
  const list = await api.call('GET', `/api/users/${client.id}/reset-links`, { cookie: support.cookie })
  expect(list.body).toMatchObject([{ id: made.body.id, state: 'open' }])
  expect(list.text).not.toContain(tokenOf(made))
  const foreign = await api.call('DELETE', `/api/users/${admin.id}/reset-links/${made.body.id}`, {
    cookie: root,
  })
  expect(foreign.status).toBe(404)
  const taken = await api.call('DELETE', `/api/users/${client.id}/reset-links/${made.body.id}`, {
    cookie: support.cookie,
  })
  expect(taken.status).toBe(200)
  expect((await create(999_999)).status).toBe(404)
})

test('the database holds no token, and what is no link opens nothing', async () => {
  const { token } = await linkFor()
  const stored = await rows<{ text: string }>(db, sql`select l::text as text from reset_links l`)
  for (const { text } of stored) {
    expect(text).not.toContain(token)
    expect(text).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
  }
  for (const wrong of ['x', token.slice(1), 'a'.repeat(43)]) expect((await use(wrong)).status).toBe(404)
})

test('without mail a forgotten password is a matter for an admin', async () => {
  expect((await api.call('GET', '/api/sign-in-options')).body).toEqual({ canResetByMail: false })
  const answer = await api.call('POST', '/api/password-reset', { body: { account: 'root' } })
  expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('Ask an admin')])
})
