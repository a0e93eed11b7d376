// Guesses from many addresses, and owners who sign in meanwhile.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'
import { registry } from '../../platform/metrics.ts'
import { strangersWaitMs } from './throttle.ts'

const { api, clock, db, root, person, newAddress } = await openPeople()
const minuteMs = 60_000

interface Who {
  readonly username: string
  readonly password: string
}
const attempt = ({ username, password }: Who, ip = newAddress(), device?: string) =>
  api.call('POST', '/api/login', {
    body: { username, password },
    ip,
    headers: device === undefined ? {} : { cookie: `device=${device}` },
  })
const wrong = (who: Who) => ({ ...who, password: 'wrong' })
function deviceOf(answer: { headers: Record<string, unknown> }): string {
  return /device=([\w-]+)/.exec(String(answer.headers['set-cookie']))?.[1] ?? ''
}
/** Failures as 30 and more addresses leave them. */
const failEverywhere = (who: Who, count: number) =>
  sql`insert into rate_uses (act, subject, at)
    select 'failed attempt', ${`account:${who.username}|everywhere`}, ${clock.now()} from generate_series(1, ${count}::int)`.execute(
    db,
  )

test('the wait of strangers grows with the failures of an account, and ends at five minutes', () => {
  expect([0, 29, 30, 60, 90, 120, 150, 10_000].map(strangersWaitMs)).toEqual(
    [0, 0, 15, 30, 60, 120, 240, 300].map((seconds) => seconds * 1_000),
  )
})

test('an owner on a known device signs in at once while an address and an account are guessed at', async () => {
  const ada = await person('user')
  const ip = newAddress()
  const device = deviceOf(await attempt(ada, ip))
  await failEverywhere(ada, 500)
  await sql`insert into rate_uses (act, subject, at)
    select 'failed attempt', ${`login:${ip}`}, ${clock.now()} from generate_series(1, 200)`.execute(db)
  for (let index = 0; index < 6; index += 1) await attempt(wrong(ada), ip)
  expect((await attempt(ada, ip)).status).toBe(429)
  expect((await attempt(ada, ip, device)).status).toBe(200)
  // Known to one account is not known to another.
  const bob = await person('user')
  expect((await attempt(bob, ip, device)).status).toBe(429)
})

test('a known device has five free failures of its own', async () => {
  const ada = await person('user')
  const device = deviceOf(await attempt(ada))
  for (let index = 0; index < 5; index += 1)
    expect((await attempt(wrong(ada), newAddress(), device)).status).toBe(401)
  expect((await attempt(ada, newAddress(), device)).status).toBe(429)
  expect((await attempt(ada)).status).toBe(200)
})

test('under attack a stranger’s network waits once for each guess, and an owner on a new device no longer', async () => {
  const ada = await person('user')
  await failEverywhere(ada, 10_000)
  const ip = newAddress()
  const slowed = await attempt(ada, ip)
  expect([slowed.status, slowed.headers['retry-after']]).toEqual([429, '300'])
  clock.advance(4 * minuteMs)
  // What others do meanwhile does not prolong it.
  for (let index = 0; index < 20; index += 1) await attempt(wrong(ada))
  expect((await attempt(ada, ip)).headers['retry-after']).toBe('60')
  clock.advance(minuteMs)
  const both = await Promise.all([attempt(wrong(ada), ip), attempt(wrong(ada), ip)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([401, 429])
  expect((await attempt(ada, ip)).headers['retry-after']).toBe('300')
  clock.advance(5 * minuteMs)
  expect((await attempt(ada, ip)).status).toBe(200)
})

test('guesses at a name that nobody has are slowed down alike', async () => {
  const nobody = { username: 'nobody.there', password: 'wrong' }
  await failEverywhere(nobody, 40)
  expect((await attempt(nobody)).headers['retry-after']).toBe('15')
})

test('who is signed in confirms the password whatever strangers do', async () => {
  const ada = await person('user')
  const ip = newAddress()
  await failEverywhere(ada, 500)
  for (let index = 0; index < 6; index += 1) await attempt(wrong(ada), ip)
  const confirm = (password: string) =>
    api.call('POST', '/api/user/reauthenticate', { cookie: ada.cookie, body: { password }, ip })
  expect((await confirm(ada.password)).status).toBe(200)
  for (let index = 0; index < 5; index += 1) expect((await confirm('wrong')).status).toBe(400)
  expect((await confirm(ada.password)).status).toBe(429)
})

test('failures are counted, shown to the owner, and some of them audited', async () => {
  const ada = await person('user')
  const count = async () =>
    /tollgate_login_failures_total\{reason="wrong_password"\} (\d+)/.exec(await registry.metrics())?.[1]
  const before = Number(await count())
  for (let index = 0; index < 12; index += 1) await attempt(wrong(ada), `203.0.113.${index + 1}`)
  expect(Number(await count()) - before).toBe(12)
  const { body: entries } = await api.call('GET', `/api/audit?action=session.failures&limit=10`, {
    cookie: root,
  })
  const own = entries.filter(({ objectId }: { objectId: string }) => objectId === String(ada.id))
  expect(own.map(({ after }: { after: object }) => after)).toEqual([
    { failedSinceLastSignIn: 10 },
    { failedSinceLastSignIn: 1 },
  ])
  const { cookie } = await attempt(ada)
  const current = async () =>
    (await api.call('GET', '/api/user/sessions', { cookie })).body.find(
      ({ isCurrent }: { isCurrent: boolean }) => isCurrent,
    ).failuresBefore
  expect(await current()).toEqual({
    count: 12,
    lastAt: clock.now().toISOString(),
    lastAddress: '203.0.113.12',
  })
  const again = await attempt(ada)
  const { body: sessions } = await api.call('GET', '/api/user/sessions', { cookie: again.cookie })
  expect(sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).failuresBefore).toBeNull()
})
