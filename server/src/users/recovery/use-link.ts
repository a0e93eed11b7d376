// Using a reset link: it lets somebody choose one new password, and gives no other access to the account.
import { Refusal } from '@tollgate/contract/errors.ts'
import { passwordLengthMin } from '@tollgate/contract/users/users.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { refuseWeakPassword } from '../accounts/rules.ts'
import { findById, lockById, type UserRow } from '../accounts/store.ts'
import { listKeys, type ApiKey } from '../keys/api-keys.ts'
import { forgiveAccount } from '../login/throttle.ts'
import { refuseOtherRole, refuseInvalidLink } from './link-rules.ts'
import { hashOfToken } from './link-token.ts'
import { mailChangedPassword, type ResetMailParts } from './mails.ts'
import { replacePassword, type ReplaceParts } from './replace-password.ts'
import { findByToken, markUsed, type TokenRow } from './store.ts'

export interface UseLinkParts extends ReplaceParts, ResetMailParts {
  readonly db: Db
  readonly clock: Clock
  readonly passwords: Passwords
}

export interface OpenedLink {
  readonly username: string
  readonly isFirst: boolean
  readonly expiresAt: string
  readonly passwordLengthMin: number
  readonly keys: ApiKey[]
  readonly hasSmppAccess: boolean
}

/**
 * The account of a link, and what else gives access to it. Throws Refusal not_found, wrong_state (used, revoked, expired,
 * for another role) or forbidden (the account is not active).
 */
export async function openLink({ db, clock }: UseLinkParts, token: string): Promise<OpenedLink> {
  const link = await requireValidLink(db, clock, token)
  const user = requireActiveOwner(link, await findById(db, link.user_id))
  return {
    username: user.username,
    isFirst: link.way === 'invitation',
    expiresAt: link.expires_at.toISOString(),
    passwordLengthMin: passwordLengthMin(user.role),
    keys: await listKeys(db, user.id),
    hasSmppAccess: user.smpp_access,
  }
}

/**
 * Replaces the password, once; of two calls at the same moment one wins. A second factor stays and is required at the next
 * sign-in. Throws what {@link openLink} throws, or Refusal invalid.
 */
export async function useLink(
  parts: UseLinkParts,
  input: {
    readonly token: string
    readonly newPassword: string
    readonly withdrawKeys: readonly string[]
    readonly renewSmppCredentials: boolean
  },
  ip: string,
): Promise<{ username: string }> {
  const { db, clock, passwords } = parts
  const { newPassword } = input
  const seen = await requireValidLink(db, clock, input.token)
  const { role, username } = requireActiveOwner(seen, await findById(db, seen.user_id))
  refuseWeakPassword(newPassword, role, username, 'newPassword')
  // After the token is checked: strangers must not make us hash.
  const passwordHash = await passwords.inTurn((hasher) => hasher.hash(newPassword))
  return transaction(db, async (tx) => {
    // Other uses, a revocation and a suspension wait for this lock, or came before it.
    const locked = await lockById(tx, seen.user_id)
    const link = await requireValidLink(tx, clock, input.token)
    const user = requireActiveOwner(link, locked)
    const at = clock.now()
    await markUsed(tx, link.id, at)
    await forgiveAccount(tx, user.username)
    if (link.way !== 'invitation') await mailChangedPassword(parts, tx, user)
    await replacePassword(parts, tx, user, {
      passwordHash,
      mustChange: false,
      withdrawal: { keys: input.withdrawKeys, renewsSmpp: input.renewSmppCredentials },
      by: { actor: { userId: user.id, username: user.username }, ip },
      action: 'user.password-reset',
      at,
    })
    return { username: user.username }
  })
}

async function requireValidLink(db: Db, clock: Clock, token: string): Promise<TokenRow> {
  const link = await findByToken(db, hashOfToken(token))
  if (link === undefined)
    throw new Refusal('not_found', 'This link does not exist. Copy it whole, or ask for a new one.')
  refuseInvalidLink(link, clock.now())
  return link
}

function requireActiveOwner(link: TokenRow, user: UserRow | undefined): UserRow {
  if (user?.status !== 'active')
    throw new Refusal('forbidden', 'This account is not active. Ask support to activate it.')
  refuseOtherRole(link.role, user.role)
  return user
}
