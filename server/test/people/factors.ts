// An authenticator app in the hand of a test.
import { expect } from 'vitest'
import { codeOf, stepAt } from '../../src/users/factors/totp.ts'
import { fromBase32 } from './base32.ts'
import type { openPeople } from './people.ts'

type People = Pick<Awaited<ReturnType<typeof openPeople>>, 'api' | 'clock'>

export interface TestApp {
  readonly secret: Buffer
  readonly recoveryCodes: readonly string[]
  readonly confirmedWith: string
  /** The session's cookie: adding a factor renews it. */
  readonly cookie: string
}

/** Sets up an app in a session that is fresh. */
export async function enrolApp({ api, clock }: People, { cookie }: { cookie: string }): Promise<TestApp> {
  const started = await api.call('POST', '/api/user/second-factor/totp', { cookie })
  expect(started.status, started.text).toBe(200)
  const secret = fromBase32(started.body.secret)
  const confirmedWith = codeOf(secret, stepAt(clock.now()))
  const confirmed = await api.call('PUT', '/api/user/second-factor/totp', {
    cookie,
    body: { code: confirmedWith },
  })
  expect(confirmed.status, confirmed.text).toBe(200)
  return {
    secret,
    recoveryCodes: confirmed.body.recoveryCodes,
    confirmedWith,
    cookie: confirmed.cookie ?? cookie,
  }
}

/** A code that was never used: time goes on by one step. */
export function nextCode({ clock }: Pick<People, 'clock'>, { secret }: Pick<TestApp, 'secret'>): string {
  clock.advance(30_000)
  return codeOf(secret, stepAt(clock.now()))
}
