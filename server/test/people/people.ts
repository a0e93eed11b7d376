// What the tests of this slice stand on: the slice over a real database, and people who sign in with real passwords.
import { expect } from 'vitest'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { createTestAudit, createTestUsers } from './audit.ts'
import type { Mail } from '../../src/mail/index.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Db } from '../../src/platform/db.ts'
import { openTestApi } from '../http/api.ts'
import { fixedClock, openTestDatabase } from '../environment/database.ts'

export const rootPassword = 'a long enough first password'

interface PeopleOptions {
  /** The way to a mail server; without it no mail is set up. */
  readonly mail?: (db: Db, clock: Clock) => Mail
}

export async function openPeople(options: PeopleOptions = {}) {
  const database = await openTestDatabase()
  const { db } = database
  const clock = fixedClock()
  const audit = createTestAudit({ db, clock })
  const mail = options.mail?.(db, clock)
  const users = createTestUsers({ db, clock, audit, mail, consoleUrl: 'https://console.example' })
  await users.ensureFirstAdmin({ username: 'root', password: rootPassword })
  const api = await openTestApi([...users.routes, ...audit.routes], users.findActor, clock)

  let addressCount = 0
  /** An address nobody has called from, so that one test's failures do not slow down another's. */
  const newAddress = () => `198.51.${Math.floor(++addressCount / 250)}.${(addressCount % 250) + 1}`

  async function signIn(username: string, password: string): Promise<string> {
    const answer = await api.call('POST', '/api/login', { body: { username, password }, ip: newAddress() })
    expect(answer.status, answer.text).toBe(200)
    return answer.cookie ?? ''
  }

  const first = await signIn('root', rootPassword)
  const { body: admin } = await api.call('GET', '/api/user', { cookie: first })
  // The first admin, always freshly signed in, whatever the clock says.
  const root = api.signIn({ userId: admin.id, username: 'root', role: 'admin' })
  let personCount = 0

  /** An account with this role, made by the first admin and signed in. */
  async function person(role: Role, status: AccountStatus = 'active', username = `${role}${++personCount}`) {
    const password = `the password of ${username}`
    const made = await api.call('POST', '/api/register', {
      cookie: root,
      body: {
        username,
        password,
        email: `person${personCount}@example.org`,
        firstName: 'Ada',
        lastName: 'Byron',
        role,
      },
    })
    expect(made.status, made.text).toBe(201)
    const id: number = made.body.id
    const cookie = await signIn(username, password)
    if (status !== 'active')
      await api.call('PUT', `/api/users/${id}/status`, { cookie: root, body: { status } })
    return { id, username, password, cookie }
  }

  return { ...database, clock, audit, users, api, root, person, signIn, newAddress }
}
