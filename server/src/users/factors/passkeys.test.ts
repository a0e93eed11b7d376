import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { TestAuthenticator } from '../../../test/people/authenticator.ts'
import { enrolApp, nextCode } from '../../../test/people/factors.ts'
import { openPeople } from '../../../test/people/people.ts'

const people = await openPeople()
const { api, clock, db, root, person, newAddress } = people

async function makeOptions(cookie: string) {
  const answer = await api.call('POST', '/api/user/second-factor/passkeys/options', { cookie })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

function add(cookie: string, made: object, name = 'Telephone') {
  return api.call('POST', '/api/user/second-factor/passkeys', { cookie, body: { ...made, name } })
}

/** Somebody with a passkey. */
async function withPasskey(role: 'user' | 'admin' = 'user') {
  const owner = await person(role)
  const device = new TestAuthenticator()
  const added = await add(owner.cookie, device.create(await makeOptions(owner.cookie)))
  expect(added.status, added.text).toBe(201)
  return { ...owner, cookie: added.cookie ?? '', device, added: added.body }
}

async function askOptions() {
  const answer = await api.call('POST', '/api/login/passkey/options', { ip: newAddress() })
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

function enter(assertion: object) {
  return api.call('POST', '/api/login/passkey', { body: assertion, ip: newAddress() })
}

test('a passkey is made, named, listed, and signs in by itself', async () => {
  const ada = await withPasskey()
  expect(ada.added.passkey).toMatchObject({ name: 'Telephone', lastUsedAt: null })
  expect(ada.added.recoveryCodes).toHaveLength(10)
  const options = await askOptions()
  expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
  const answer = await enter(ada.device.get(options))
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body).toMatchObject({ username: ada.username, hasSecondFactor: true })
  const { body } = await api.call('GET', '/api/user/second-factor', { cookie: answer.cookie })
  expect(body).toMatchObject({ totpSince: null, recoveryCodesLeft: 10, hasPasskeyAddress: true })
  expect(body.passkeys[0].lastUsedAt).toBe(clock.now().toISOString())

  const path = `/api/user/second-factor/passkeys/${ada.added.passkey.id}`
  const renamed = await api.call('PATCH', path, { cookie: ada.cookie, body: { name: 'Old telephone' } })
  expect(renamed.body.name).toBe('Old telephone')
})

test('a passkey that is sent again is the one that was made, with the same recovery codes', async () => {
  const { cookie } = await person('user')
  const device = new TestAuthenticator()
  const made = device.create(await makeOptions(cookie))
  const send = (name: string) =>
    api.call('POST', '/api/user/second-factor/passkeys', {
      cookie,
      headers: { 'idempotency-key': 'passkey-1' },
      body: { ...made, name },
    })
  const first = await send('Telephone')
  const again = await send('Telephone')
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.body).toEqual(first.body)
  expect((await send('Tablet')).status).toBe(422)
  const { body } = await api.call('GET', '/api/user/second-factor', { cookie })
  expect(body.passkeys).toHaveLength(1)
})

test('an answer that is not accepted uses its challenge up', async () => {
  const { cookie } = await person('user')
  const made = new TestAuthenticator().create(await makeOptions(cookie))
  expect((await add(cookie, { ...made, attestationObject: 'o2NmbXRkbm9uZQ' })).status).toBe(400)
  expect((await add(cookie, made)).status).toBe(400)
})

test('beside a passkey the password wants a recovery code', async () => {
  const ada = await withPasskey()
  const { username, password } = ada
  const response = await api.call('POST', '/api/login', { body: { username, password }, ip: newAddress() })
  expect([response.status, response.body.code]).toEqual([401, 'second_factor'])
  expect(response.body.fields).toEqual({ code: 'Enter a recovery code', passkey: 'Use your passkey' })
  const code = ada.added.recoveryCodes[0]
  const entered = await api.call('POST', '/api/login', {
    body: { username, password, code },
    ip: newAddress(),
  })
  expect(entered.status).toBe(200)
})

test('a challenge is valid once, for five minutes and for its purpose', async () => {
  const ada = await withPasskey()
  const options = await askOptions()
  const answer = ada.device.get(options)
  expect((await enter(answer)).status).toBe(200)
  expect((await enter(answer)).status).toBe(401)
  expect((await enter(ada.device.get(options))).status).toBe(401)
  const late = await askOptions()
  clock.advance(5 * 60_000)
  expect((await enter(ada.device.get(late))).status).toBe(401)
  const made = await api.call('POST', '/api/user/reauthenticate/options', { cookie: ada.cookie })
  expect((await enter(ada.device.get(made.body))).status).toBe(401)
  expect((await enter(ada.device.get({ challenge: 'A'.repeat(43) }))).status).toBe(401)
})

test('the sweep takes challenges that are over', async () => {
  await askOptions()
  clock.advance(5 * 60_000)
  const sweep = people.users.jobs.find(({ name }) => name === 'sweep-logins')
  await sweep?.run(new AbortController().signal)
  expect(await rows(db, sql`select from passkey_challenges`)).toEqual([])
})

test('one network cannot fill the table of challenges', async () => {
  const ip = newAddress()
  for (let turn = 0; turn < 110; turn++) await api.call('POST', '/api/login/passkey/options', { ip })
  expect(await rows(db, sql`select from passkey_challenges where network = ${ip}`)).toHaveLength(100)
})

test('what was signed for another site, by another key or without its owner is refused', async () => {
  const ada = await withPasskey()
  const foreign = { origin: 'http://evil.example', rpId: 'localhost' }
  expect((await enter(ada.device.get(await askOptions(), foreign))).status).toBe(401)
  const otherSite = { rpId: 'evil.example' }
  expect((await enter(ada.device.get(await askOptions(), otherSite))).status).toBe(401)
  const forged = { ...new TestAuthenticator().get(await askOptions()), id: ada.device.id }
  expect((await enter({ ...forged, userHandle: 'AAAA' })).status).toBe(401)
  const other = await withPasskey()
  const swapped = { ...ada.device.get(await askOptions()), id: other.device.id }
  expect((await enter(swapped)).status).toBe(401)
  ada.device.isVerifying = false
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(401)
  ada.device.isVerifying = true
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(200)
})

test('a registration for another site, of another person or without a check of the owner is refused', async () => {
  const ada = await person('user')
  const bea = await person('user')
  const device = new TestAuthenticator()
  const foreign = device.create(await makeOptions(ada.cookie), { origin: 'http://evil.example' })
  expect((await add(ada.cookie, foreign)).status).toBe(400)
  expect((await add(bea.cookie, device.create(await makeOptions(ada.cookie)))).status).toBe(400)
  device.isVerifying = false
  expect((await add(ada.cookie, device.create(await makeOptions(ada.cookie)))).status).toBe(400)
})

test('a counter that goes back is refused and audited', async () => {
  const ada = await withPasskey()
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(200)
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(200)
  ada.device.signCount = 0
  const copied = await enter(ada.device.get(await askOptions()))
  expect([copied.status, copied.cookie]).toEqual([401, undefined])
  const entries = await api.call('GET', `/api/audit?action=passkey.counter-went-back`, { cookie: root })
  expect(entries.body[0]).toMatchObject({ actor: ada.username, after: { name: 'Telephone' } })
})

test('a removed passkey signs nobody in, and one of two leaves the other', async () => {
  const ada = await withPasskey()
  const second = new TestAuthenticator()
  const options = await makeOptions(ada.cookie)
  expect(options.excludeCredentials).toEqual([{ id: ada.device.id, type: 'public-key' }])
  const added = await add(ada.cookie, second.create(options), 'Key')
  expect(added.body.recoveryCodes).toEqual([])
  const cookie = added.cookie ?? ''
  const remove = (id: string) => api.call('DELETE', `/api/user/second-factor/passkeys/${id}`, { cookie })
  expect((await remove(ada.added.passkey.id)).status).toBe(200)
  expect((await remove(ada.added.passkey.id)).status).toBe(404)
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(401)
  expect((await enter(second.get(await askOptions()))).status).toBe(200)
})

test('nobody renames or removes the passkey of another', async () => {
  const ada = await withPasskey()
  const bea = await person('user')
  const path = `/api/user/second-factor/passkeys/${ada.added.passkey.id}`
  expect((await api.call('PATCH', path, { cookie: bea.cookie, body: { name: 'Mine' } })).status).toBe(404)
  expect((await api.call('DELETE', path, { cookie: bea.cookie })).status).toBe(404)
})

test('a suspended account is not entered with a passkey', async () => {
  const ada = await withPasskey()
  await api.call('PUT', `/api/users/${ada.id}/status`, { cookie: root, body: { status: 'suspended' } })
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(403)
})

test('a passkey confirms its own session and no other', async () => {
  const ada = await withPasskey()
  const bea = await withPasskey()
  const ask = async (cookie: string) =>
    (await api.call('POST', '/api/user/reauthenticate/options', { cookie })).body
  const confirm = (cookie: string, passkey: object) =>
    api.call('POST', '/api/user/reauthenticate', { cookie, body: { passkey } })
  expect((await confirm(ada.cookie, bea.device.get(await ask(ada.cookie)))).status).toBe(400)
  expect((await confirm(ada.cookie, ada.device.get(await ask(bea.cookie)))).status).toBe(400)
  expect((await confirm(ada.cookie, ada.device.get(await ask(ada.cookie)))).status).toBe(200)
})

test('an app beside a passkey: either of them does', async () => {
  const ada = await withPasskey()
  const app = await enrolApp(people, ada)
  expect(app.recoveryCodes).toEqual([])
  const { username, password } = ada
  const body = { username, password, code: nextCode(people, app) }
  expect((await api.call('POST', '/api/login', { body, ip: newAddress() })).status).toBe(200)
  expect((await enter(ada.device.get(await askOptions()))).status).toBe(200)
})

test('where the console is reached by an IP address there are no passkeys, and it says why', async () => {
  const ada = await person('user')
  const headers = { host: '127.0.0.1:8080' }
  const response = await api.call('POST', '/api/login/passkey/options', { headers })
  expect([response.status, response.body.code]).toEqual([409, 'wrong_state'])
  expect(response.body.message).toContain('localhost')
  const own = await api.call('GET', '/api/user/second-factor', { cookie: ada.cookie, headers })
  expect(own.body.hasPasskeyAddress).toBe(false)
})
