// Reset links that admins make for others. For an admin's account it takes two admins.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ResetLink } from '@tollgate/contract/users/password-resets.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { refuseAdminTarget } from '../accounts/rules.ts'
import { findById, shareLockById, lockById, type UserRow } from '../accounts/store.ts'
import { approvalWaitMs, linkLifeMs, stateOf } from './link-rules.ts'
import { hashOfToken, newToken, pathOf } from './link-token.ts'
import {
  approveLink,
  findLink,
  insertLink,
  newestLinks,
  revokeLink,
  revokeLinksOf,
  type ResetLinkRow,
} from './store.ts'
import { aboutUser } from '../about-user.ts'

export interface ResetLinkParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

/** A link with its path, which is shown only in this reply; null while a second admin has to approve. */
export type MadeLink = ResetLink & { readonly path: string | null }

const listedMax = 20

/** An account's newest links. Throws Refusal not_found. */
export async function listLinks({ db, clock }: ResetLinkParts, userId: number): Promise<ResetLink[]> {
  if ((await findById(db, userId)) === undefined) throw unknownAccount()
  const links = await newestLinks(db, userId, listedMax)
  return links.map((link) => toReply(link, clock.now()))
}

/**
 * Makes a link for another person's account; for an admin's account it waits for a second admin. Earlier links that staff
 * made are revoked. Throws Refusal not_found, forbidden (the actor's own account) or wrong_state (the account is not active).
 */
export function createLink(
  parts: ResetLinkParts,
  userId: number,
  actor: Actor,
  ip: string,
): Promise<MadeLink> {
  return transaction(parts.db, async (tx) => {
    const user = await lockedTarget(tx, userId, actor)
    const at = parts.clock.now()
    const takesTwo = user.role === 'admin'
    const token = takesTwo ? null : newToken()
    await revokeLinksOf(tx, userId, at, 'staff')
    const id = await insertLink(tx, {
      user_id: userId,
      way: 'admin',
      role: user.role,
      requested_by: actor.userId,
      token_hash: token === null ? null : hashOfToken(token),
      requested_at: at,
      expires_at: new Date(at.getTime() + (takesTwo ? approvalWaitMs : linkLifeMs('admin', user.role))),
    })
    const link = await record(parts, tx, takesTwo ? 'reset-link.request' : 'reset-link.create', {
      userId,
      id,
      actor,
      ip,
    })
    return { ...link, path: token === null ? null : pathOf(token) }
  })
}

/**
 * Approves another admin's request; returns the link. Throws Refusal not_found, forbidden (the actor's own account or
 * request) or wrong_state (it does not wait, or the account's role has changed).
 */
export function approveRequest(
  parts: ResetLinkParts,
  userId: number,
  id: number,
  actor: Actor,
  ip: string,
): Promise<MadeLink> {
  return transaction(parts.db, async (tx) => {
    const user = await lockedTarget(tx, userId, actor)
    const found = await findLink(tx, userId, id)
    if (found === undefined) throw unknownLink()
    const at = parts.clock.now()
    if (stateOf(found, at) !== 'waiting' || found.role !== user.role)
      throw new Refusal('wrong_state', 'This link does not wait for an approval. Ask for a new one.')
    if (found.requested_by === actor.userId)
      throw new Refusal('forbidden', 'You asked for this link: another admin must approve it.')
    const token = newToken()
    const expiresAt = new Date(at.getTime() + linkLifeMs('admin', user.role))
    await approveLink(tx, id, { approvedBy: actor.userId, tokenHash: hashOfToken(token), expiresAt })
    const link = await record(parts, tx, 'reset-link.approve', { userId, id, actor, ip })
    return { ...link, path: pathOf(token) }
  })
}

/** Revokes a link. Throws Refusal not_found, forbidden (an admin's, for support) or wrong_state (it has ended). */
export async function revoke(
  parts: ResetLinkParts,
  userId: number,
  id: number,
  actor: Actor,
  ip: string,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const user = await lockById(tx, userId)
    if (user === undefined || (await findLink(tx, userId, id)) === undefined) throw unknownLink()
    refuseAdminTarget(actor, user)
    if (!(await revokeLink(tx, userId, id, parts.clock.now())))
      throw new Refusal('wrong_state', 'This link has ended already.')
    await record(parts, tx, 'reset-link.revoke', { userId, id, actor, ip })
  })
}

async function lockedTarget(tx: Db, userId: number, actor: Actor): Promise<UserRow> {
  const user = await lockById(tx, userId)
  if (user === undefined) throw unknownAccount()
  if (userId === actor.userId)
    throw new Refusal(
      'forbidden',
      'Nobody makes a link for themselves. Change your password in your account.',
    )
  if (user.status !== 'active')
    throw new Refusal('wrong_state', 'This account is not active. Activate it first.')
  const maker = await shareLockById(tx, actor.userId)
  if (maker?.status !== 'active' || maker.role !== 'admin')
    throw new Refusal('forbidden', "You don't have permission to do this.")
  return user
}

async function record(
  { audit, clock }: ResetLinkParts,
  tx: Db,
  action: string,
  { userId, id, actor, ip }: { userId: number; id: number; actor: Actor; ip: string },
): Promise<ResetLink> {
  const stored = await findLink(tx, userId, id)
  if (stored === undefined) throw new Error('The link is gone')
  const link = toReply(stored, clock.now())
  await audit.record(tx, {
    actor,
    ip,
    action,
    ...aboutUser(userId),
    after: { link: id, state: link.state, expiresAt: link.expiresAt },
  })
  return link
}

function toReply(link: ResetLinkRow, now: Date): ResetLink {
  return {
    id: link.id,
    way: link.way,
    state: stateOf(link, now),
    requestedBy: link.requester ?? '',
    requestedAt: link.requested_at.toISOString(),
    approvedBy: link.approver ?? '',
    expiresAt: link.expires_at.toISOString(),
  }
}

const unknownAccount = () => new Refusal('not_found', 'There is no such account.')
const unknownLink = () => new Refusal('not_found', 'There is no such link.')
