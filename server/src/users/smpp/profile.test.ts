import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'

const { api, db, users, root, person } = await openPeople()

const untouched = {
  systemId: '',
  allowedCidrs: [],
  throughput: 0,
  tlsOnly: false,
  window: 50,
  deliveryWindow: 50,
  defaultAlphabet: 'gsm7',
  isStrict: true,
  enquireLinkSeconds: 30,
  inactivitySeconds: 300,
  messageIdForm: 'text',
  interfaceVersion: 'peer',
}

const show = (id: number, cookie = root) => api.call('GET', `/api/users/${id}/smpp-profile`, { cookie })
const edit = (id: number, body: object, cookie = root) =>
  api.call('PUT', `/api/users/${id}/smpp-profile`, { cookie, body })
const grant = (id: number) =>
  api.call('PUT', `/api/users/${id}/smpp-access`, { cookie: root, body: { smppAccess: true } })

async function supplier() {
  const made = await person('user')
  await grant(made.id)
  return made
}

test('a profile is shown and changed; a missing field stays; an account event is published', async () => {
  const { id, username } = await supplier()
  const { body: before } = await show(id)
  expect(before).toEqual({ ...untouched, systemId: username, version: expect.any(Number) })
  const received: number[] = []
  const stop = users.onAccountChanged((userId) => received.push(userId))
  const changes = { allowedCidrs: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'], throughput: 200 }
  const first = await edit(id, { ...changes, version: before.version })
  expect(first.status).toBe(200)
  expect(first.body).toEqual({ ...before, ...changes, version: before.version + 1 })
  const second = await edit(id, { tlsOnly: true, window: 10 })
  expect(second.body).toEqual({ ...first.body, tlsOnly: true, window: 10, version: before.version + 2 })
  stop()
  expect(new Set(received)).toEqual(new Set([id]))
  expect((await show(id)).body).toEqual(second.body)
  expect(await users.findSmppAccount(username)).toMatchObject({ ...changes, tlsOnly: true, window: 10 })
})

test('how sessions are treated is shown, changed, and written to the audit log', async () => {
  const { id, username } = await supplier()
  const changes = {
    deliveryWindow: 7,
    defaultAlphabet: 'latin1',
    isStrict: false,
    enquireLinkSeconds: 60,
    inactivitySeconds: 0,
    messageIdForm: 'hex',
    interfaceVersion: '3.3',
  }
  expect((await edit(id, changes)).body).toMatchObject(changes)
  expect((await show(id)).body).toMatchObject(changes)
  expect((await users.findSmppAccount(username))?.session).toEqual(changes)
  const { body } = await api.call('GET', `/api/audit?action=smpp-profile.edit&objectId=${id}`, {
    cookie: root,
  })
  expect(body).toMatchObject([{ before: { defaultAlphabet: 'gsm7', isStrict: true }, after: changes }])
})

test.each([
  ['allowedCidrs', ['192.0.2.0/33']],
  ['allowedCidrs', ['192.0.2.0/24', 'example.com']],
  ['allowedCidrs', ['fe80::1%eth0']],
  ['allowedCidrs', ['']],
  ['allowedCidrs', Array.from({ length: 51 }, (_, at) => `192.0.2.${at}`)],
  ['throughput', -1],
  ['throughput', 100_001],
  ['window', 0],
  ['window', 1_001],
  ['systemId', ''],
  ['systemId', 'sixteen_letters_'],
  ['systemId', 'gr\u00fc\u00dfe'],
  ['systemId', 'Tollgate'],
  ['systemId', 's.m.s.c'],
  ['systemId', 'tg-abcdefghij'],
  ['tlsOnly', 'perhaps'],
  ['isStrict', 'perhaps'],
  ['deliveryWindow', 0],
  ['deliveryWindow', 1_001],
  ['enquireLinkSeconds', 4],
  ['enquireLinkSeconds', 3_601],
  ['inactivitySeconds', 59],
  ['inactivitySeconds', 86_401],
  ['defaultAlphabet', 'ebcdic'],
  ['messageIdForm', 'roman'],
  ['interfaceVersion', '5.0'],
])('%s %j is refused by its name', async (field, value) => {
  const { id } = await supplier()
  const { body: before } = await show(id)
  const { status, body } = await edit(id, { [field]: value })
  expect([400, 422]).toContain(status)
  expect(Object.keys(body.fields)).toEqual([field])
  expect((await show(id)).body).toEqual(before)
})

test('a system id that staff chose binds from then on, the old one no more, and a new password leaves it', async () => {
  const { id, username, cookie } = await supplier()
  const before = await users.findSmppAccount(username)
  expect((await edit(id, { systemId: 'carrier-7' })).body.systemId).toBe('carrier-7')
  expect(await users.findSmppAccount(username)).toBeUndefined()
  const after = await users.findSmppAccount('carrier-7')
  expect(after?.userId).toBe(id)
  // The event by which the nodes close the account's binds.
  expect(after?.passwordSetAt.getTime()).toBeGreaterThan(before?.passwordSetAt.getTime() ?? Infinity)
  const renewed = await api.call('POST', `/api/users/${id}/smpp-credentials`, { cookie })
  expect(renewed.body.systemId).toBe('carrier-7')
})

test('a system id belongs to one account, whatever its case, and goes to nobody else when it is given up', async () => {
  const first = await supplier()
  const second = await supplier()
  expect((await edit(first.id, { systemId: 'Alpha' })).status).toBe(200)
  expect((await edit(first.id, { systemId: 'Beta' })).status).toBe(200)
  for (const systemId of ['beta', 'alpha', first.username]) {
    const { status, body } = await edit(second.id, { systemId })
    expect([status, body.code, Object.keys(body.fields)]).toEqual([409, 'taken', ['systemId']])
  }
  expect((await edit(first.id, { systemId: 'Alpha' })).body.systemId).toBe('Alpha')
})

test('without SMPP access there is no system id to change, but the rest can be set before it', async () => {
  const { id } = await person('user')
  expect((await show(id)).body).toMatchObject(untouched)
  expect((await edit(id, { systemId: 'early' })).body.code).toBe('wrong_state')
  expect((await edit(id, { allowedCidrs: ['192.0.2.0/24'] })).status).toBe(200)
  await grant(id)
  expect((await show(id)).body.allowedCidrs).toEqual(['192.0.2.0/24'])
})

test('an edit of an older version of the account is refused', async () => {
  const { id } = await supplier()
  const { version } = (await show(id)).body
  await edit(id, { window: 20 })
  expect((await edit(id, { window: 30, version })).body.code).toBe('stale')
  expect((await show(id)).body.window).toBe(20)
})

test('support and admins see and set profiles, support not an admin\u2019s; nobody else finds them', async () => {
  const { id, cookie } = await supplier()
  const support = await person('support')
  const admin = await person('admin')
  const tester = await person('test')
  expect((await show(id, support.cookie)).status).toBe(200)
  expect((await edit(id, { window: 7 }, support.cookie)).status).toBe(200)
  expect((await show(admin.id, support.cookie)).status).toBe(403)
  expect((await edit(admin.id, { window: 7 }, support.cookie)).status).toBe(403)
  for (const own of [cookie, tester.cookie]) {
    expect((await show(id, own)).status).toBe(403)
    expect((await edit(id, { window: 8 }, own)).status).toBe(403)
  }
  expect((await show(2_000_000_000)).status).toBe(404)
  expect((await edit(2_000_000_000, { window: 8 })).status).toBe(404)
})

test('a change leaves an entry with what was and what is; one that changes nothing leaves none', async () => {
  const { id } = await supplier()
  await edit(id, { throughput: 30, allowedCidrs: ['192.0.2.0/24'] })
  await edit(id, { throughput: 30, allowedCidrs: ['192.0.2.0/24'] })
  const { body } = await api.call('GET', `/api/audit?action=smpp-profile.edit&objectId=${id}`, {
    cookie: root,
  })
  expect(body).toMatchObject([
    {
      actor: 'root',
      objectType: 'user',
      before: { throughput: 0, allowedCidrs: [] },
      after: { throughput: 30, allowedCidrs: ['192.0.2.0/24'] },
    },
  ])
  expect(body).toHaveLength(1)
})

test('a new account is never given a system id that somebody had before', async () => {
  const first = await supplier()
  await edit(first.id, { systemId: 'elsewhere' })
  await sql`update users set username = 'renamed' where id = ${first.id}`.execute(db)
  const second = await person('user', 'active', first.username)
  await grant(second.id)
  expect((await show(second.id)).body.systemId).toMatch(/^tg-/)
})
