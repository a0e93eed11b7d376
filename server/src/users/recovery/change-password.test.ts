import { beforeEach, expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'

const { api, clock, users, root, person, signIn, newAddress } = await openPeople()

beforeEach(() => {
  clock.set('2026-03-04T12:00:00Z')
})

const change = (cookie: string, body: object) =>
  api.call('PUT', '/api/user/password', { cookie, body, ip: newAddress() })

async function makeKey(cookie: string, name: string) {
  const answer = await api.call('POST', '/api/keys', { cookie, body: { name, scopes: ['records:read'] } })
  return answer.body as { id: string; key: string }
}

async function mustChange(role: 'user' | 'admin' = 'user') {
  const made = await person(role)
  const account = await users.findToReset(made.username)
  const { password } = await users.resetByOperator(account!.id, { withdrawsAccess: false })
  return { ...made, password, cookie: await signIn(made.username, password) }
}

test('a person who must change the password can do nothing else until it is changed', async () => {
  const { cookie, username } = await mustChange()
  const current = await api.call('GET', '/api/user', { cookie })
  expect(current.body).toMatchObject({ username, restriction: 'password_change' })
  for (const [method, path] of [
    ['POST', '/api/keys'],
    ['GET', `/api/users/${current.body.id}/smpp-credentials`],
  ] as const)
    expect((await api.call(method, path, { cookie })).body.code).toBe('password_change_required')
  expect((await change(cookie, { newPassword: 'a word of my own' })).status).toBe(200)
  const after = await api.call('GET', '/api/user', { cookie })
  expect(after.body.restriction).toBeUndefined()
  expect((await makeKey(cookie, 'after')).key).toMatch(/^tgk_/)
  await signIn(username, 'a word of my own')
})

test('the old password again, or a weak one, is refused', async () => {
  const { cookie, password } = await mustChange('admin')
  const same = await change(cookie, { newPassword: password })
  expect([same.status, same.body.fields]).toEqual([400, { newPassword: 'Choose a password that is new' }])
  const short = await change(cookie, { newPassword: 'eleven char' })
  expect(short.body.fields).toEqual({ newPassword: 'Password must be at least 12 characters' })
})

test('the current password may be left out only by who must change it and signed in just now', async () => {
  const { cookie } = await person('user')
  const without = await change(cookie, { newPassword: 'a word of my own' })
  expect([without.status, without.body.fields]).toEqual([
    400,
    { currentPassword: 'Enter your current password' },
  ])
  const temporary = await mustChange()
  clock.advance(5 * 60_000 + 1)
  const late = await change(temporary.cookie, { newPassword: 'a word of my own' })
  expect([late.status, late.body.code]).toEqual([403, 'reauthenticate'])
  const confirmed = { currentPassword: temporary.password, newPassword: 'a word of my own' }
  expect((await change(temporary.cookie, confirmed)).status).toBe(200)
})

test('keys that are named go with the old password, others and those of other people stay', async () => {
  const { cookie, password } = await person('user')
  const other = await person('user')
  const [gone, kept] = [await makeKey(cookie, 'gone'), await makeKey(cookie, 'kept')]
  const foreign = await makeKey(other.cookie, 'foreign')
  const answer = await change(cookie, {
    currentPassword: password,
    newPassword: 'a word of my own',
    withdrawKeys: [gone.id, foreign.id],
  })
  expect(answer.status).toBe(200)
  const opens = async (key: string) => (await users.findActor({ key })) !== undefined
  expect([await opens(gone.key), await opens(kept.key), await opens(foreign.key)]).toEqual([
    false,
    true,
    true,
  ])
  const entries = await api.call('GET', `/api/audit?action=key.delete&objectId=${gone.id}`, { cookie: root })
  expect(entries.body).toHaveLength(1)
})

test('the SMPP password is renewed on request, and an account event is published', async () => {
  const { id, username, cookie, password } = await person('user')
  await api.call('PUT', `/api/users/${id}/smpp-access`, { cookie: root, body: { smppAccess: true } })
  const pair = async () => (await api.call('GET', `/api/users/${id}/smpp-credentials`, { cookie })).body
  const before = await pair()
  const received: number[] = []
  const unsubscribe = users.onAccountChanged((userId) => received.push(userId))
  const body = { currentPassword: password, newPassword: 'a word of my own', renewSmppCredentials: true }
  await change(cookie, body)
  unsubscribe()
  const after = await pair()
  expect(after.systemId).toBe(username)
  expect(after.password).not.toBe(before.password)
  expect(received).toEqual([id])
})

test('a reset that comes while a change is under way wins over it', async () => {
  const { id, username, cookie, password } = await person('user')
  const slow = change(cookie, { currentPassword: password, newPassword: 'a word of my own' })
  const { password: given } = await users.resetByOperator(id, { withdrawsAccess: false })
  const answer = await slow
  const opens = async (word: string) =>
    (await api.call('POST', '/api/login', { body: { username, password: word }, ip: newAddress() })).status
  expect([await opens(given), await opens('a word of my own')]).toEqual([200, 401])
  // Before the reset; its current password or its session looked at after the reset.
  expect([200, 400, 401, 409]).toContain(answer.status)
})

test("the operator's reset ends sessions and delays, and with access keys and SMPP password", async () => {
  const { id, username, cookie } = await person('user')
  await api.call('PUT', `/api/users/${id}/smpp-access`, { cookie: root, body: { smppAccess: true } })
  const { key } = await makeKey(cookie, 'robot')
  const ip = newAddress()
  for (let turn = 0; turn < 6; turn += 1)
    await api.call('POST', '/api/login', { body: { username, password: 'wrong' }, ip })
  const account = await users.findToReset(` ${username.toUpperCase()} `)
  expect(account).toMatchObject({ id, username, status: 'active', keyCount: 1, hasSmppAccess: true })
  const done = await users.resetByOperator(id, { withdrawsAccess: true })
  expect(done).toMatchObject({ withdrawnKeyCount: 1, smppPair: { systemId: username } })
  expect((await api.call('GET', '/api/user', { cookie })).status).toBe(401)
  expect(await users.findActor({ key })).toBeUndefined()
  const again = await api.call('POST', '/api/login', { body: { username, password: done.password }, ip })
  expect([again.status, again.body.restriction]).toEqual([200, 'password_change'])
  const entries = await api.call('GET', `/api/audit?objectId=${id}&limit=3`, { cookie: root })
  expect(entries.body).toContainEqual(
    expect.objectContaining({ action: 'user.password-reset', actor: 'operator', actorId: null }),
  )
  expect(JSON.stringify(entries.body)).not.toContain(done.password)
})
