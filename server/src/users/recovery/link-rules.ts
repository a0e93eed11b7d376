// How long a reset link is valid, and its state. Pure decisions.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ResetLink, ResetLinkWay } from '@tollgate/contract/users/password-resets.ts'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { isStaff } from '../accounts/rules.ts'

const hourMs = 3_600_000

/** The lifetime of a link. For staff it is short, since they can reach other people's money. */
export function linkLifeMs(way: ResetLinkWay, role: Role): number {
  // A new account reaches nobody's money yet, and its person may read the mail tomorrow.
  if (way === 'invitation') return (isStaff(role) ? 1 : 7) * 24 * hourMs
  return way === 'mail' || isStaff(role) ? hourMs : 24 * hourMs
}

/** How long a link for an admin's account may wait for a second admin. */
export const approvalWaitMs = 24 * hourMs

interface ResetLinkState {
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly revoked_at: Date | null
}

export function stateOf(
  link: ResetLinkState & { readonly has_token: boolean },
  now: Date,
): ResetLink['state'] {
  if (link.used_at !== null) return 'used'
  if (link.revoked_at !== null) return 'revoked'
  if (link.expires_at <= now) return 'expired'
  return link.has_token ? 'open' : 'waiting'
}

/** Throws Refusal wrong_state when a link is no longer valid: used, revoked, expired, or made by somebody who is no admin any more. */
export function refuseInvalidLink(link: ResetLinkState & { readonly is_backed: boolean }, now: Date): void {
  if (link.used_at !== null) throw spent('This link has been used already.')
  if (link.revoked_at !== null || !link.is_backed) throw spent('This link was revoked.')
  if (link.expires_at <= now) throw spent('This link has expired.')
}

function spent(what: string): Refusal {
  return new Refusal('wrong_state', [quote(what), sentence('Ask for a new one.')])
}

/** Throws Refusal wrong_state when the role has changed since the link was made: stricter rules may hold now. */
export function refuseOtherRole(made: Role, now: Role): void {
  if (made !== now) throw spent('Your role has changed since this link was made.')
}
