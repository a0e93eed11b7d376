// Replaces a password, and with it the sessions, links, keys and SMPP credentials that go with the old one.
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import type { AccountEvents } from '../account-events.ts'
import { touchUser, updatePassword, type UserRow } from '../accounts/store.ts'
import { withdrawKeys } from '../keys/api-keys.ts'
import { deleteLoginsOf } from '../login/store.ts'
import type { SmppCredentials, SmppPair } from '../smpp/credentials.ts'
import { aboutUser } from '../about-user.ts'
import { revokeLinksOf } from './store.ts'

export interface ReplaceParts {
  readonly audit: Pick<Audit, 'record'>
  readonly accountEvents: AccountEvents
  readonly smpp: SmppCredentials
}

/** What is withdrawn together with a password. */
interface AccessWithdrawal {
  readonly keys: readonly string[] | 'all'
  /** Renews the SMPP password; ignored where the account has no SMPP access. */
  readonly renewsSmpp: boolean
}

export interface PasswordReplacement {
  readonly passwordHash: string
  /** Whether the owner has to choose another one at the next sign-in. */
  readonly mustChange: boolean
  readonly withdrawal: AccessWithdrawal
  /** The session to keep, when a person changes their own password. */
  readonly keptIdHash?: Buffer | undefined
  readonly by: { readonly actor: AuditActor; readonly ip: string }
  /** The action of the audit entry. */
  readonly action: 'user.password' | 'user.password-reset'
  readonly at: Date
}

/**
 * Stores the new password of a locked account, ends its sessions and its unused links, withdraws what `withdrawal` names,
 * and audits all of it. Returns the new SMPP pair when one was made.
 */
export async function replacePassword(
  parts: ReplaceParts,
  tx: Db,
  user: UserRow,
  replacement: PasswordReplacement,
): Promise<{ keyCount: number; smppPair: SmppPair | undefined }> {
  const { withdrawal, by } = replacement
  await updatePassword(tx, user.id, replacement.passwordHash, replacement.mustChange)
  await deleteLoginsOf(tx, user.id, replacement.keptIdHash)
  // An earlier link may have been requested by somebody else.
  await revokeLinksOf(tx, user.id, replacement.at)
  const hasPair = withdrawal.renewsSmpp && user.smpp_access
  const smppPair = hasPair ? await parts.smpp.renew(tx, user) : undefined
  if (smppPair !== undefined) {
    await touchUser(tx, user.id)
    await parts.accountEvents.announce(tx, user.id)
  }
  const keyCount = await withdrawKeys(parts, tx, user.id, withdrawal.keys, by)
  const subject = aboutUser(user.id)
  if (smppPair !== undefined)
    await parts.audit.record(tx, { ...by, action: 'smpp-credentials.renew', ...subject })
  await parts.audit.record(tx, { ...by, action: replacement.action, ...subject })
  return { keyCount, smppPair }
}
