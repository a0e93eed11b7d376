import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openTestApi } from '../../../test/http/api.ts'
import { enrolApp, nextCode } from '../../../test/people/factors.ts'
import { rootPassword } from '../../../test/people/people.ts'
import { createTestUsers } from '../../../test/people/audit.ts'
import { codeOf, stepAt } from './totp.ts'
import { openSecondFactorEnvironment } from './testing/second-factor-environment.ts'

const { people, api, clock, db, users, root, person, newAddress, login, actionsOf } =
  await openSecondFactorEnvironment()

async function setRule(value: 'off' | 'staff') {
  await users.settings.put(db, 'second_factor', value, {
    actor: { userId: null, username: 'system' },
    ip: '',
  })
}

test('an app counts once a code has confirmed it, and then no password signs in without a code', async () => {
  const ada = await person('user')
  const started = await api.call('POST', '/api/user/second-factor/totp', { cookie: ada.cookie })
  expect(started.body.secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(started.body.uri).toContain(`otpauth://totp/Tollgate:${ada.username}?secret=${started.body.secret}`)
  expect((await login(ada)).status).toBe(200)
  const wrong = await api.call('PUT', '/api/user/second-factor/totp', {
    cookie: ada.cookie,
    body: { code: '000000' },
  })
  expect([wrong.status, wrong.body.fields]).toEqual([400, { code: 'Wrong code' }])

  const app = await enrolApp(people, ada)
  expect(app.recoveryCodes).toHaveLength(10)
  const halfway = await login(ada)
  expect([halfway.status, halfway.body.code, halfway.cookie]).toEqual([401, 'second_factor', undefined])
  expect(halfway.body.fields).toEqual({ code: 'Enter the code from your authenticator app' })
  const answer = await login(ada, nextCode(people, app))
  expect(answer.status).toBe(200)
  expect(answer.body.hasSecondFactor).toBe(true)
  expect(await actionsOf(ada.id)).toEqual(expect.arrayContaining(['totp.add', 'session.start']))
})

test('without the code there is no session that any call could use', async () => {
  const admin = await person('admin')
  await enrolApp(people, admin)
  const halfway = await login(admin)
  expect(halfway.cookie).toBeUndefined()
  expect((await api.call('GET', '/api/users', { cookie: halfway.cookie })).status).toBe(401)
})

test('a wrong password says nothing of a second factor', async () => {
  const ada = await person('user')
  await enrolApp(people, ada)
  const wrong = await login({ ...ada, password: 'not it at all' }, '123456')
  expect([wrong.status, wrong.body.code, wrong.body.fields]).toEqual([401, 'wrong_credentials', undefined])
})

test('a code is taken once, and the one before it no more after it', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  clock.advance(90_000)
  const step = stepAt(clock.now())
  const [before, current] = [codeOf(app.secret, step - 1), codeOf(app.secret, step)]
  expect((await login(ada, current)).status).toBe(200)
  const again = await login(ada, current)
  expect([again.status, again.body.code]).toEqual([401, 'second_factor'])
  expect((await login(ada, before)).status).toBe(401)
})

test('a code in Arabic digits signs in; a wrong one is refused, counted and audited as any other', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const arabic = (code: string) =>
    Array.from(code, (digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const wrong = await login(ada, 'éééééé')
  expect(wrong).toMatchObject({ status: 401, body: { fields: { code: 'Wrong, or used before' } } })
  expect(wrong.body.message).toContain('the clock of its device')
  expect(await actionsOf(ada.id)).toContain('second-factor.failure')
  expect((await login(ada, arabic(nextCode(people, app)))).status).toBe(200)
})

test('the code that confirmed the app signs nobody in', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  expect((await login(ada, app.confirmedWith)).status).toBe(401)
})

test('the code of the step before is taken, an older one and one of a clock that goes ahead are not', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  clock.advance(120_000)
  const step = stepAt(clock.now())
  expect((await login(ada, codeOf(app.secret, step - 2))).status).toBe(401)
  expect((await login(ada, codeOf(app.secret, step + 1))).status).toBe(401)
  expect((await login(ada, codeOf(app.secret, step - 1))).status).toBe(200)
})

test('of two nodes that get one code at one moment, one takes it', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const other = createTestUsers({ db, clock, audit: people.audit })
  const otherApi = await openTestApi(other.routes, other.findActor, clock)
  const body = { username: ada.username, password: ada.password, code: nextCode(people, app) }
  const answers = await Promise.all(
    [api, otherApi, api, otherApi].map((node) => node.call('POST', '/api/login', { body, ip: newAddress() })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401])
})

test('the delay of wrong codes leaves recovery codes free', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  for (let turn = 0; turn < 5; turn++) await login(ada, '000000')
  expect((await login(ada, '000000')).status).toBe(429)
  expect((await login(ada, app.recoveryCodes[0])).status).toBe(200)
})

test('each recovery code signs in once, however it is typed, and new ones end the old', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const [first = '', second = ''] = app.recoveryCodes
  const entered = await login(ada, ` ${first.toUpperCase().replaceAll('-', ' ')} `)
  expect(entered.status).toBe(200)
  expect((await login(ada, first)).status).toBe(401)
  const cookie = entered.cookie
  const own = await api.call('GET', '/api/user/second-factor', { cookie })
  expect(own.body).toMatchObject({ recoveryCodesLeft: 9, passkeys: [], isRequired: false })
  expect(await actionsOf(ada.id)).toContain('recovery-code.use')
  const renewed = await api.call('POST', '/api/user/second-factor/recovery-codes', { cookie })
  expect(renewed.body.recoveryCodes).toHaveLength(10)
  expect((await login(ada, second)).status).toBe(401)
  expect((await login(ada, renewed.body.recoveryCodes[3])).status).toBe(200)
})

test('when the key of the gateway was lost recovery codes still sign in', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  await sql`update totp_factors set encrypted_secret = decode(repeat('00', 60), 'hex') where user_id = ${ada.id}`.execute(
    db,
  )
  expect((await login(ada, nextCode(people, app))).status).toBe(401)
  expect((await login(ada, app.recoveryCodes[0])).status).toBe(200)
})

test('the database holds neither the secret nor a recovery code in clear', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const stored = await rows<{ encrypted: Buffer }>(
    db,
    sql`select encrypted_secret as encrypted from totp_factors where user_id = ${ada.id}
      union all select code_hash from recovery_codes where user_id = ${ada.id}`,
  )
  expect(stored).toHaveLength(11)
  for (const { encrypted } of stored) {
    expect(encrypted.includes(app.secret)).toBe(false)
    for (const code of app.recoveryCodes) expect(encrypted.includes(code.replaceAll('-', ''))).toBe(false)
  }
})

test('a new factor ends the other sessions and gives this one a new id', async () => {
  const ada = await person('user')
  const other = await login(ada)
  const app = await enrolApp(people, ada)
  expect((await api.call('GET', '/api/user', { cookie: other.cookie })).status).toBe(401)
  expect(app.cookie).not.toBe(ada.cookie)
  expect((await api.call('GET', '/api/user', { cookie: app.cookie })).status).toBe(200)
  clock.advance(5_001)
  expect((await api.call('GET', '/api/user', { cookie: ada.cookie })).status).toBe(401)
})

test('confirming a session takes the password and a code', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const confirm = (body: object) =>
    api.call('POST', '/api/user/reauthenticate', { cookie: app.cookie, body, ip: newAddress() })
  const missing = await confirm({ password: ada.password })
  expect([missing.status, missing.body.fields]).toEqual([
    400,
    { code: 'Enter the code from your authenticator app' },
  ])
  expect((await confirm({ password: 'not it', code: nextCode(people, app) })).body.fields).toEqual({
    password: 'The password is wrong',
  })
  expect((await confirm({ code: '123456' })).body.fields).toEqual({ password: 'Enter your password' })
  expect((await confirm({ password: ada.password, code: '000000' })).status).toBe(400)
  const { status, cookie } = await confirm({ password: ada.password, code: nextCode(people, app) })
  expect(status).toBe(200)
  // Whoever knows the id of before must not have what was proven here.
  clock.advance(5_001)
  expect((await api.call('GET', '/api/user', { cookie: app.cookie })).status).toBe(401)
  expect((await api.call('GET', '/api/user', { cookie })).status).toBe(200)
})

test('a removed app asks for no code, and its recovery codes are gone', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const remove = () => api.call('DELETE', '/api/user/second-factor/totp', { cookie: app.cookie })
  expect((await remove()).status).toBe(200)
  expect((await remove()).status).toBe(404)
  expect((await login(ada)).status).toBe(200)
  expect(await rows(db, sql`select from recovery_codes where user_id = ${ada.id}`)).toHaveLength(0)
  expect(await actionsOf(ada.id)).toContain('totp.remove')
})

test('a new telephone takes the place of the old one', async () => {
  const ada = await person('user')
  const old = await enrolApp(people, ada)
  clock.advance(60_000)
  const fresh = await enrolApp(people, { ...ada, cookie: old.cookie })
  expect(fresh.recoveryCodes).toEqual([])
  expect((await login(ada, nextCode(people, old))).status).toBe(401)
  expect((await login(ada, nextCode(people, fresh))).status).toBe(200)
})

test('a secret that was shown long ago cannot be confirmed', async () => {
  const ada = await person('user')
  const { body } = await api.call('POST', '/api/user/second-factor/totp', { cookie: ada.cookie })
  expect(body.secret).toBeDefined()
  await sql`update totp_factors set created_at = created_at - interval '16 minutes'
    where user_id = ${ada.id}`.execute(db)
  const late = await api.call('PUT', '/api/user/second-factor/totp', {
    cookie: ada.cookie,
    body: { code: '123456' },
  })
  expect([late.status, late.body.code]).toEqual([409, 'wrong_state'])
})

test('only who has a second factor can make it a rule for staff', async () => {
  const admin = await person('admin')
  const by = { actor: { userId: admin.id, username: admin.username }, ip: '' }
  await expect(users.settings.put(db, 'second_factor', 'staff', by)).rejects.toMatchObject({
    code: 'wrong_state',
  })
  await enrolApp(people, admin)
  onTestFinished(() => setRule('off'))
  await users.settings.put(db, 'second_factor', 'staff', by)
})

test('under the rule staff without a factor can do nothing but set one up; clients are free', async () => {
  const support = await person('support')
  const client = await person('user')
  await setRule('staff')
  onTestFinished(() => setRule('off'))
  const entered = await login(support)
  expect([entered.status, entered.body.restriction]).toEqual([200, 'second_factor'])
  const cookie = entered.cookie ?? ''
  for (const [method, path] of [
    ['GET', '/api/users'],
    ['POST', '/api/keys'],
    ['DELETE', '/api/user/second-factor/totp'],
    ['POST', '/api/user/second-factor/recovery-codes'],
  ] as const) {
    const refused = await api.call(method, path, { cookie })
    expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'second_factor_required'])
  }
  expect((await api.call('GET', '/api/user', { cookie })).body.restriction).toBe('second_factor')
  expect((await api.call('GET', '/api/user', { cookie: client.cookie })).body.restriction).toBeUndefined()
  const app = await enrolApp(people, { ...support, cookie })
  expect((await api.call('GET', '/api/user', { cookie: app.cookie })).body.restriction).toBeUndefined()
  expect((await api.call('GET', '/api/users', { cookie: app.cookie })).status).toBe(200)
  const removed = await api.call('DELETE', '/api/user/second-factor/totp', { cookie: app.cookie })
  expect([removed.status, removed.body.code]).toEqual([409, 'wrong_state'])
})

test('a changed password alone does not make a session with a second factor fresh', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const since = async () =>
    (
      await rows<{ at: Date }>(
        db,
        sql`select max(authenticated_at) as at from login_sessions where user_id = ${ada.id}`,
      )
    )[0]?.at
  const before = await since()
  clock.advance(60_000)
  const changed = await api.call('PUT', '/api/user/password', {
    cookie: app.cookie,
    body: { currentPassword: ada.password, newPassword: 'quite another one' },
  })
  expect(changed.status).toBe(200)
  expect(await since()).toEqual(before)
})

test('an admin removes the factor of a client, which ends its sessions; support may not', async () => {
  const ada = await person('user')
  const app = await enrolApp(people, ada)
  const support = await person('support')
  const path = `/api/users/${ada.id}/second-factor`
  expect((await api.call('DELETE', path, { cookie: support.cookie })).status).toBe(403)
  const cookie = await people.signIn('root', rootPassword)
  const answer = await api.call('DELETE', path, { cookie })
  expect([answer.status, answer.body]).toEqual([200, { outcome: 'removed' }])
  expect((await api.call('GET', '/api/user', { cookie: app.cookie })).status).toBe(401)
  expect((await login(ada)).status).toBe(200)
  expect((await api.call('DELETE', path, { cookie })).status).toBe(409)
  expect(await actionsOf(ada.id)).toContain('second-factor.remove')
})

test('the factor of an admin is removed only when a second admin agrees', async () => {
  const [lost, first, second] = [await person('admin'), await person('admin'), await person('admin')]
  const app = await enrolApp(people, lost)
  const path = `/api/users/${lost.id}/second-factor`
  const ask = async (cookie: string) => (await api.call('DELETE', path, { cookie })).body.outcome
  const waiting = async () =>
    (await api.call('GET', '/api/users/second-factor-resets', { cookie: first.cookie })).body
  expect((await api.call('DELETE', path, { cookie: app.cookie })).status).toBe(409)
  expect(await ask(first.cookie)).toBe('awaiting_second_admin')
  expect(await ask(first.cookie)).toBe('awaiting_second_admin')
  expect(await waiting()).toMatchObject([{ userId: lost.id, requestedBy: first.username }])
  // Whoever signs in with the factor has not lost it.
  expect((await login(lost, nextCode(people, app))).status).toBe(200)
  expect(await waiting()).toEqual([])

  expect(await ask(second.cookie)).toBe('awaiting_second_admin')
  const refused = await api.call('DELETE', `${path}/request`, { cookie: first.cookie })
  expect(refused.status).toBe(200)
  expect(await ask(first.cookie)).toBe('awaiting_second_admin')
  await sql`update factor_resets set requested_at = requested_at - interval '25 hours'`.execute(db)
  expect(await ask(second.cookie)).toBe('awaiting_second_admin')
  expect(await ask(first.cookie)).toBe('removed')
  expect(await waiting()).toEqual([])
  expect((await login(lost)).body.hasSecondFactor).toBe(false)
})

test('the operator removes a factor together with the password, without any admin', async () => {
  const ada = await person('admin')
  await enrolApp(people, ada)
  const reset = async (removesSecondFactor: boolean) => {
    const { password } = await users.resetByOperator(ada.id, { withdrawsAccess: false, removesSecondFactor })
    return login({ ...ada, password })
  }
  expect((await users.findToReset(ada.username))?.hasSecondFactor).toBe(true)
  expect((await reset(false)).body.code).toBe('second_factor')
  expect((await reset(true)).body).toMatchObject({ restriction: 'password_change', hasSecondFactor: false })
  expect(await actionsOf(ada.id)).toContain('second-factor.remove')
})

test('a person with a printed password must change it before adding a factor', async () => {
  const ada = await person('user')
  const { password } = await users.resetByOperator(ada.id, { withdrawsAccess: false })
  const { cookie } = await login({ ...ada, password })
  for (const path of ['totp', 'passkeys/options']) {
    const refused = await api.call('POST', `/api/user/second-factor/${path}`, { cookie })
    expect([path, refused.status, refused.body.code]).toEqual([path, 403, 'password_change_required'])
  }
})

test('staff see who has a second factor and filter by it', async () => {
  const ada = await person('user', 'active', 'with.factor')
  const bea = await person('user', 'active', 'without.factor')
  await enrolApp(people, ada)
  const listed = async (filter: string) => {
    const answer = await api.call('GET', `/api/users?search=out.fact&${filter}`, { cookie: root })
    return answer.body.map((user: { username: string; hasSecondFactor: boolean }) => [
      user.username,
      user.hasSecondFactor,
    ])
  }
  expect(await listed('secondFactor=without')).toEqual([[bea.username, false]])
  expect(await listed('secondFactor=with')).toEqual([])
  const all = await api.call('GET', '/api/users?search=with.factor', { cookie: root })
  expect(all.body).toMatchObject([{ username: ada.username, hasSecondFactor: true }])
})
