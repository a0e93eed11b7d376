import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import type { AccountEvents } from '../account-events.ts'
import { isStaff, refuseAdminTarget } from '../accounts/rules.ts'
import { findById, lockById, touchUser, type UserRow } from '../accounts/store.ts'
import { aboutUser } from '../about-user.ts'
import type { SmppCredentials, SmppPair } from './credentials.ts'

export interface ShowParts {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly accountEvents: AccountEvents
  readonly smpp: SmppCredentials
}

/** The system_id of a user. Throws Refusal not_found and forbidden like {@link showCredentials}. */
export async function findSystemId({ db, smpp }: ShowParts, userId: number, actor: Actor): Promise<string> {
  requireVisible(await findById(db, userId), actor)
  return smpp.systemIdOf(db, userId)
}

/**
 * Shows a user's pair to that user, to support (but not an admin's) and to admins, with an audit entry. Throws Refusal
 * not_found (another user's, or no SMPP access) or forbidden.
 */
export async function showCredentials(
  parts: ShowParts,
  userId: number,
  actor: Actor,
  ip: string,
): Promise<SmppPair> {
  return transaction(parts.db, async (tx) => {
    requireVisible(await findById(tx, userId), actor)
    const pair = await parts.smpp.reveal(tx, userId)
    await record(parts, tx, 'smpp-credentials.reveal', userId, actor, ip)
    return pair
  })
}

/** Makes a new pair; binds with the old one are closed. Throws what {@link showCredentials} throws. */
export async function renewCredentials(
  parts: ShowParts,
  userId: number,
  actor: Actor,
  ip: string,
): Promise<SmppPair> {
  return transaction(parts.db, async (tx) => {
    const user = requireVisible(await lockById(tx, userId), actor)
    const pair = await parts.smpp.renew(tx, user)
    await touchUser(tx, userId)
    await parts.accountEvents.announce(tx, userId)
    await record(parts, tx, 'smpp-credentials.renew', userId, actor, ip)
    return pair
  })
}

function requireVisible(user: UserRow | undefined, actor: Actor): UserRow {
  const isOwn = user?.id === actor.userId
  if (user === undefined || (!isOwn && !isStaff(actor.role)))
    throw new Refusal('not_found', 'There is no such account.')
  refuseAdminTarget(actor, user)
  if (!user.smpp_access) throw new Refusal('not_found', 'This account has no SMPP access. Grant it first.')
  return user
}

function record(parts: ShowParts, tx: Db, action: string, userId: number, actor: Actor, ip: string) {
  return parts.audit.record(tx, { actor, ip, action, ...aboutUser(userId) })
}
