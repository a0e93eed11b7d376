import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { rows } from '../../platform/db.ts'
import { openPeople } from '../../../test/people/people.ts'
import { delayMs } from '../login/throttle.ts'
import { deleteOldRateUses } from '../../platform/load/rate-uses.ts'

const { api, clock, db, person, signIn, newAddress } = await openPeople()
const minuteMs = 60_000

function attempt(username: string, password: string, ip: string) {
  return api.call('POST', '/api/login', { body: { username, password }, ip })
}

async function isSignedIn(cookie: string) {
  return (await api.call('GET', '/api/user', { cookie })).status === 200
}

beforeEach(() => {
  clock.set('2026-03-04T12:00:00Z')
})

test('an unknown user and a wrong password get the same answer', async () => {
  const { username } = await person('user')
  const wrong = await attempt(username, 'not the password', newAddress())
  const unknown = await attempt('nobody.there', 'not the password', newAddress())
  expect(wrong.status).toBe(401)
  expect(wrong.body).toEqual({ code: 'wrong_credentials', message: 'The username or the password is wrong.' })
  expect(unknown.body).toEqual(wrong.body)
})

test('usernames sign in whatever their case', async () => {
  const { username, password } = await person('user')
  await signIn(username.toUpperCase(), password)
})

test('signing in gives a new id and ends the session that was there', async () => {
  const { username, password, cookie } = await person('user')
  const answer = await api.call('POST', '/api/login', {
    body: { username, password },
    cookie,
    ip: newAddress(),
  })
  expect(answer.cookie).not.toBe(cookie)
  expect(answer.cookie).toMatch(/^[\w-]{43}$/)
  expect(await isSignedIn(cookie)).toBe(false)
  const planted = await api.call('POST', '/api/login', {
    body: { username, password },
    cookie: 'p'.repeat(43),
    ip: newAddress(),
  })
  expect(planted.cookie).not.toBe('p'.repeat(43))
  expect(await isSignedIn('p'.repeat(43))).toBe(false)
})

test('the database holds no id that signs in', async () => {
  const { cookie } = await person('user')
  const stored = await rows<{ text: string }>(db, sql`select s::text as text from login_sessions s`)
  expect(stored.length).toBeGreaterThan(0)
  for (const { text } of stored) {
    expect(text).not.toContain(cookie)
    expect(text).not.toContain(Buffer.from(cookie, 'base64url').toString('hex'))
  }
})

test.each(['inactive', 'suspended'] as const)(
  'an account that is %s neither signs in nor stays in',
  async (status) => {
    const { id, username, password, cookie } = await person('user')
    const rootCookie = await signIn('root', 'a long enough first password')
    await api.call('PUT', `/api/users/${id}/status`, { cookie: rootCookie, body: { status } })
    expect(await isSignedIn(cookie)).toBe(false)
    const right = await attempt(username, password, newAddress())
    expect([right.status, right.cookie]).toEqual([403, undefined])
    const wrong = await attempt(username, 'wrong', newAddress())
    expect(wrong.status).toBe(401)
    await api.call('PUT', `/api/users/${id}/status`, { cookie: rootCookie, body: { status: 'active' } })
    expect(await isSignedIn(cookie)).toBe(false)
    await signIn(username, password)
  },
)

test('a suspension while people sign in leaves no session behind', async () => {
  const { id, username, password } = await person('user')
  const rootCookie = await signIn('root', 'a long enough first password')
  const [, ...answers] = await Promise.all([
    api.call('PUT', `/api/users/${id}/status`, { cookie: rootCookie, body: { status: 'suspended' } }),
    ...Array.from({ length: 10 }, () => attempt(username, password, newAddress())),
  ])
  for (const { cookie } of answers) expect(cookie === undefined || !(await isSignedIn(cookie))).toBe(true)
  const left = await rows(db, sql`select 1 from login_sessions where user_id = ${id}`)
  expect(left).toEqual([])
})

test('a changed role holds at once, and the session gets a new id', async () => {
  const { id, cookie } = await person('admin')
  const rootCookie = await signIn('root', 'a long enough first password')
  expect((await api.call('GET', '/api/audit', { cookie })).status).toBe(200)
  await api.call('PUT', `/api/users/${id}/role`, { cookie: rootCookie, body: { role: 'user' } })
  expect((await api.call('GET', '/api/audit', { cookie })).status).toBe(403)
  const current = await api.call('GET', '/api/user', { cookie })
  expect(current.body.role).toBe('user')
  expect(current.cookie).toMatch(/^[\w-]{43}$/)
  expect(await isSignedIn(current.cookie!)).toBe(true)
  // Calls that were on their way are still served; then the old id is dead.
  expect(await isSignedIn(cookie)).toBe(true)
  clock.advance(5_000)
  expect(await isSignedIn(cookie)).toBe(false)
  expect(await isSignedIn(current.cookie!)).toBe(true)
})

test('five failures are free, then the delay doubles', () => {
  expect([0, 4, 5, 6, 7, 20].map(delayMs)).toEqual([0, 0, 10_000, 20_000, 40_000, 15 * minuteMs])
})

test('after five failures the account waits at that address, and only there', async () => {
  const { username, password } = await person('user')
  const ip = newAddress()
  for (let index = 0; index < 5; index += 1) expect((await attempt(username, 'wrong', ip)).status).toBe(401)
  const delayed = await attempt(username.toUpperCase(), password, ip)
  expect(delayed.status).toBe(429)
  expect(delayed.headers['retry-after']).toBe('10')
  expect(delayed.body).toMatchObject({ code: 'too_many', message: expect.stringContaining('10 seconds') })
  expect((await attempt(username, password, newAddress())).status).toBe(200)

  clock.advance(10_000)
  expect((await attempt(username, 'wrong', ip)).status).toBe(401)
  expect((await attempt(username, password, ip)).headers['retry-after']).toBe('20')
  clock.advance(20_000)
  expect((await attempt(username, password, ip)).status).toBe(200)
  // A right password ends the delay: five free tries again.
  for (let index = 0; index < 5; index += 1) expect((await attempt(username, 'wrong', ip)).status).toBe(401)
})

test('of a thousand guesses sent at once a handful are looked at', async () => {
  const { username, password } = await person('user')
  const ip = newAddress()
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => attempt(username, `guess ${index}`, ip)),
  )
  const evaluated = answers.filter(({ status }) => status === 401).length
  expect(evaluated).toBeGreaterThanOrEqual(5)
  expect(evaluated).toBeLessThanOrEqual(20)
  expect(answers.every(({ status }) => status === 401 || status === 429)).toBe(true)
  expect((await attempt(username, password, newAddress())).status).toBe(200)
  clock.advance(15 * minuteMs)
  expect((await attempt(username, password, ip)).status).toBe(200)
})

test('right passwords are never counted', async () => {
  const { username, password } = await person('user')
  const ip = newAddress()
  const answers = await Promise.all(Array.from({ length: 30 }, () => attempt(username, password, ip)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('an address that fails a hundred times in an hour waits, whoever it names', async () => {
  const { username, password } = await person('user')
  const ip = newAddress()
  await sql`insert into rate_uses (act, subject, at)
    select 'failed attempt', ${`login:${ip}`}, ${clock.now()}::timestamptz - make_interval(secs => n) from generate_series(1, 99) n`.execute(
    db,
  )
  expect((await attempt('someone.else', 'wrong', ip)).status).toBe(401)
  const answer = await attempt(username, password, ip)
  expect(answer.status).toBe(429)
  expect(Number(answer.headers['retry-after'])).toBe(3_600 - 99)
  clock.advance((3_600 - 99) * 1_000)
  expect((await attempt(username, password, ip)).status).toBe(200)
})

test('addresses of one IPv6 network count together', async () => {
  const { username } = await person('user')
  for (let index = 1; index <= 5; index += 1)
    expect((await attempt(username, 'wrong', `2001:db8:1:2::${index}`)).status).toBe(401)
  expect((await attempt(username, 'wrong', '2001:db8:1:2:aaaa:bbbb:cccc:dddd')).status).toBe(429)
  expect((await attempt(username, 'wrong', '2001:db8:1:3::1')).status).toBe(401)
})

test('sign-ups that ask for taken usernames are slowed down, others are not', async () => {
  const ip = newAddress()
  const signUp = (username: string) =>
    api.call('POST', '/api/register', {
      ip,
      body: { username, password: 'correct horse', email: 'a@example.org', firstName: 'A', lastName: 'B' },
    })
  await sql`insert into rate_uses (act, subject, at)
    select 'failed attempt', ${`signup:${ip}`}, ${clock.now()} from generate_series(1, 99)`.execute(db)
  expect((await signUp('fresh.name')).status).toBe(201)
  expect((await signUp('root')).status).toBe(409)
  const answer = await signUp('fresher.name')
  expect(answer.status).toBe(429)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_000)
})

test('failed attempts are forgotten once no limit counts them', async () => {
  const before = new Date(clock.now().getTime() - 61 * minuteMs)
  await sql`insert into rate_uses (act, subject, at) values
    ('failed attempt', 'old', ${before}), ('failed attempt', 'new', ${clock.now()})`.execute(db)
  await deleteOldRateUses(db, clock.now())
  const subjects = await rows(db, sql`select subject from rate_uses where subject in ('old', 'new')`)
  expect(subjects).toEqual([{ subject: 'new' }])
})
