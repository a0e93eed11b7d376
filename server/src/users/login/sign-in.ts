import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { findById, findByUsername, holdById, type UserRow } from '../accounts/store.ts'
import { requireCode, type CodeKind, type FactorParts } from '../factors/check-code.ts'
import { deleteReset } from '../factors/store.ts'
import { isRightPassword } from './check-password.ts'
import { loginFailures } from './failures.ts'
import { idHashOf, startLogin, type Origin } from './login-sessions.ts'
import { deleteLogin } from './store.ts'

export interface LoginParts extends FactorParts {
  readonly passwords: Passwords
}

/**
 * Signs in; gives the account's id and the new cookie. `earlierSession` is ended, so an id somebody planted is of no
 * use. Throws Refusal wrong_credentials, second_factor (right password, and a code is missing or wrong), forbidden (all right,
 * account not active) or too_many.
 */
export async function signIn(
  parts: LoginParts,
  given: { username: string; password: string; code?: string | undefined },
  origin: Origin,
  earlierSession: string | undefined,
): Promise<{ userId: number; cookie: string }> {
  const username = given.username.trim().normalize('NFC')
  const found = await findByUsername(parts.db, username)
  const isRight = await isRightPassword(
    parts,
    { username, ip: origin.ip, device: origin.device },
    found?.password_hash,
    given.password,
  )
  if (found === undefined || !isRight)
    throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
  const factor = found.has_second_factor
    ? await requireCode(
        parts,
        { userId: found.id, username: found.username, ip: origin.ip, device: origin.device },
        given.code,
        'second_factor',
      )
    : undefined
  return transaction(parts.db, async (tx) => {
    // Held, so that a suspension at this very moment either is seen here or finds this session and ends it.
    const user = await holdById(tx, found.id)
    if (
      user === undefined ||
      user.password_hash !== found.password_hash ||
      user.has_second_factor !== found.has_second_factor
    )
      throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
    return enter(parts, tx, user, { origin, earlierSession, factor })
  })
}

interface Entry {
  readonly origin: Origin
  readonly earlierSession: string | undefined
  /** What was shown beside the password, or instead of it. */
  readonly factor: CodeKind | 'passkey' | undefined
}

/** Starts the session of somebody who has proven all that the account asks for. Throws Refusal forbidden. */
export async function enter(
  { clock, audit }: FactorParts,
  tx: Db,
  user: UserRow,
  { origin, earlierSession, factor }: Entry,
): Promise<{ userId: number; cookie: string }> {
  if (user.status !== 'active') {
    loginFailures.inc({ reason: 'not_active' })
    throw new Refusal('forbidden', 'This account is not active. Ask support to activate it.')
  }
  if (earlierSession !== undefined) await deleteLogin(tx, idHashOf(earlierSession))
  // Who has a second factor in hand needs nobody to remove it.
  if (factor !== undefined) await deleteReset(tx, user.id)
  const cookie = await startLogin(tx, clock, user.id, origin)
  await audit.record(tx, {
    actor: { userId: user.id, username: user.username },
    ip: origin.ip,
    action: 'session.start',
    objectType: 'user',
    objectId: String(user.id),
    ...(factor !== undefined && { after: { factor } }),
  })
  return { userId: user.id, cookie }
}

/** Ends the actor's session. */
export async function signOut(parts: LoginParts, actor: Actor, ip: string): Promise<void> {
  const { sessionId } = actor
  if (sessionId === undefined) return
  await transaction(parts.db, async (tx) => {
    await deleteLogin(tx, idHashOf(sessionId))
    await parts.audit.record(tx, {
      actor,
      ip,
      action: 'session.end',
      objectType: 'user',
      objectId: String(actor.userId),
    })
  })
}

/** Confirms the password of the actor's session; gives the account. Throws Refusal invalid, naming `field`, when it is wrong. */
export async function confirmPassword(
  parts: LoginParts,
  actor: Actor,
  ip: string,
  password: string,
  field: string,
): Promise<UserRow> {
  const user = await findById(parts.db, actor.userId)
  const attempt = { username: user?.username ?? actor.username, ip, session: actor.sessionId }
  const isRight = await isRightPassword(parts, attempt, user?.password_hash, password)
  if (user !== undefined && isRight) return user
  throw new Refusal('invalid', 'The password is wrong.', { fields: { [field]: 'The password is wrong' } })
}
