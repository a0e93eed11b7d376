import { userSorts } from '@tollgate/contract/users/users.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../platform/db.ts'
import { openPeople, rootPassword } from '../../test/people/people.ts'

const { api, db, clock, users, root, person, signIn, newAddress } = await openPeople()

const registration = (username: string) => ({
  username,
  password: 'correct horse',
  email: `${username}@example.org`,
  firstName: 'Ada',
  lastName: 'Byron',
})

async function lastAudit() {
  const { body } = await api.call('GET', '/api/audit?limit=1', { cookie: root })
  return body[0]
}

test('signing up makes an active user, whatever else the body says, and signs in', async () => {
  const answer = await api.call('POST', '/api/register', {
    body: {
      ...registration('newcomer'),
      role: 'admin',
      smppAccess: true,
      maxConnections: 50,
      status: 'suspended',
      customSmsRate: '9',
    },
  })
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    id: expect.any(Number),
    username: 'newcomer',
    email: 'newcomer@example.org',
    firstName: 'Ada',
    lastName: 'Byron',
    fullName: 'Ada Byron',
    role: 'user',
    status: 'active',
    awaitsApproval: false,
    smppAccess: false,
    maxConnections: 5,
    createdAt: expect.any(String),
    customSmsRate: '',
    usdtAddress: '',
    hasSecondFactor: false,
    version: 1,
  })
  const current = await api.call('GET', '/api/user', { cookie: answer.cookie })
  expect(current.body).toEqual(answer.body)
  expect(await lastAudit()).toMatchObject({
    action: 'user.register',
    actor: 'newcomer',
    objectId: String(answer.body.id),
    ip: '192.0.2.1',
  })
})

test('an account with SMPP access that never held a number is told that it is a supplier', async () => {
  const { cookie, body } = await api.call('POST', '/api/register', { body: registration('north') })
  const isSupplier = async () => (await api.call('GET', '/api/user', { cookie })).body.isSupplier
  expect(await isSupplier()).toBeUndefined()
  await sql`update users set smpp_access = true where id = ${body.id}`.execute(db)
  expect(await isSupplier()).toBe(true)
  await sql`with made as (insert into numbers (number, catalog_version) values ('447700900444', 1) returning id)
    insert into number_holders (number_id, user_id, held_from, held_to)
    select id, ${body.id}, now() - interval '2 days', now() - interval '1 day' from made`.execute(db)
  expect(await isSupplier()).toBeUndefined()
})

test.each([
  ['username', 'ab', 'Username must be at least 3 characters'],
  ['username', 'two words', 'Use letters, digits, dots, dashes and underscores'],
  ['password', '12345', 'Password must be at least 6 characters'],
  ['password', '123456', expect.stringContaining('first that attackers try')],
  ['password', 'AAAAAAAA', expect.stringContaining('first that attackers try')],
  ['password', 'Faulty.One', 'The password must not be the username'],
  ['email', 'nobody', 'Invalid email address'],
  ['firstName', ' ', 'First name is required'],
  ['lastName', '', 'Last name is required'],
  ['firstName', 'a\nb', 'Line breaks and control characters are not allowed'],
])('a sign-up with %s %j is refused', async (field, value, message) => {
  const answer = await api.call('POST', '/api/register', {
    body: { ...registration('faulty.one'), [field]: value },
    ip: newAddress(),
  })
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({ code: 'invalid', fields: { [field]: message } })
})

test('a username is taken whatever its case', async () => {
  await person('user', 'active', 'Taken.Name')
  const answer = await api.call('POST', '/api/register', {
    body: registration('taken.NAME'),
    ip: newAddress(),
  })
  expect(answer.status).toBe(409)
  expect(answer.body).toMatchObject({ code: 'taken', fields: { username: 'This username is taken' } })
})

test('a sign-up waits for approval or is refused, as the setting says; staff still make accounts', async () => {
  const by = { actor: { userId: null, username: 'system' }, ip: '' }
  await users.settings.put(db, 'registration', 'approval', by)
  const waiting = await api.call('POST', '/api/register', { body: registration('waiting') })
  expect(waiting.status).toBe(201)
  expect(waiting.body.status).toBe('inactive')
  expect(waiting.cookie).toBeUndefined()
  const early = await api.call('POST', '/api/login', {
    body: { username: 'waiting', password: 'correct horse' },
    ip: newAddress(),
  })
  expect([early.status, early.body.message]).toEqual([403, expect.stringContaining('waits for approval')])
  expect((await api.call('GET', '/api/registration')).body).toEqual({ mode: 'approval' })
  const staff = await person('support')
  const queue = async () =>
    (await api.call('GET', '/api/users?approval=waiting', { cookie: staff.cookie })).body
  expect(await queue()).toMatchObject([{ username: 'waiting', awaitsApproval: true }])
  await api.call('PUT', `/api/users/${waiting.body.id}/status`, {
    cookie: staff.cookie,
    body: { status: 'active' },
  })
  expect(await queue()).toEqual([])
  const entered = await api.call('POST', '/api/login', {
    body: { username: 'waiting', password: 'correct horse' },
    ip: newAddress(),
  })
  expect([entered.status, entered.body.awaitsApproval]).toEqual([200, false])

  await users.settings.put(db, 'registration', 'closed', by)
  const refused = await api.call('POST', '/api/register', { body: registration('refused') })
  expect(refused.status).toBe(403)
  expect(refused.body.code).toBe('registration_closed')
  await person('user')
  await users.settings.put(db, 'registration', 'open', by)
})

test('support makes users with the fields it may set, and nobody with another role', async () => {
  const support = await person('support')
  const made = await api.call('POST', '/api/register', {
    cookie: support.cookie,
    body: { ...registration('by.support'), role: 'user', smppAccess: true, maxConnections: 7 },
  })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ role: 'user', smppAccess: true, maxConnections: 7 })
  expect(made.cookie).toBeUndefined()
  for (const role of ['admin', 'support', 'test']) {
    const answer = await api.call('POST', '/api/register', {
      cookie: support.cookie,
      body: { ...registration(`by.support.${role}`), password: 'long enough for staff', role },
    })
    expect([role, answer.status]).toEqual([role, 403])
  }
})

test('staff need twelve characters', async () => {
  const make = (password: string) =>
    api.call('POST', '/api/register', {
      cookie: root,
      body: { ...registration('short.staff'), password, role: 'support' },
    })
  expect((await make('elevenchars')).body.fields).toEqual({
    password: 'Password must be at least 12 characters',
  })
  expect((await make('twelve chars')).status).toBe(201)
})

test('a password of 64 characters with spaces counts to its last one', async () => {
  const password = `${'pass phrase '.repeat(5)}abcd`
  expect(password).toHaveLength(64)
  await api.call('POST', '/api/register', { body: { ...registration('long.password'), password } })
  await signIn('long.password', password)
  const cut = { username: 'long.password', password: `${password.slice(0, -1)}e` }
  expect((await api.call('POST', '/api/login', { body: cut, ip: newAddress() })).status).toBe(401)
})

test('the current user needs a session that exists', async () => {
  for (const cookie of [undefined, 'x'.repeat(43), 'short']) {
    const answer = await api.call('GET', '/api/user', { cookie })
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('signed_out')
  }
})

test('signing out ends the session on the server and takes the cookie away', async () => {
  const { cookie } = await person('user')
  const answer = await api.call('POST', '/api/logout', { cookie })
  expect(answer.status).toBe(200)
  expect(answer.cookie).toBe('')
  expect((await api.call('GET', '/api/user', { cookie })).status).toBe(401)
  expect((await api.call('POST', '/api/logout')).status).toBe(200)
})

test('a changed password ends the other sessions and keeps this one', async () => {
  const { username, password, cookie } = await person('user')
  const other = await signIn(username, password)
  const change = (currentPassword: string, newPassword: string) =>
    api.call('PUT', '/api/user/password', {
      cookie,
      body: { currentPassword, newPassword },
      ip: newAddress(),
    })
  expect((await change('wrong', 'another one')).body.fields).toEqual({
    currentPassword: 'The password is wrong',
  })
  expect((await change(password, '123456')).body.fields).toHaveProperty('newPassword')
  expect((await change(password, password)).body.fields).toHaveProperty('newPassword')
  expect((await change(password, 'another one')).status).toBe(200)
  expect((await api.call('GET', '/api/user', { cookie })).status).toBe(200)
  expect((await api.call('GET', '/api/user', { cookie: other })).status).toBe(401)
  await signIn(username, 'another one')
  const old = await api.call('POST', '/api/login', { body: { username, password }, ip: newAddress() })
  expect(old.status).toBe(401)
})

test('the list filters, sorts and pages without skipping or repeating', async () => {
  for (const username of ['list.c', 'list.a', 'list.b', 'list.d'])
    await person(username === 'list.d' ? 'test' : 'user', 'active', username)
  const list = async (query: string) => {
    const answer = await api.call('GET', `/api/users?search=list.&${query}`, { cookie: root })
    expect(answer.status, answer.text).toBe(200)
    return { names: answer.body.map(({ username }: { username: string }) => username), next: answer.next }
  }
  expect((await list('')).names).toEqual(['list.d', 'list.b', 'list.a', 'list.c'])
  expect((await list('sort=username&order=asc')).names).toEqual(['list.a', 'list.b', 'list.c', 'list.d'])
  expect((await list('role=test')).names).toEqual(['list.d'])
  expect((await list('status=suspended')).names).toEqual([])
  for (const sort of userSorts)
    for (const order of ['asc', 'desc']) {
      const whole = await list(`sort=${sort}&order=${order}`)
      const first = await list(`sort=${sort}&order=${order}&limit=3`)
      const rest = await api.call('GET', first.next!, { cookie: root })
      const names = [...first.names, ...rest.body.map(({ username }: { username: string }) => username)]
      expect([sort, order, names]).toEqual([sort, order, whole.names])
      expect(rest.next).toBeUndefined()
    }
  const summary = await api.call('GET', '/api/users/summary?search=LIST.', { cookie: root })
  expect(summary.body).toEqual({ count: 4, active: 4, withSmppAccess: 0 })
})

test('the list filters by SMPP access, also where many others come first by name', async () => {
  for (const username of ['bind.a', 'bind.b', 'bind.z']) await person('user', 'active', username)
  await sql`update users set smpp_access = true where username = 'bind.z'`.execute(db)
  const names = async (query: string) =>
    (
      await api.call('GET', `/api/users?search=bind.&sort=username&order=asc&${query}`, { cookie: root })
    ).body.map(({ username }: { username: string }) => username)
  expect(await names('smppAccess=with&limit=1')).toEqual(['bind.z'])
  expect(await names('smppAccess=without')).toEqual(['bind.a', 'bind.b'])
  const path = '/api/users/summary?search=bind.&smppAccess=with'
  expect((await api.call('GET', path, { cookie: root })).body).toMatchObject({ count: 1, withSmppAccess: 1 })
})

test('no answer, audit entry or row shows a password or its hash', async () => {
  const { id, password } = await person('user')
  const seen = [
    await api.call('GET', '/api/users?limit=500', { cookie: root }),
    await api.call('GET', `/api/users/${id}`, { cookie: root }),
    await api.call('GET', '/api/audit?limit=500', { cookie: root }),
  ].map(({ text }) => text)
  const stored = await rows<{ row: string }>(
    db,
    sql`select u::text as row from users u union all select s::text from login_sessions s
      union all select e::text from audit_entries e`,
  )
  for (const text of [...seen, ...stored.map(({ row }) => row)]) expect(text).not.toContain(password)
  for (const text of seen) expect(text).not.toContain('$argon2')
  const [{ password_hash: hash } = { password_hash: '' }] = await rows<{ password_hash: string }>(
    db,
    sql`select password_hash from users where id = ${id}`,
  )
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('an account is shown and edited; an edit of an older version is refused', async () => {
  const { id } = await person('user')
  const before = await api.call('GET', `/api/users/${id}`, { cookie: root })
  const body = { firstName: 'Grace', lastName: 'Hopper', maxConnections: '9', version: before.body.version }
  const edited = await api.call('PATCH', `/api/users/${id}`, { cookie: root, body })
  expect(edited.status).toBe(200)
  expect(edited.body).toMatchObject({ fullName: 'Grace Hopper', maxConnections: 9, version: 2 })
  expect(await lastAudit()).toMatchObject({
    action: 'user.edit',
    before: { first_name: 'Ada', last_name: 'Byron', max_connections: 5 },
    after: { first_name: 'Grace', last_name: 'Hopper', max_connections: 9 },
  })
  const late = await api.call('PATCH', `/api/users/${id}`, { cookie: root, body })
  expect([late.status, late.body.code]).toEqual([409, 'stale'])
  const taken = await api.call('PATCH', `/api/users/${id}`, { cookie: root, body: { username: 'ROOT' } })
  expect([taken.status, taken.body.code]).toEqual([409, 'taken'])
  for (const [field, value] of [
    ['maxConnections', 0],
    ['maxConnections', 101],
    ['maxConnections', 'many'],
    ['email', 'x'],
    ['status', 'gone'],
    ['role', 'owner'],
    ['username', 'a b'],
    ['smppAccess', 'maybe'],
  ]) {
    const answer = await api.call('PATCH', `/api/users/${id}`, {
      cookie: root,
      body: { [String(field)]: value },
    })
    expect([field, value, answer.status, Object.keys(answer.body.fields)]).toEqual([
      field,
      value,
      400,
      [field],
    ])
  }
})

test('an edit that changes nothing leaves no entry and no new version', async () => {
  const { id } = await person('user')
  const entry = await lastAudit()
  const answer = await api.call('PATCH', `/api/users/${id}`, { cookie: root, body: { firstName: 'Ada' } })
  expect(answer.body.version).toBe(1)
  expect(await lastAudit()).toEqual(entry)
})

test.each(['0', '999999', 'abc', '99999999999'])('an account with the id %s is not found', async (id) => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { firstName: 'X' }],
    ['PUT', '/role', { role: 'user' }],
    ['PUT', '/status', { status: 'active' }],
    ['PUT', '/smpp-access', { smppAccess: true }],
    ['GET', '/bind-details', undefined],
    ['GET', '/smpp-credentials', undefined],
    ['POST', '/smpp-credentials', undefined],
  ] as const) {
    const answer = await api.call(method, `/api/users/${id}${path}`, { cookie: root, body })
    expect([method, path, answer.status]).toEqual([method, path, 404])
  }
})

test('accounts are exported by filter or as chosen, newest first, without what is secret', async () => {
  const older = await person('test')
  await api.call('PATCH', `/api/users/${older.id}`, { cookie: root, body: { firstName: '=1+1' } })
  const newer = await person('test', 'suspended')
  const linesOf = (text: string) => text.trimEnd().split('\r\n')
  const whole = await api.call('GET', '/api/users/export?role=test', { cookie: root })
  expect(whole.headers['content-disposition']).toBe('attachment; filename="users.csv"')
  const lines = linesOf(whole.text)
  expect(lines[0]).toBe(
    'User ID,Username,First Name,Last Name,Email,Role,Status,SMPP Access,Max Connections,Joined,Second Factor',
  )
  expect(lines[1]).toContain(`${newer.id},${newer.username},Ada,Byron,`)
  expect(lines[1]).toContain(',test,suspended,no,5,')
  expect(lines[2]).toContain(`${older.id},${older.username},'=1+1,Byron,`)
  const exported = (ids: unknown) => api.call('POST', '/api/users/export', { cookie: root, body: { ids } })
  const some = await exported([String(older.id), '99999999', '999999999999999999'])
  expect(linesOf(some.text)).toEqual([lines[0], lines[2]])
  expect((await exported([])).status).toBe(400)
  expect((await exported(['x'])).body.fields).toBeDefined()
  expect((await api.call('GET', '/api/users/export?search=999nobody', { cookie: root })).text).toBe(
    `${lines[0]}\r\n`,
  )
})

test('another e-mail address asks for the password after five minutes', async () => {
  const { id } = await person('user')
  const cookie = await signIn('root', rootPassword)
  const edit = () => api.call('PATCH', `/api/users/${id}`, { cookie, body: { email: 'new@example.org' } })
  clock.advance(5 * 60_000 + 1)
  expect((await edit()).body.code).toBe('reauthenticate')
  const confirm = (password: string) =>
    api.call('POST', '/api/user/reauthenticate', { cookie, body: { password }, ip: newAddress() })
  expect((await confirm('wrong')).status).toBe(400)
  expect((await edit()).status).toBe(403)
  expect((await confirm(rootPassword)).status).toBe(200)
  expect((await edit()).status).toBe(200)
})
