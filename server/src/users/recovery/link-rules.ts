// How long a link is good, and what has become of it. Pure decisions.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ResetLink } from '@tollgate/contract/password-resets.ts'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { isStaff } from '../accounts/rules.ts'

const hourMs = 3_600_000

/** Staff reach other people's money: they are handed their link at once, or it is worth nothing. */
export function linkLifeMs(way: 'admin' | 'mail', role: Role): number {
  return way === 'mail' || isStaff(role) ? hourMs : 24 * hourMs
}

/** How long a link into an admin's account may wait for a second admin. */
export const approvalWaitMs = 24 * hourMs

interface Link {
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly revoked_at: Date | null
}

export function stateOf(link: Link & { readonly has_token: boolean }, now: Date): ResetLink['state'] {
  if (link.used_at !== null) return 'used'
  if (link.revoked_at !== null) return 'revoked'
  if (link.expires_at <= now) return 'expired'
  return link.has_token ? 'open' : 'waiting'
}

/** Throws Refusal wrong_state when a link is no longer good: used, taken back, expired, or its makers are out of office. */
export function refuseSpent(link: Link & { readonly is_backed: boolean }, now: Date): void {
  if (link.used_at !== null) throw spent('This link has been used already.')
  if (link.revoked_at !== null || !link.is_backed) throw spent('This link was taken back.')
  if (link.expires_at <= now) throw spent('This link has expired.')
}

function spent(what: string): Refusal {
  return new Refusal('wrong_state', `${what} Ask for a new one.`)
}

/** Throws Refusal wrong_state when the role is another one than the link was made for: its rules may be stricter. */
export function refuseOtherRole(made: Role, now: Role): void {
  if (made !== now) throw spent('Your role has changed since this link was made.')
}
