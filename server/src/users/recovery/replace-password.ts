// A password is replaced: what else opened the account goes with the old one.
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import type { AccountNews } from '../account-news.ts'
import { touchUser, updatePassword, type UserRow } from '../accounts/store.ts'
import { withdrawKeys } from '../keys/api-keys.ts'
import { deleteLoginsOf } from '../login/store.ts'
import type { SmppCredentials, SmppPair } from '../smpp/credentials.ts'
import { revokeLinksOf } from './store.ts'

export interface ReplaceParts {
  readonly audit: Pick<Audit, 'record'>
  readonly news: AccountNews
  readonly smpp: SmppCredentials
}

/** What was withdrawn together with a password. */
export interface Withdrawal {
  readonly keys: readonly string[] | 'all'
  /** Nothing happens where the account has no SMPP access. */
  readonly renewsSmpp: boolean
}

export interface Replacement {
  readonly passwordHash: string
  /** Whether its owner has to choose another one at the next sign-in. */
  readonly mustChange: boolean
  readonly withdrawal: Withdrawal
  /** The session that goes on, of who changes their own password. */
  readonly keptIdHash?: Buffer | undefined
  readonly by: { readonly actor: AuditActor; readonly ip: string }
  /** Of the audit entry. */
  readonly action: 'user.password' | 'user.password-reset'
  readonly at: Date
}

/**
 * Writes the new password of a locked account, ends its sessions and what was still to be spent of its links, withdraws
 * what is asked for, and records all of it. Gives the new SMPP pair when one was made.
 */
export async function replacePassword(
  parts: ReplaceParts,
  tx: Db,
  user: UserRow,
  given: Replacement,
): Promise<{ keyCount: number; smppPair: SmppPair | undefined }> {
  const { withdrawal, by } = given
  await updatePassword(tx, user.id, given.passwordHash, given.mustChange)
  await deleteLoginsOf(tx, user.id, given.keptIdHash)
  // Whoever asked for a link before may not be who chose this password.
  await revokeLinksOf(tx, user.id, given.at)
  const hasPair = withdrawal.renewsSmpp && user.smpp_access
  const smppPair = hasPair ? await parts.smpp.renew(tx, user) : undefined
  if (smppPair !== undefined) {
    await touchUser(tx, user.id)
    await parts.news.announce(tx, user.id)
  }
  const keyCount = await withdrawKeys(parts, tx, user.id, withdrawal.keys, by)
  const subject = { objectType: 'user', objectId: String(user.id) }
  if (smppPair !== undefined)
    await parts.audit.record(tx, { ...by, action: 'smpp-credentials.renew', ...subject })
  await parts.audit.record(tx, { ...by, action: given.action, ...subject })
  return { keyCount, smppPair }
}
