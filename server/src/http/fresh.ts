// How long a sign-in counts as just now. Source: OWASP ASVS 5.0, 7.5.1 and 7.5.3; API specification, General.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import type { Clock } from '../platform/clock.ts'
import type { Actor } from './handlers.ts'

type Freshness = NonNullable<Route['fresh']>

const freshMs: Readonly<Record<Freshness, number>> = { now: 5 * 60_000, hour: 60 * 60_000 }

/**
 * Throws Refusal reauthenticate when the actor signed in or confirmed who they are too long ago, and always for a
 * program's key. A route that always needs a fresh sign-in says so in the contract (`fresh`) and does not call this.
 */
export function refuseUnlessFresh(actor: Actor, clock: Clock, within: Freshness = 'now'): void {
  const { authenticatedAt } = actor
  const isFresh =
    authenticatedAt !== undefined && clock.now().getTime() - authenticatedAt.getTime() <= freshMs[within]
  if (!isFresh) throw new Refusal('reauthenticate', 'Confirm your password to continue.')
}
