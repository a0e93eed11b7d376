import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openPeople, rootPassword } from '../../../test/people/people.ts'

const { api, clock, db, users, root, person, signIn } = await openPeople()

async function grant(id: number, smppAccess = true) {
  const answer = await api.call('PUT', `/api/users/${id}/smpp-access`, { cookie: root, body: { smppAccess } })
  expect(answer.status).toBe(200)
}

function show(cookie: string, id: number) {
  return api.call('GET', `/api/users/${id}/smpp-credentials`, { cookie })
}

function details(cookie: string, id: number) {
  return api.call('GET', `/api/users/${id}/bind-details`, { cookie })
}

function renew(cookie: string, id: number) {
  return api.call('POST', `/api/users/${id}/smpp-credentials`, { cookie })
}

test('access brings a system_id from the username and a password of eight characters', async () => {
  const { id, username, cookie } = await person('user')
  expect((await show(cookie, id)).status).toBe(404)
  await grant(id)
  const shown = await show(cookie, id)
  expect(shown.status).toBe(200)
  expect(shown.body).toEqual({
    systemId: username,
    password: expect.stringMatching(/^[a-zA-Z2-9]{8}$/),
    host: '127.0.0.1',
    port: 2775,
  })
  const account = await users.findSmppAccount(username)
  expect(account).toMatchObject({
    userId: id,
    username,
    status: 'active',
    smppAccess: true,
    maxConnections: 5,
    throughput: 0,
    allowedCidrs: [],
  })
  expect(account?.verify(shown.body.password)).toBe(true)
  for (const wrong of ['', 'x', shown.body.password.toLowerCase() + 'x', `${shown.body.password} `])
    expect(account?.verify(wrong)).toBe(false)
  expect(await users.findSmppAccount(username.toUpperCase())).toBeUndefined()
})

test.each(['a.username.too.long', 'gr\u00fc\u00dfe'])(
  '%s cannot be a system_id, so one is made up',
  async (name) => {
    const { id, cookie } = await person('user', 'active', name)
    await grant(id)
    expect((await show(cookie, id)).body.systemId).toMatch(/^tg-[a-zA-Z2-9]{10}$/)
  },
)

test('a username that was somebody\u2019s system_id does not take it over', async () => {
  const first = await person('user', 'active', 'moving')
  await grant(first.id)
  await api.call('PATCH', `/api/users/${first.id}`, { cookie: root, body: { username: 'moved' } })
  const second = await person('user', 'active', 'moving')
  await grant(second.id)
  expect((await show(first.cookie, first.id)).body.systemId).toBe('moving')
  expect((await show(second.cookie, second.id)).body.systemId).toMatch(/^tg-/)
  expect((await users.findSmppAccount('moving'))?.userId).toBe(first.id)
})

test('the user, support and admins see a pair; others find nothing; an admin\u2019s stays with admins', async () => {
  const owner = await person('user')
  const other = await person('user')
  const tester = await person('test')
  const support = await person('support')
  const admin = await person('admin')
  await grant(owner.id)
  await grant(admin.id)
  const outcome = async (cookie: string, id: number) => [
    (await details(cookie, id)).status,
    (await show(cookie, id)).status,
    (await renew(cookie, id)).status,
  ]
  expect(await outcome(owner.cookie, owner.id)).toEqual([200, 200, 200])
  expect(await outcome(support.cookie, owner.id)).toEqual([200, 200, 200])
  expect(await outcome(root, owner.id)).toEqual([200, 200, 200])
  expect(await outcome(other.cookie, owner.id)).toEqual([404, 404, 404])
  expect(await outcome(tester.cookie, owner.id)).toEqual([404, 404, 404])
  expect(await outcome(support.cookie, admin.id)).toEqual([403, 403, 403])
  expect(await outcome(root, admin.id)).toEqual([200, 200, 200])
})

test('a renewed pair replaces the old one, and an account event is published', async () => {
  const { id, username, cookie } = await person('user')
  await grant(id)
  const before = (await show(cookie, id)).body
  const received: number[] = []
  const unsubscribe = users.onAccountChanged((userId) => received.push(userId))
  const after = (await renew(cookie, id)).body
  unsubscribe()
  expect(after.systemId).toBe(username)
  expect(after.password).not.toBe(before.password)
  const account = await users.findSmppAccount(username)
  expect([account?.verify(before.password), account?.verify(after.password)]).toEqual([false, true])
  expect(received).toEqual([id])
})

test('withdrawn access hides the pair, and a new grant brings the same one', async () => {
  const { id, username, cookie } = await person('user')
  await grant(id)
  const before = (await show(cookie, id)).body
  await grant(id, false)
  expect((await show(cookie, id)).status).toBe(404)
  expect((await users.findSmppAccount(username))?.smppAccess).toBe(false)
  await grant(id)
  expect((await show(cookie, id)).body).toEqual(before)
})

test('the bind details are shown without the password, at any time and without an audit entry', async () => {
  const { id, username } = await person('user')
  const cookie = await signIn('root', rootPassword)
  expect((await details(cookie, id)).status).toBe(404)
  await grant(id)
  clock.advance(5 * 60_000 + 1)
  expect((await details(cookie, id)).body).toEqual({
    systemId: username,
    host: '127.0.0.1',
    port: 2775,
    testNumber: '',
  })
  const entries = await api.call('GET', `/api/audit?action=smpp-credentials.reveal&objectId=${id}`, {
    cookie,
  })
  expect(entries.body).toEqual([])
})

test('showing a pair asks for the password after five minutes and leaves an entry', async () => {
  const { id } = await person('user')
  await grant(id)
  const cookie = await signIn('root', rootPassword)
  expect((await show(cookie, id)).status).toBe(200)
  const entries = await api.call('GET', `/api/audit?action=smpp-credentials.reveal&objectId=${id}`, {
    cookie,
  })
  expect(entries.body).toMatchObject([{ actor: 'root', objectType: 'user' }])
  clock.advance(5 * 60_000 + 1)
  for (const answer of [await show(cookie, id), await renew(cookie, id)])
    expect([answer.status, answer.body.code]).toEqual([403, 'reauthenticate'])
})

test('the database holds no password, and one row\u2019s does not open in another', async () => {
  const first = await person('user')
  const second = await person('user')
  await grant(first.id)
  await grant(second.id)
  const rootCookie = await signIn('root', rootPassword)
  const shown = await show(rootCookie, first.id)
  const { password } = shown.body
  const stored = await rows<{ text: string; encrypted: Buffer }>(
    db,
    sql`select c::text as text, encrypted_password as encrypted from smpp_credentials c`,
  )
  for (const { text, encrypted } of stored) {
    expect(text).not.toContain(password)
    expect(encrypted.includes(password)).toBe(false)
  }
  await sql`update smpp_credentials set encrypted_password =
    (select encrypted_password from smpp_credentials where user_id = ${first.id}) where user_id = ${second.id}`.execute(
    db,
  )
  expect((await show(rootCookie, second.id)).status).toBe(500)
  const account = await users.findSmppAccount(second.username)
  expect(() => account?.verify(password)).toThrow()
})

test('peers are told the public address of the settings, and a number for a first message while it takes them', async () => {
  const { id, username, cookie } = await person('user')
  await grant(id)
  const by = { actor: { userId: 1, username: 'root' }, ip: '' }
  const put = (key: string, value: string) => users.settings.put(db, key, value, by)
  const told = async () => (await details(cookie, id)).body
  expect(await told()).toEqual({ systemId: username, host: '127.0.0.1', port: 2775, testNumber: '' })
  for (const [value, host, port] of [
    ['smpp.example.com', 'smpp.example.com', 2775],
    ['smpp.example.com:2776', 'smpp.example.com', 2776],
    ['[2001:db8::7]:2776', '2001:db8::7', 2776],
  ] as const) {
    await put('smpp_public_address', value)
    expect(await told()).toMatchObject({ host, port })
    expect((await show(cookie, id)).body).toMatchObject({ host, port })
  }
  for (const wrong of ['smpp.example.com:0', 'smpp.example.com:70000', 'https://a.example', 'a b', '[x]:1'])
    await expect(put('smpp_public_address', wrong)).rejects.toMatchObject({ code: 'invalid' })
  expect(await users.smppAddress()).toEqual({ host: '2001:db8::7', port: 2776 })

  await expect(put('smpp_test_number', '+44 7700 900999')).rejects.toMatchObject({ code: 'invalid' })
  await sql`insert into numbers (number, catalog_version) values ('447700900999', 1)`.execute(db)
  await put('smpp_test_number', '+44 7700 900999')
  expect(await told()).toMatchObject({ testNumber: '447700900999' })
  await sql`update numbers set status = 'suspended' where number = '447700900999'`.execute(db)
  expect(await told()).toMatchObject({ testNumber: '' })
  await put('smpp_public_address', '')
})
