import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { findById, findByUsername, holdById } from '../accounts/store.ts'
import { isRightPassword } from './check-password.ts'
import { idHashOf, startLogin, type Origin } from './login-sessions.ts'
import { confirmLogin, deleteLogin } from './store.ts'

export interface LoginParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly passwords: Passwords
}

/**
 * Signs in; gives the account's id and the new cookie. `earlierSession` is ended, so an id somebody planted is of no
 * use. Throws Refusal wrong_credentials, forbidden (right password, account not active) or too_many.
 */
export async function signIn(
  parts: LoginParts,
  given: { username: string; password: string },
  origin: Origin,
  earlierSession: string | undefined,
): Promise<{ userId: number; cookie: string }> {
  const username = given.username.trim().normalize('NFC')
  const found = await findByUsername(parts.db, username)
  const isRight = await isRightPassword(
    parts,
    { username, ip: origin.ip },
    found?.password_hash,
    given.password,
  )
  if (found === undefined || !isRight)
    throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
  return transaction(parts.db, async (tx) => {
    // Held, so that a suspension at this very moment either is seen here or finds this session and ends it.
    const user = await holdById(tx, found.id)
    if (user === undefined || user.password_hash !== found.password_hash)
      throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
    if (user.status !== 'active')
      throw new Refusal('forbidden', 'This account is not active. Ask support to activate it.')
    if (earlierSession !== undefined) await deleteLogin(tx, idHashOf(earlierSession))
    const cookie = await startLogin(tx, parts.clock, user.id, origin)
    await parts.audit.record(tx, {
      actor: { userId: user.id, username: user.username },
      ip: origin.ip,
      action: 'session.start',
      objectType: 'user',
      objectId: String(user.id),
    })
    return { userId: user.id, cookie }
  })
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

/** Confirms the password of the actor's session. Throws Refusal invalid, naming `field`, when it is wrong. */
export async function confirmPassword(
  parts: LoginParts,
  actor: Actor,
  ip: string,
  password: string,
  field: string,
): Promise<void> {
  const user = await findById(parts.db, actor.userId)
  const attempt = { username: user?.username ?? actor.username, ip }
  if (await isRightPassword(parts, attempt, user?.password_hash, password)) return
  throw new Refusal('invalid', 'The password is wrong.', { fields: { [field]: 'The password is wrong' } })
}

/** Renews the five minutes in which secrets and payouts ask for no password. */
export async function reauthenticate(
  parts: LoginParts,
  actor: Actor,
  ip: string,
  password: string,
): Promise<void> {
  await confirmPassword(parts, actor, ip, password, 'password')
  if (actor.sessionId !== undefined)
    await confirmLogin(parts.db, idHashOf(actor.sessionId), parts.clock.now())
}
