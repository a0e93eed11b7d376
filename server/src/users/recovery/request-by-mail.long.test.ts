import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createMail, type Mail } from '../../mail/index.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { eventually } from '../../../test/environment/eventually.ts'
import { silentLog } from '../../../test/environment/database.ts'
import { openMailServer } from '../../../test/stand-ins/mail-server.ts'
import { openPeople } from '../../../test/people/people.ts'

const { taken, smtp } = await openMailServer()
let mail: Mail | undefined
const { api, clock, db, root, person, signIn, newAddress } = await openPeople({
  mail: (db, clock) =>
    (mail = createMail({
      db,
      clock,
      log: silentLog,
      secrets: createSecrets('key for mails'),
      smtp,
      timeoutMs: 1_000,
    })),
})

beforeEach(async () => {
  clock.advance(25 * 3_600_000)
  await sql`delete from mails`.execute(db)
  taken.length = 0
})

const ask = (account: string, ip = newAddress()) =>
  api.call('POST', '/api/password-reset', { body: { account }, ip })
const emailOf = async (id: number) =>
  (await api.call('GET', `/api/users/${id}`, { cookie: root })).body.email as string
const linkIn = (text = '') => /https:\/\/console\.example\/auth#reset=([\w-]{43})/.exec(text)?.[1] ?? ''

async function mailsFor(account: string) {
  expect(await ask(account)).toMatchObject({ status: 200, body: {} })
  await mail?.sendDue()
  return taken.splice(0)
}

test('the link comes to the address of the account, by username or by e-mail, and works once', async () => {
  expect((await api.call('GET', '/api/sign-in-options')).body).toEqual({ canResetByMail: true })
  const { id, username } = await person('user')
  const email = await emailOf(id)
  const [byName] = await mailsFor(username.toUpperCase())
  const [byMail] = await mailsFor(email.toUpperCase())
  expect([byName?.to, byMail?.to]).toEqual([email, email])
  const body = { token: linkIn(byName?.text), newPassword: 'a word of my own' }
  expect((await api.call('POST', '/api/password-reset/use', { body })).status).toBe(200)
  await signIn(username, 'a word of my own')
  // The owner gets a mail about it, and the other link no longer works.
  await mail?.sendDue()
  expect(taken).toMatchObject([{ to: email, text: expect.stringContaining('was replaced') }])
  const other = await api.call('POST', '/api/password-reset/open', { body: { token: linkIn(byMail?.text) } })
  expect(other.status).toBe(409)
})

test('the mailed link is invalid after an hour', async () => {
  const { username } = await person('user')
  const [sent] = await mailsFor(username)
  clock.advance(3_600_000)
  const late = await api.call('POST', '/api/password-reset/open', { body: { token: linkIn(sent?.text) } })
  expect(late.status).toBe(409)
})

test('nobody gets a link for staff, an account that is not active, or an address that was put in today', async () => {
  const [support, admin] = [await person('support'), await person('admin')]
  const away = await person('user', 'suspended')
  const moved = await person('user')
  await api.call('PATCH', `/api/users/${moved.id}`, { cookie: root, body: { email: 'thief@example.org' } })
  for (const { username } of [support, admin, away, moved]) expect(await mailsFor(username)).toEqual([])
  await sql`update users set email_since = clock_timestamp() - interval '25 hours' where id = ${moved.id}`.execute(
    db,
  )
  expect(await mailsFor(moved.username)).toHaveLength(1)
})

test('one mailbox gets five links a day', async () => {
  const { username } = await person('user')
  for (let turn = 0; turn < 5; turn += 1) expect(await mailsFor(username)).toHaveLength(1)
  expect(await mailsFor(username)).toEqual([])
  clock.advance(24 * 3_600_000)
  expect(await mailsFor(username)).toHaveLength(1)
})

test('neither the reply nor its time shows whether an account exists', async () => {
  const { username } = await person('user')
  const quickestMs = { known: Infinity, unknown: Infinity }
  const timeOf = async (name: string) => {
    const startMs = performance.now()
    const { status, text } = await ask(name)
    expect([status, text]).toEqual([200, '{}'])
    return performance.now() - startMs
  }
  // The quickest reply of each: any other may have met a pause of the machine.
  await eventually(async () => {
    quickestMs.known = Math.min(quickestMs.known, await timeOf(username))
    quickestMs.unknown = Math.min(quickestMs.unknown, await timeOf('nobody'))
    expect(Math.abs(quickestMs.known - quickestMs.unknown)).toBeLessThan(20)
  })
})

test('an address with too many requests waits, whatever account it names', async () => {
  const ip = newAddress()
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`nobody.${index}`, ip)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  const late = await ask('nobody', ip)
  expect([late.status, Number(late.headers['retry-after']) > 0]).toEqual([429, true])
  expect((await ask('nobody')).status).toBe(200)
})
