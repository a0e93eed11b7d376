import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'

const { api, clock, root, person, users } = await openPeople()

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
async function signInFrom(who: { username: string; password: string }, ip: string, device = '') {
  const { username, password } = who
  const headers = { 'user-agent': firefox, ...(device === '' ? {} : { cookie: `device=${device}` }) }
  return api.call('POST', '/api/login', { body: { username, password }, ip, headers })
}
const list = async (cookie: string | undefined, path = '/api/user/sessions') =>
  (await api.call('GET', path, { cookie })).body
const statusOf = async (cookie: string | undefined) => (await api.call('GET', '/api/user', { cookie })).status

test('a person sees where they are signed in, and from where last', async () => {
  const ada = await person('user')
  const { cookie } = await signInFrom(ada, '198.51.100.7')
  clock.advance(90_000)
  await api.call('GET', '/api/user', { cookie, ip: '198.51.100.8' })
  const sessions = await list(cookie)
  expect(sessions).toHaveLength(2)
  expect(sessions[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    device: 'Firefox on Linux',
    address: '198.51.100.8',
    createdAt: new Date(clock.now().getTime() - 90_000).toISOString(),
    lastSeenAt: clock.now().toISOString(),
    isCurrent: true,
    failuresBefore: null,
  })
  expect(sessions[1].isCurrent).toBe(false)
  // What names a session signs nobody in.
  expect(await statusOf(sessions[0].id)).toBe(401)
})

test('one session is signed out, and its streams lose their person; then all others', async () => {
  const ada = await person('user')
  const { cookie: other } = await signInFrom(ada, '198.51.100.7')
  const { cookie: third } = await signInFrom(ada, '198.51.100.9')
  const reader = await users.findActor({ session: other! })
  const row = (await list(other)).find((session: { isCurrent: boolean }) => session.isCurrent)
  const end = (id: string, cookie = ada.cookie) => api.call('DELETE', `/api/user/sessions/${id}`, { cookie })
  expect((await end(row.id)).status).toBe(200)
  expect((await end(row.id)).status).toBe(404)
  expect(await statusOf(other)).toBe(401)
  // The live feed asks this every two seconds and ends the stream.
  expect(await users.currentActor(reader!)).toBeUndefined()
  const all = await api.call('DELETE', '/api/user/sessions', { cookie: ada.cookie })
  expect(all.body).toEqual({ ended: 1 })
  expect([await statusOf(third), await statusOf(ada.cookie)]).toEqual([401, 200])
})

test('nobody ends the session of somebody else', async () => {
  const ada = await person('user')
  const bob = await person('user')
  const [session] = await list(ada.cookie)
  const answer = await api.call('DELETE', `/api/user/sessions/${session.id}`, { cookie: bob.cookie })
  expect(answer.status).toBe(404)
  expect(await statusOf(ada.cookie)).toBe(200)
})

test('staff see and end the sessions of an account; support leaves those of admins alone', async () => {
  const ada = await person('user')
  const support = await person('support')
  const admin = await person('admin')
  const path = `/api/users/${ada.id}/sessions`
  const [session] = await list(support.cookie, path)
  expect(session).toMatchObject({ isCurrent: false })
  expect((await api.call('DELETE', `${path}/${session.id}`, { cookie: support.cookie })).status).toBe(200)
  expect(await statusOf(ada.cookie)).toBe(401)
  await signInFrom(ada, '198.51.100.7')
  expect((await api.call('DELETE', path, { cookie: root })).body).toEqual({ ended: 1 })
  const { body } = await api.call('GET', '/api/audit?limit=1', { cookie: root })
  expect(body[0]).toMatchObject({ action: 'session.end-all', objectId: String(ada.id), after: { ended: 1 } })
  const ofAdmin = `/api/users/${admin.id}/sessions`
  expect((await api.call('GET', ofAdmin, { cookie: support.cookie })).status).toBe(403)
  expect((await api.call('DELETE', ofAdmin, { cookie: support.cookie })).status).toBe(403)
  expect((await api.call('GET', '/api/users/999999/sessions', { cookie: root })).status).toBe(404)
})

test('a changed password gives the session a new id; the old one ends a moment later', async () => {
  const ada = await person('user')
  const answer = await api.call('PUT', '/api/user/password', {
    cookie: ada.cookie,
    body: { currentPassword: ada.password, newPassword: 'a password that is new' },
  })
  expect(answer.status).toBe(200)
  expect(answer.cookie).toMatch(/^[\w-]{43}$/)
  expect([await statusOf(ada.cookie), await statusOf(answer.cookie)]).toEqual([200, 200])
  expect(await list(answer.cookie)).toHaveLength(1)
  clock.advance(5_001)
  expect([await statusOf(ada.cookie), await statusOf(answer.cookie)]).toEqual([401, 200])
})

test('a browser keeps its device cookie, which no script reads and which signs nobody in', async () => {
  const ada = await person('user')
  const first = await signInFrom(ada, '198.51.100.7')
  const [session, device] = first.headers['set-cookie'] as unknown as string[]
  // First in the answer: simple clients take the first cookie for the session's.
  expect(session).toMatch(/^sid=/)
  expect(device).toMatch(/^device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/)
  const value = /device=([\w-]+)/.exec(device ?? '')?.[1] ?? ''
  const second = await signInFrom(ada, '198.51.100.7', value)
  expect((second.headers['set-cookie'] as unknown as string[])[1]).toBe(device)
  expect(await statusOf(value)).toBe(401)
  const wrong = await signInFrom({ ...ada, password: 'wrong' }, '198.51.100.7')
  expect(wrong.headers['set-cookie']).toBeUndefined()
})
