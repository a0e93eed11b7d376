import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { createMail, type Mail } from '../../mail/index.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { silentLog } from '../../../test/environment/database.ts'
import { openMailServer } from '../../../test/stand-ins/mail-server.ts'
import { openPeople } from '../../../test/people/people.ts'

const { taken, smtp } = await openMailServer()
let mail: Mail | undefined
const { api, clock, db, root, person, signIn } = await openPeople({
  mail: (db, clock) => {
    const secrets = createSecrets('key for mails')
    mail = createMail({ db, clock, log: silentLog, secrets, smtp, timeoutMs: 1_000 })
    return mail
  },
})
const dayMs = 86_400_000

beforeEach(async () => {
  clock.set('2026-03-04T12:00:00Z')
  await sql`delete from mails`.execute(db)
  taken.length = 0
})

let count = 0
const fields = (more: object = {}) => {
  const username = `guest${++count}`
  return { username, email: `${username}@example.org`, firstName: 'Gita', lastName: 'Guest', ...more }
}
const add = (cookie: string | undefined, body: object) =>
  api.call('POST', '/api/register', { body, ...(cookie !== undefined && { cookie }) })
const tokenOf = (path: string) => /^\/auth#reset=([\w-]{43})$/.exec(path)?.[1] ?? ''
const open = (token: string) => api.call('POST', '/api/password-reset/open', { body: { token } })
const use = (token: string, newPassword: string) =>
  api.call('POST', '/api/password-reset/use', { body: { token, newPassword } })

test.each([{}, { password: '' }])(
  'who is added with %j chooses the password by a link, once',
  async (more) => {
    const body = fields(more)
    const made = await add(root, body)
    expect([made.status, made.body.invitation]).toEqual([
      201,
      { path: expect.any(String), expiresAt: '2026-03-11T12:00:00.000Z', isMailed: true },
    ])
    await mail?.sendDue()
    expect(taken).toMatchObject([
      {
        to: body.email,
        text: expect.stringContaining(`https://console.example${made.body.invitation.path}`),
      },
    ])
    const token = tokenOf(made.body.invitation.path)
    expect((await open(token)).body).toMatchObject({ username: body.username, isFirst: true, keys: [] })
    expect((await use(token, 'short')).status).toBe(400)
    expect((await use(token, 'a word of my own')).status).toBe(200)
    await signIn(body.username, 'a word of my own')
    expect((await use(token, 'another word')).status).toBe(409)
    // Nobody had a password before that could have been replaced.
    await mail?.sendDue()
    expect(taken).toHaveLength(1)
    const links = await api.call('GET', `/api/users/${made.body.id}/reset-links`, { cookie: root })
    expect(links.body).toMatchObject([{ way: 'invitation', state: 'used', requestedBy: 'root' }])
  },
)

test('a password that staff give is the one that holds, and there is no link', async () => {
  const body = fields({ password: 'given by staff' })
  const made = await add(root, body)
  expect(made.body.invitation).toBeUndefined()
  await signIn(body.username, 'given by staff')
  await mail?.sendDue()
  expect(taken).toEqual([])
})

test('who signs up alone has to give a password', async () => {
  for (const more of [{}, { password: '' }]) {
    const { status, body } = await add(undefined, fields(more))
    expect([status, body.fields]).toEqual([400, { password: 'Password must be at least 6 characters' }])
  }
})

test('support invites clients; the link ends with the role of who made it', async () => {
  const support = await person('support')
  const made = await add(support.cookie, fields())
  const token = tokenOf(made.body.invitation.path)
  expect((await open(token)).status).toBe(200)
  await api.call('PUT', `/api/users/${support.id}/role`, { cookie: root, body: { role: 'user' } })
  expect((await open(token)).body.message).toBe('This link was revoked. Ask for a new one.')
})

test('an invitation of staff is short, and another link takes its place', async () => {
  const made = await add(root, fields({ role: 'support' }))
  expect(made.body.invitation.expiresAt).toBe('2026-03-05T12:00:00.000Z')
  const again = await api.call('POST', `/api/users/${made.body.id}/reset-links`, { cookie: root })
  expect((await open(tokenOf(made.body.invitation.path))).status).toBe(409)
  expect((await open(tokenOf(again.body.path))).body).toMatchObject({ isFirst: false, passwordLengthMin: 12 })
})

test('a link that nobody used in time opens nothing', async () => {
  const made = await add(root, fields())
  clock.advance(7 * dayMs)
  expect((await open(tokenOf(made.body.invitation.path))).body.message).toBe(
    'This link has expired. Ask for a new one.',
  )
})
