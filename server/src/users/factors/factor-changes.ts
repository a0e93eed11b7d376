// What every change of a person's own second factors has in common.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { SecondFactorRule } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import { isStaff } from '../accounts/rules.ts'
import { lockById, type UserRow } from '../accounts/store.ts'
import { idHashOf } from '../login/login-sessions.ts'
import { deleteLoginsOf, demandNewId } from '../login/store.ts'
import type { Setting } from '../settings/settings.ts'
import type { FactorParts } from './check-code.ts'
import type { NoteParts } from './note-change.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { deleteFactors, refreshHasFactor, replaceRecoveryCodes } from './store.ts'

export interface OwnFactorParts extends FactorParts, NoteParts {
  /** Who must have a second factor. */
  readonly secondFactorRule: Setting<SecondFactorRule>
}

/** Who acts, and from where. */
export interface By {
  readonly actor: Actor
  readonly ip: string
}

/**
 * Throws Refusal password_change_required for who signed in with a password that others may know: a passkey that one of
 * them made would go on opening the account after its owner has changed that password.
 */
export function refuseKnownPassword(actor: Actor): void {
  if (actor.restriction === 'password_change')
    throw new Refusal('password_change_required', 'Choose a new password first, then a second factor.')
}

/** The actor's own account, locked: changes of factors are made one after the other. Throws {@link refuseKnownPassword}. */
export async function lockOwn(tx: Db, actor: Actor): Promise<UserRow> {
  refuseKnownPassword(actor)
  const user = await lockById(tx, actor.userId)
  if (user === undefined) throw new Refusal('not_found', 'This account no longer exists.')
  return user
}

/**
 * What follows from a new factor: the sessions that began without it end, this one gets a new id (ASVS 5.0, 7.2.4), and
 * the first factor of an account brings recovery codes. Gives these.
 */
export async function afterAdding(tx: Db, before: UserRow, { actor }: By): Promise<string[]> {
  await refreshHasFactor(tx, actor.userId)
  const kept = actor.sessionId === undefined ? undefined : idHashOf(actor.sessionId)
  await deleteLoginsOf(tx, actor.userId, kept)
  if (kept !== undefined) await demandNewId(tx, kept)
  return before.has_second_factor ? [] : writeRecoveryCodes(tx, actor.userId)
}

/** What follows from a factor that went: without any the recovery codes go, too. Throws Refusal where one is needed. */
export async function afterRemoving(
  { secondFactorRule }: OwnFactorParts,
  tx: Db,
  user: UserRow,
): Promise<void> {
  if (await refreshHasFactor(tx, user.id)) return
  if (isStaff(user.role) && (await secondFactorRule.get(tx)) === 'staff')
    throw new Refusal('wrong_state', 'Your role needs a second factor. Add another one before removing this.')
  await deleteFactors(tx, user.id)
}

/** Ten new recovery codes in place of the earlier ones. */
export async function writeRecoveryCodes(tx: Db, userId: number): Promise<string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOfRecoveryCode(userId, code)),
  )
  return codes
}
