import { Refusal } from '@tollgate/contract/errors.ts'
import { withStop } from '@tollgate/contract/sentences.ts'
import { refuseUnlessFresh } from '../../http/fresh.ts'
import type { Actor } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { refuseWeakPassword } from '../accounts/rules.ts'
import { findById, lockById } from '../accounts/store.ts'
import { idHashOf } from '../login/session-life.ts'
import { reauthenticateByPassword, type SignInParts } from '../sign-in/sign-in.ts'
import { markReauthenticated, demandNewId, findLogin } from '../login/store.ts'
import { replacePassword, type ReplaceParts } from './replace-password.ts'

export interface PasswordChange {
  readonly currentPassword?: string | undefined
  readonly newPassword: string
  readonly withdrawKeys: readonly string[]
  readonly renewSmppCredentials: boolean
}

/**
 * Changes the actor's own password, ends their other sessions and withdraws the named keys. Throws Refusal invalid (naming
 * the field), too_many, reauthenticate, or signed_out when the session ended meanwhile.
 */
export async function changePassword(
  parts: SignInParts & ReplaceParts,
  actor: Actor,
  ip: string,
  change: PasswordChange,
): Promise<void> {
  if (change.currentPassword !== undefined)
    await reauthenticateByPassword(parts, actor, ip, change.currentPassword, 'currentPassword')
  // A person who must change the password has just entered it to sign in.
  else if (actor.restriction === 'password_change') refuseUnlessFresh(actor, parts.clock)
  else throw invalid('currentPassword', 'Enter your current password')
  const before = await findById(parts.db, actor.userId)
  refuseWeakPassword(change.newPassword, actor.role, actor.username, 'newPassword')
  const [isOld, passwordHash] = await parts.passwords.inTurn(async (hasher) => [
    await hasher.verify(before?.password_hash, change.newPassword),
    await hasher.hash(change.newPassword),
  ])
  if (isOld) throw invalid('newPassword', 'Choose a password that is new')
  const kept = actor.sessionId === undefined ? undefined : idHashOf(actor.sessionId)
  await transaction(parts.db, async (tx) => {
    const user = await lockById(tx, actor.userId)
    if (user === undefined) throw new Refusal('not_found', 'This account no longer exists.')
    // Hashing takes time: a reset that came first has ended this session, and wins.
    if (kept === undefined || (await findLogin(tx, kept)) === undefined)
      throw new Refusal('signed_out', 'This session has ended meanwhile. Sign in again.')
    const at = parts.clock.now()
    // With a second factor the password alone is no reauthentication.
    if (!user.has_second_factor) await markReauthenticated(tx, kept, at)
    // Somebody who knew the old password may have seen the session's id.
    await demandNewId(tx, kept)
    await replacePassword(parts, tx, user, {
      passwordHash,
      mustChange: false,
      withdrawal: { keys: change.withdrawKeys, renewsSmpp: change.renewSmppCredentials },
      keptIdHash: kept,
      by: { actor, ip },
      action: 'user.password',
      at,
    })
  })
}

function invalid(field: string, fault: string): Refusal {
  return new Refusal('invalid', withStop(fault), { fields: { [field]: fault } })
}
