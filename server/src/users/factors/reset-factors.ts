// Removing another account's second factors, when device and recovery codes are lost.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { FactorReset } from '@tollgate/contract/users/second-factor.ts'
import type { AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { findById, lockById, type UserRow } from '../accounts/store.ts'
import { deleteLoginsOf } from '../login/store.ts'
import type { Caller } from '../../http/handlers.ts'
import { noteChange, type NoteParts } from './note-change.ts'
import { deleteFactors, deleteReset, findResets, refreshHasFactor, writeReset } from './store.ts'
import { aboutUser } from '../about-user.ts'

export interface ResetParts extends NoteParts {
  readonly db: Db
}

// Long enough for a second admin in another time zone.
const requestLifeMs = 24 * 60 * 60_000

/**
 * Removes all second factors of an account and ends its sessions, in the caller's transaction, with an audit entry. False
 * when it has none. It checks no permission: the operator's command calls it, and resetFactors after its checks.
 */
export async function removeFactorsOf(
  parts: NoteParts,
  tx: Db,
  userId: number,
  by: { readonly actor: AuditActor; readonly ip: string },
): Promise<boolean> {
  const user = await lockById(tx, userId)
  await deleteReset(tx, userId)
  if (user?.has_second_factor !== true) return false
  await deleteFactors(tx, userId)
  await refreshHasFactor(tx, userId)
  await deleteLoginsOf(tx, userId)
  await noteChange(parts, tx, 'second-factor.remove', userId, by)
  return true
}

/**
 * Removes the second factors of another account as an admin. For an admin's account a second admin must make the same call
 * within 24 hours (ASVS 5.0, 6.5.5); until then nothing changes. Throws Refusal not_found, wrong_state or forbidden.
 */
export async function resetFactors(
  parts: ResetParts,
  userId: number,
  caller: Caller,
): Promise<'removed' | 'awaiting_second_admin'> {
  return transaction(parts.db, async (tx) => {
    const user = await targetOf(tx, userId, caller)
    if (user.role !== 'admin' || (await isRequestedByAnother(parts, tx, userId, caller))) {
      await removeFactorsOf(parts, tx, userId, caller)
      return 'removed'
    }
    await writeReset(tx, userId, caller.actor.userId, parts.clock.now())
    await parts.audit.record(tx, { ...caller, action: 'second-factor.request-removal', ...aboutUser(userId) })
    return 'awaiting_second_admin'
  })
}

async function targetOf(tx: Db, userId: number, { actor }: Caller): Promise<UserRow> {
  if (userId === actor.userId)
    throw new Refusal(
      'wrong_state',
      'These are your own. Open your account, or ask another admin if you cannot.',
    )
  const user = await lockById(tx, userId)
  if (user === undefined) throw new Refusal('not_found', 'There is no such account.')
  if (!user.has_second_factor) throw new Refusal('wrong_state', 'This account has no second factor.')
  // With the role in the database: a caller who was demoted a moment ago may do nothing.
  const maker = await findById(tx, actor.userId)
  if (maker?.status !== 'active' || maker.role !== 'admin')
    throw new Refusal('forbidden', "You don't have permission to do this.")
  return user
}

async function isRequestedByAnother(
  { clock }: ResetParts,
  tx: Db,
  userId: number,
  { actor }: Caller,
): Promise<boolean> {
  const open = await findResets(tx, new Date(clock.now().getTime() - requestLifeMs))
  const found = open.find((request) => request.user_id === userId)
  if (found === undefined || found.requested_by === actor.userId) return false
  const requester = await findById(tx, found.requested_by)
  return requester?.status === 'active' && requester.role === 'admin'
}

/** The requests that wait for a second admin. */
export async function listResets({ db, clock }: ResetParts): Promise<FactorReset[]> {
  const open = await findResets(db, new Date(clock.now().getTime() - requestLifeMs))
  return open.map((request) => ({
    userId: request.user_id,
    username: request.username,
    requestedById: request.requested_by,
    requestedBy: request.requester,
    requestedAt: request.requested_at.toISOString(),
  }))
}

/** Deletes a request. Throws Refusal not_found when none waits. */
export async function withdrawReset(parts: ResetParts, userId: number, caller: Caller): Promise<void> {
  await transaction(parts.db, async (tx) => {
    if (!(await deleteReset(tx, userId)))
      throw new Refusal('not_found', 'No such request waits for an answer.')
    await parts.audit.record(tx, { ...caller, action: 'second-factor.refuse-removal', ...aboutUser(userId) })
  })
}
