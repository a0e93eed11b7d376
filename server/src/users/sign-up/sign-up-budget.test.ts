import { expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'

const { api, clock, db, root, users, newAddress } = await openPeople()
let count = 0
const signUp = (ip: string, cookie?: string) =>
  api.call('POST', '/api/register', {
    ip,
    ...(cookie === undefined ? {} : { cookie }),
    body: {
      username: `sprout${(count += 1)}`,
      password: 'correct horse',
      email: 'a@example.org',
      firstName: 'A',
      lastName: 'B',
    },
  })
const by = { actor: { userId: null, username: 'system' }, ip: '' }

test('a network makes thirty accounts an hour; staff and others are not counted', async () => {
  const ip = newAddress()
  const answers = await Promise.all(Array.from({ length: 34 }, () => signUp(ip)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    ...Array<number>(30).fill(201),
    ...Array<number>(4).fill(429),
  ])
  const refused = await signUp(ip)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3600'])
  expect((await signUp(ip, root)).status).toBe(201)
  expect((await signUp(newAddress())).status).toBe(201)
  clock.advance(3_600_000)
  expect((await signUp(ip)).status).toBe(201)
})

test('the budget is a setting, and a provider’s IPv6 customer is one network', async () => {
  await users.settings.put(db, 'registrations_per_hour', '2', by)
  expect((await signUp('2001:db8:7:1::1')).status).toBe(201)
  expect((await signUp('2001:db8:7:2::1')).status).toBe(201)
  expect((await signUp('2001:db8:7:3::1')).status).toBe(429)
  expect((await signUp('2001:db8:8:1::1')).status).toBe(201)
  await expect(users.settings.put(db, 'registrations_per_hour', '0', by)).rejects.toThrow('From 1 to 10000')
  await users.settings.put(db, 'registrations_per_hour', '30', by)
})

test('a start that others can reach advises approval while registration is open', async () => {
  expect(await users.registrationAdvice('127.0.0.1')).toBeUndefined()
  expect(await users.registrationAdvice('::1')).toBeUndefined()
  expect(await users.registrationAdvice('0.0.0.0')).toContain('registration = approval')
  await users.settings.put(db, 'registration', 'approval', by)
  expect(await users.registrationAdvice('0.0.0.0')).toBeUndefined()
})
