// How long a sign-in counts as just now. Source: OWASP ASVS 5.0, 7.5.1 and 7.5.3; API specification, General.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Actor } from './handlers.ts'

const freshMs = 5 * 60_000

/**
 * Throws Refusal reauthenticate when the actor signed in or confirmed who they are more than 5 minutes ago, and always
 * for a program's key. A route that always needs a fresh sign-in says so in the contract (`isFresh`) and does not call
 * this.
 */
export function refuseUnlessFresh(actor: Actor, clock: Clock): void {
  const { authenticatedAt } = actor
  const isFresh =
    authenticatedAt !== undefined && clock.now().getTime() - authenticatedAt.getTime() <= freshMs
  if (!isFresh) throw new Refusal('reauthenticate', 'Confirm your password to continue.')
}
