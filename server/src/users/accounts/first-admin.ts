// The first admin. There is no account that everybody knows: without a given one its password is made up.
import { systemActor, type Audit } from '../../audit/index.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { transaction } from '../../platform/transaction.ts'
import { randomText } from '../random-text.ts'
import type { Passwords } from './passwords.ts'
import { passwordFault } from './rules.ts'
import { hasAdmin, insertUser, lockOffices } from './store.ts'

export interface FirstAdmin {
  readonly username: string
  /** To be printed once; undefined when the operator gave it. */
  readonly generatedPassword: string | undefined
  /** What the given password lacks for an admin, to be logged as a warning. The operator's word counts all the same. */
  readonly weakness: string | undefined
}

/**
 * Makes an admin when there is none, whatever node comes first; undefined when there is one already. Throws
 * StartFailure when the username belongs to somebody who is not an admin.
 */
export async function ensureFirstAdmin(
  parts: { db: Db; audit: Pick<Audit, 'record'>; passwords: Passwords },
  given: { username: string; password: string } | undefined,
): Promise<FirstAdmin | undefined> {
  if (await hasAdmin(parts.db)) return undefined
  const username = (given?.username ?? 'admin').normalize('NFC')
  const password = given?.password ?? randomText(20)
  const passwordHash = await parts.passwords.inTurn((hasher) => hasher.hash(password))
  return transaction(parts.db, async (tx) => {
    await lockOffices(tx)
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
      // It stands in the start's output, which others may read; the operator's own word is the operator's.
      mustChangePassword: given === undefined,
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
      objectType: 'user',
      objectId: String(made.id),
      after: { username, role: 'admin', status: 'active' },
    })
    return {
      username,
      generatedPassword: given === undefined ? password : undefined,
      weakness: given === undefined ? undefined : passwordFault(password, 'admin', username),
    }
  })
}
