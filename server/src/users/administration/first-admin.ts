// The first admin. There is no default password: unless the operator sets one, it is random.
import { englishOf } from '@tollgate/contract/sentences.ts'
import { systemActor, type Audit } from '../../audit/index.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { transaction } from '../../platform/transaction.ts'
import { randomText } from '../random-text.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { passwordFault } from '../accounts/rules.ts'
import { hasAdmin, insertUser, lockRoles } from '../accounts/store.ts'
import { aboutUser } from '../about-user.ts'

export interface FirstAdmin {
  readonly username: string
  /** To be printed once; undefined when the operator set the password. */
  readonly generatedPassword: string | undefined
  /** Why the operator's password is weak, to be logged as a warning; it is used all the same. */
  readonly weakness: string | undefined
}

/**
 * Makes an admin when there is none, on one node only; undefined when there is one already. Throws StartFailure when the
 * username belongs to somebody who is not an admin.
 */
export async function ensureFirstAdmin(
  parts: { db: Db; audit: Pick<Audit, 'record'>; passwords: Passwords },
  operatorChoice: { username: string; password: string } | undefined,
): Promise<FirstAdmin | undefined> {
  if (await hasAdmin(parts.db)) return undefined
  const username = (operatorChoice?.username ?? 'admin').normalize('NFC')
  const password = operatorChoice?.password ?? randomText(20)
  const passwordHash = await parts.passwords.inTurn((hasher) => hasher.hash(password))
  return transaction(parts.db, async (tx) => {
    await lockRoles(tx)
    if (await hasAdmin(tx)) return undefined
    const made = await insertUser(tx, {
      username,
      email: '',
      firstName: 'First',
      lastName: 'Admin',
      passwordHash,
      role: 'admin',
      status: 'active',
      smppAccess: false,
      maxConnections: 5,
      // A random password is printed at the start, where others may read it.
      mustChangePassword: operatorChoice === undefined,
    }).catch((error: unknown) => {
      if (brokenConstraint(error) !== 'users_username_key') throw error
      throw new StartFailure(
        `ADMIN_USERNAME=${username} belongs to an account that is not an admin. Give another one.`,
      )
    })
    await parts.audit.record(tx, {
      actor: systemActor,
      ip: '',
      action: 'user.create',
      ...aboutUser(made.id),
      after: { username, role: 'admin', status: 'active' },
    })
    const fault = operatorChoice === undefined ? undefined : passwordFault(password, 'admin', username)
    return {
      username,
      generatedPassword: operatorChoice === undefined ? password : undefined,
      weakness: fault && englishOf(fault),
    }
  })
}
