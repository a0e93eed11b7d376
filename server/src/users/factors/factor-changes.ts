// What all changes of a person's own second factors share.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { SecondFactorRule } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { isStaff } from '../accounts/rules.ts'
import { lockById, type UserRow } from '../accounts/store.ts'
import { idHashOf } from '../login/session-life.ts'
import { deleteLoginsOf, demandNewId } from '../login/store.ts'
import type { Setting } from '../../settings/index.ts'
import type { FactorParts } from './check-code.ts'
import type { NoteParts } from './note-change.ts'
import { hashOfRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { deleteFactors, refreshHasFactor, replaceRecoveryCodes } from './store.ts'

export interface OwnFactorParts extends FactorParts, NoteParts {
  /** Who must have a second factor. */
  readonly secondFactorRule: Setting<SecondFactorRule>
}

/**
 * Throws Refusal password_change_required for a session whose password others may know: a passkey that one of them added
 * would still open the account after the owner has changed the password.
 */
export function refuseKnownPassword(actor: Actor): void {
  if (actor.restriction === 'password_change')
    throw new Refusal('password_change_required', 'Choose a new password first, then a second factor.')
}

/** The actor's own account, locked, which serialises changes of factors. Throws what {@link refuseKnownPassword} throws. */
export async function lockOwn(tx: Db, actor: Actor): Promise<UserRow> {
  refuseKnownPassword(actor)
  const user = await lockById(tx, actor.userId)
  if (user === undefined) throw new Refusal('not_found', 'This account no longer exists.')
  return user
}

/**
 * The consequences of a new factor: sessions that began without it end, this one gets a new id (ASVS 5.0, 7.2.4), and the
 * first factor of an account brings recovery codes, which are returned.
 */
export async function afterAdding(tx: Db, before: UserRow, { actor }: Caller): Promise<string[]> {
  await refreshHasFactor(tx, actor.userId)
  const kept = actor.sessionId === undefined ? undefined : idHashOf(actor.sessionId)
  await deleteLoginsOf(tx, actor.userId, kept)
  if (kept !== undefined) await demandNewId(tx, kept)
  return before.has_second_factor ? [] : writeRecoveryCodes(tx, actor.userId)
}

/** The consequences of a removed factor: with the last one the recovery codes go too. Throws Refusal where one is required. */
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
