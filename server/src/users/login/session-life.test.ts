import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openPeople } from '../../../test/people/people.ts'
import { rows } from '../../platform/db.ts'
import { sweepLogins } from './session-life.ts'

const { api, clock, db, person, signIn } = await openPeople()
const minuteMs = 60_000

const isSignedIn = async (cookie: string) => (await api.call('GET', '/api/user', { cookie })).status === 200

beforeEach(() => {
  clock.set('2026-03-04T12:00:00Z')
})

test('a session ends after 30 idle minutes', async () => {
  const { cookie } = await person('user')
  clock.advance(29 * minuteMs)
  expect(await isSignedIn(cookie)).toBe(true)
  clock.advance(29 * minuteMs)
  expect(await isSignedIn(cookie)).toBe(true)
  clock.advance(30 * minuteMs)
  expect(await isSignedIn(cookie)).toBe(false)
})

test('a session ends after 12 hours however busy it is', async () => {
  const { cookie } = await person('user')
  for (let passed = 20; passed < 12 * 60; passed += 20) {
    clock.advance(20 * minuteMs)
    expect(await isSignedIn(cookie)).toBe(true)
  }
  clock.advance(20 * minuteMs)
  expect(await isSignedIn(cookie)).toBe(false)
})

test('the sweep deletes what has ended and keeps what lives', async () => {
  const ended = await person('user')
  expect(await isSignedIn(ended.cookie)).toBe(true)
  clock.advance(31 * minuteMs)
  const rootCookie = await signIn('root', 'a long enough first password')
  await sweepLogins(db, clock)
  await sweepLogins(db, clock)
  expect(await rows(db, sql`select 1 from login_sessions where user_id = ${ended.id}`)).toEqual([])
  expect(await isSignedIn(rootCookie)).toBe(true)
  expect(await isSignedIn(ended.cookie)).toBe(false)
})
