// Who may do what to whose account. Pure decisions without database access.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, withStop, type Words } from '@tollgate/contract/sentences.ts'
import { passwordLengthMin } from '@tollgate/contract/users/users.ts'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { isTriedFirst } from './common-passwords.ts'

export function isStaff(role: Role): boolean {
  return role === 'support' || role === 'admin'
}

/** Why a password is not good enough for this role and username, or undefined. Spec §5; the blocklist: ASVS 5.0, 6.2.4. */
export function passwordFault(password: string, role: Role, username: string): Words | undefined {
  // Counted as a person counts characters, not in UTF-16 units.
  const length = Array.from(password).length
  const lengthMin = passwordLengthMin(role)
  if (length < lengthMin)
    return sentence('Password must be at least {count} characters', { count: lengthMin })
  const bare = password.trim().toLowerCase()
  if (isTriedFirst(bare)) return 'This password is one of the first that attackers try. Choose another one'
  if (bare === username.toLowerCase()) return 'The password must not be the username'
  return undefined
}

/** Throws Refusal invalid, naming `field`, when a password is not good enough. */
export function refuseWeakPassword(password: string, role: Role, username: string, field: string): void {
  const fault = passwordFault(password, role, username)
  if (fault === undefined) return
  const message =
    typeof fault === 'string'
      ? withStop(fault)
      : sentence('Password must be at least {count} characters.', { count: passwordLengthMin(role) })
  throw new Refusal('invalid', message, { fields: { [field]: fault } })
}

export interface StaffMember {
  readonly userId: number
  readonly role: Role
}

export interface TargetAccount {
  readonly id: number
  readonly role: Role
  readonly status: AccountStatus
}

/** Throws Refusal forbidden unless `actor` may make an account with this role. Only admins set roles. */
export function refuseNewRole(actor: StaffMember, role: Role): void {
  if (actor.role !== 'admin' && role !== 'user')
    throw new Refusal('forbidden', 'Only an admin can choose the role of an account.')
}

/** Throws Refusal forbidden when support would touch an admin's account. */
export function refuseAdminTarget(
  actor: Pick<StaffMember, 'role'>,
  target: Pick<TargetAccount, 'role'>,
): void {
  if (target.role === 'admin' && actor.role !== 'admin')
    throw new Refusal('forbidden', "Only an admin can change an admin's account.")
}

/**
 * Throws Refusal when `actor` may not make this change of role or state. `activeAdmins` counts them all, the target
 * included. Nobody changes their own role; the last active admin stays an active admin.
 */
export function refuseRoleChange(
  actor: StaffMember,
  target: TargetAccount,
  next: { readonly role: Role; readonly status: AccountStatus },
  activeAdmins: number,
): void {
  refuseAdminTarget(actor, target)
  const isSelf = actor.userId === target.id
  if (next.role !== target.role) {
    if (actor.role !== 'admin') throw new Refusal('forbidden', 'Only an admin can change a role.')
    if (isSelf) throw new Refusal('forbidden', 'You cannot change your own role. Ask another admin.')
  }
  if (isSelf && next.status !== target.status && next.status !== 'active')
    throw new Refusal('forbidden', 'You cannot deactivate or suspend your own account.')
  const isActiveAdmin = target.role === 'admin' && target.status === 'active'
  const staysActiveAdmin = next.role === 'admin' && next.status === 'active'
  if (isActiveAdmin && !staysActiveAdmin && activeAdmins <= 1)
    throw new Refusal('wrong_state', 'This is the last active admin. Make another account admin first.')
}
