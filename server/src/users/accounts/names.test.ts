import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'

const { api, root, person, newAddress } = await openPeople()
const made = (username: string, cookie?: string) =>
  api.call('POST', '/api/register', {
    ...(cookie === undefined ? {} : { cookie }),
    ip: newAddress(),
    body: { username, password: 'correct horse', email: 'a@example.org', firstName: 'A', lastName: 'B' },
  })

test.each(['Admin', 'adm1n', 'support', 'tollgate', 'T0llgate', 'postmaster', 'r00t', 'ro\u043et'])(
  'nobody names themselves %s',
  async (username) => {
    const answer = await made(username)
    expect(answer.status).toBe(username.includes('\u043e') ? 400 : 409)
  },
)

test('a name that looks like another account’s is taken, whatever letters it has', async () => {
  await person('user', 'active', 'corax')
  await person('user', 'active', 'client10')
  // The first of full-width letters.
  for (const twin of ['\uff43\uff4f\uff52\uff41\uff58', 'c0rax', 'clientl0', 'cl1ent1o']) {
    const answer = await made(twin)
    expect([twin, answer.status, answer.body.code]).toEqual([twin, 409, 'taken'])
  }
  expect((await made('client11')).status).toBe(201)
})

test('a name of Cyrillic letters that reads as a Latin one is taken', async () => {
  await person('user', 'active', 'cope')
  expect((await made('\u0441\u043e\u0440\u0435')).status).toBe(409)
})

test('a name of several alphabets is refused', async () => {
  const answer = await made('p\u0430ypal')
  expect([answer.status, answer.body.fields]).toEqual([400, { username: 'Use letters of one alphabet' }])
})

test('an admin may choose a reserved name, support may not; neither may choose a look-alike', async () => {
  const support = await person('support', 'active', 'sue')
  expect((await made('billing', support.cookie)).status).toBe(409)
  expect((await made('billing', root)).status).toBe(201)
  expect((await made('b1lling', root)).status).toBe(409)
})

test('a renamed account keeps to the same rules, and may change the case of its own name', async () => {
  const support = await person('support')
  const ada = await person('user', 'active', 'ada.byron')
  const rename = (username: string) =>
    api.call('PATCH', `/api/users/${ada.id}`, { cookie: support.cookie, body: { username } })
  expect((await rename('Ada.Byron')).status).toBe(200)
  expect((await rename('r00t')).status).toBe(409)
  expect((await rename('noc')).status).toBe(409)
  const byAdmin = (username: string) =>
    api.call('PATCH', `/api/users/${ada.id}`, { cookie: root, body: { username } })
  for (const username of ['system', 'Operator', 'adm1n'])
    expect([username, (await byAdmin(username)).status]).toEqual([username, 409])
})

test('of look-alikes chosen at one moment one is made', async () => {
  const answers = await Promise.all(['lol1', 'l0ll', 'lo11', '1oll'].map((name) => made(name)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409])
})
