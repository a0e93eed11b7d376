import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { findById, findByUsername, shareLockById, type UserRow } from '../accounts/store.ts'
import { requireCode, type CodeKind, type FactorParts } from '../factors/check-code.ts'
import { deleteReset } from '../factors/store.ts'
import { isRightPassword } from '../login/check-password.ts'
import { loginFailures } from '../login/failures.ts'
import { idHashOf, startLogin, type SignInOrigin } from '../login/session-life.ts'
import { deleteLogin } from '../login/store.ts'
import { aboutUser } from '../about-user.ts'

export interface SignInParts extends FactorParts {
  readonly passwords: Passwords
}

/**
 * Signs in; returns the account's id and the new cookie. `earlierSession` is ended, against session fixation. Throws Refusal
 * wrong_credentials, second_factor (right password, but the code is missing or wrong), forbidden (all right, but the account
 * is not active) or too_many.
 */
export async function signIn(
  parts: SignInParts,
  input: { username: string; password: string; code?: string | undefined },
  origin: SignInOrigin,
  earlierSession: string | undefined,
): Promise<{ userId: number; cookie: string }> {
  const username = input.username.trim().normalize('NFC')
  const found = await findByUsername(parts.db, username)
  const isRight = await isRightPassword(
    parts,
    { username, ip: origin.ip, device: origin.device },
    found?.password_hash,
    input.password,
  )
  if (found === undefined || !isRight)
    throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
  const factor = found.has_second_factor
    ? await requireCode(
        parts,
        { userId: found.id, username: found.username, ip: origin.ip, device: origin.device },
        input.code,
        'second_factor',
      )
    : undefined
  return transaction(parts.db, async (tx) => {
    // Locked, so that a suspension at the same moment is either seen here or ends this session.
    const user = await shareLockById(tx, found.id)
    if (
      user === undefined ||
      user.password_hash !== found.password_hash ||
      user.has_second_factor !== found.has_second_factor
    )
      throw new Refusal('wrong_credentials', 'The username or the password is wrong.')
    return enter(parts, tx, user, { origin, earlierSession, factor })
  })
}

interface SignInDetails {
  readonly origin: SignInOrigin
  readonly earlierSession: string | undefined
  /** The second factor, or the passkey that was used instead of a password. */
  readonly factor: CodeKind | 'passkey' | undefined
}

/** Starts the session after all proofs were checked. Throws Refusal forbidden when the account is not active. */
export async function enter(
  { clock, audit }: FactorParts,
  tx: Db,
  user: UserRow,
  { origin, earlierSession, factor }: SignInDetails,
): Promise<{ userId: number; cookie: string }> {
  if (user.status !== 'active') {
    loginFailures.inc({ reason: 'not_active' })
    throw new Refusal(
      'forbidden',
      user.awaits_approval
        ? 'This account waits for approval. You can sign in once support has approved it.'
        : 'This account is not active. Ask support to activate it.',
    )
  }
  if (earlierSession !== undefined) await deleteLogin(tx, idHashOf(earlierSession))
  // The owner still has the second factor, so a request to remove it is obsolete.
  if (factor !== undefined) await deleteReset(tx, user.id)
  const cookie = await startLogin(tx, clock, user.id, origin)
  await audit.record(tx, {
    actor: { userId: user.id, username: user.username },
    ip: origin.ip,
    action: 'session.start',
    ...aboutUser(user.id),
    ...(factor !== undefined && { after: { factor } }),
  })
  return { userId: user.id, cookie }
}

/** Ends the actor's session. */
export async function signOut(parts: SignInParts, actor: Actor, ip: string): Promise<void> {
  const { sessionId } = actor
  if (sessionId === undefined) return
  await transaction(parts.db, async (tx) => {
    await deleteLogin(tx, idHashOf(sessionId))
    await parts.audit.record(tx, { actor, ip, action: 'session.end', ...aboutUser(actor.userId) })
  })
}

/** Checks the password of the actor's account, which it returns. Throws Refusal invalid, naming `field`, when it is wrong. */
export async function reauthenticateByPassword(
  parts: SignInParts,
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
