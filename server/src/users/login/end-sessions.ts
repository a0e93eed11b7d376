// Listing and ending sessions, by their owner and by staff.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { LoginSession } from '@tollgate/contract/users/sessions.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { refuseAdminTarget } from '../accounts/rules.ts'
import { findById } from '../accounts/store.ts'
import { deviceName } from './device-name.ts'
import { idHashOf, sessionLimits } from './session-life.ts'
import { deleteSession, findSessions, type SessionRow } from './session-store.ts'
import { deleteLoginsOf } from './store.ts'
import { aboutUser } from '../about-user.ts'

export interface LoginSessionParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

// A prefix of the hash, with which nobody can sign in: enough to name one session of an account.
const idLength = 16

/** The sessions of an account, the latest used first. Throws Refusal not_found or, for support and an admin's, forbidden. */
export async function listSessions(
  { db, clock }: LoginSessionParts,
  userId: number,
  actor: Actor,
): Promise<LoginSession[]> {
  await refuseUnlessOwn(db, userId, actor)
  return (await findSessions(db, userId, sessionLimits(clock))).map((row) => toReply(row, actor))
}

/** Ends one session. Throws what {@link listSessions} throws, and Refusal not_found when it has ended already. */
export async function endSession(
  { db, audit }: LoginSessionParts,
  userId: number,
  sessionId: string,
  { actor, ip }: { actor: Actor; ip: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    await refuseUnlessOwn(tx, userId, actor)
    if ((await deleteSession(tx, userId, Buffer.from(sessionId, 'hex'))) === 0)
      throw new Refusal('not_found', 'This session has ended already.')
    await audit.record(tx, { actor, ip, action: 'session.end', ...aboutUser(userId) })
  })
}

/** Ends all sessions of an account but the caller's; returns how many. Throws what {@link listSessions} throws. */
export async function endSessions(
  { db, audit }: LoginSessionParts,
  userId: number,
  { actor, ip }: { actor: Actor; ip: string },
): Promise<number> {
  return transaction(db, async (tx) => {
    await refuseUnlessOwn(tx, userId, actor)
    const kept = actor.sessionId === undefined ? undefined : idHashOf(actor.sessionId)
    const ended = await deleteLoginsOf(tx, userId, kept)
    if (ended > 0)
      await audit.record(tx, { actor, ip, action: 'session.end-all', ...aboutUser(userId), after: { ended } })
    return ended
  })
}

async function refuseUnlessOwn(db: Db, userId: number, actor: Actor): Promise<void> {
  if (userId === actor.userId) return
  const user = await findById(db, userId)
  if (user === undefined) throw new Refusal('not_found', 'There is no such account.')
  refuseAdminTarget(actor, user)
}

function toReply(row: SessionRow, actor: Actor): LoginSession {
  const { last_failure_at: lastAt, last_failure_ip: lastAddress } = row
  return {
    id: row.id_hash.subarray(0, idLength).toString('hex'),
    device: deviceName(row.user_agent),
    address: row.ip,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    isCurrent: row.id_hash.toString('hex') === actor.sessionId,
    failuresBefore:
      lastAt === null
        ? null
        : { count: row.failures_before, lastAt: lastAt.toISOString(), lastAddress: lastAddress ?? '' },
  }
}
