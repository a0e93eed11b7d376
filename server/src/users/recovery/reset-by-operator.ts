// The last resort: the operator, with access to the machine, gives an account a new password.
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { operatorActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { findByUsername, lockById, type UserRow } from '../accounts/store.ts'
import type { NoteParts } from '../factors/note-change.ts'
import { removeFactorsOf } from '../factors/reset-factors.ts'
import { findKeys } from '../keys/store.ts'
import { forgiveAccount } from '../login/throttle.ts'
import { randomText } from '../random-text.ts'
import type { SmppPair } from '../smpp/credentials.ts'
import { replacePassword, type ReplaceParts } from './replace-password.ts'

/** What the operator sees of an account before anything is changed. */
export interface AccountToReset {
  readonly id: number
  readonly username: string
  readonly role: Role
  readonly status: AccountStatus
  readonly keyCount: number
  readonly hasSmppAccess: boolean
  readonly hasSecondFactor: boolean
}

export interface OperatorReset {
  /** To be shown once; the owner must change it at the next sign-in. */
  readonly password: string
  readonly withdrawnKeyCount: number
  readonly smppPair: SmppPair | undefined
}

export interface OperatorParts extends ReplaceParts, NoteParts {
  readonly db: Db
  readonly passwords: Passwords
}

/** The account with this username (ignoring case); undefined when there is none. */
export async function findToReset(db: Db, username: string): Promise<AccountToReset | undefined> {
  const user = await findByUsername(db, username.trim().normalize('NFC'))
  if (user === undefined) return undefined
  const keys = await findKeys(db, user.id)
  const { id, role, status } = user
  return {
    id,
    username: user.username,
    role,
    status,
    keyCount: keys.length,
    hasSmppAccess: user.smpp_access,
    hasSecondFactor: user.has_second_factor,
  }
}

/** What is withdrawn together with the password. */
export interface OperatorChoice {
  /** API keys and the SMPP password. */
  readonly withdrawsAccess: boolean
  /** Authenticator app, passkeys and recovery codes. */
  readonly removesSecondFactor?: boolean
}

/** Gives the account a new password, ends its sessions and the delays after wrong passwords, and withdraws what is chosen. */
export async function resetByOperator(
  parts: OperatorParts,
  userId: number,
  { withdrawsAccess, removesSecondFactor = false }: OperatorChoice,
): Promise<OperatorReset> {
  const password = randomText(20)
  const passwordHash = await parts.passwords.inTurn((hasher) => hasher.hash(password))
  return transaction(parts.db, async (tx) => {
    const user = await locked(tx, userId)
    const by = { actor: operatorActor, ip: '' }
    await forgiveAccount(tx, user.username)
    const { keyCount, smppPair } = await replacePassword(parts, tx, user, {
      passwordHash,
      mustChange: true,
      withdrawal: { keys: withdrawsAccess ? 'all' : [], renewsSmpp: withdrawsAccess },
      by,
      action: 'user.password-reset',
      at: parts.clock.now(),
    })
    if (removesSecondFactor) await removeFactorsOf(parts, tx, userId, by)
    return { password, withdrawnKeyCount: keyCount, smppPair }
  })
}

async function locked(tx: Db, userId: number): Promise<UserRow> {
  const user = await lockById(tx, userId)
  if (user === undefined) throw new Error('The account is gone')
  return user
}
