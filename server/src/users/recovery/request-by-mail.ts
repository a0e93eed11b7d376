// 'Forgot password?': neither the reply nor its time shows whether an account exists.
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import { systemActor, type Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { isStaff } from '../accounts/rules.ts'
import { lockById } from '../accounts/store.ts'
import { countResetRequest } from '../login/throttle.ts'
import { linkLifeMs } from './link-rules.ts'
import { hashOfToken, newToken, pathOf } from './link-token.ts'
import { mailLink, type ResetMailParts } from './mails.ts'
import { findMailable, insertLink, type MailableRow } from './store.ts'
import { aboutUser } from '../about-user.ts'

export interface MailedResetParts extends ResetMailParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  /** Gets faults that the caller must not see. */
  readonly onFault: (error: unknown) => void
}

// Every reply takes this long; the work for an existing account takes a few milliseconds of it.
const replyMs = 250
// One address may belong to several accounts; beyond these the owner has to enter the username.
const accountsMax = 5

/** Whether links are mailed at all. */
export function canResetByMail({ mail, consoleUrl }: ResetMailParts): boolean {
  return mail !== undefined && consoleUrl !== undefined
}

/**
 * Mails a link to each active account with this username or e-mail address. Throws Refusal wrong_state where no mail
 * server is configured, or too_many for too many requests from the caller's address; nothing else is revealed.
 */
export async function requestByMail(parts: MailedResetParts, account: string, ip: string): Promise<void> {
  if (!canResetByMail(parts))
    throw new Refusal('wrong_state', 'No mail is set up here. Ask an admin for a link.')
  await transaction(parts.db, (tx) => countResetRequest(tx, parts.clock, ip))
  const replyTime = sleep(replyMs)
  // A fault would reveal that there was an account.
  await mailAccounts(parts, account.normalize('NFC'), ip).catch(parts.onFault)
  await replyTime
}

async function mailAccounts(parts: MailedResetParts, account: string, ip: string): Promise<void> {
  for (const found of await findMailable(parts.db, account, accountsMax))
    if (mayBeMailed(found)) await transaction(parts.db, (tx) => mailAccount(parts, tx, found, ip))
}

/** Staff can reach other people's money: for them a mailbox alone is not enough, they also need a second factor. */
function mayBeMailed({ role, has_second_factor: hasSecondFactor }: MailableRow): boolean {
  return !isStaff(role) || hasSecondFactor
}

async function mailAccount(parts: MailedResetParts, tx: Db, found: MailableRow, ip: string): Promise<void> {
  const user = await lockById(tx, found.id)
  if (user?.status !== 'active' || user.email !== found.email || user.role !== found.role) return
  const token = newToken()
  const at = parts.clock.now()
  // Beyond the daily limit of mails no link is made either.
  if (!(await mailLink(parts, tx, found, pathOf(token)))) return
  const id = await insertLink(tx, {
    user_id: user.id,
    way: 'mail',
    role: user.role,
    requested_by: null,
    token_hash: hashOfToken(token),
    requested_at: at,
    expires_at: new Date(at.getTime() + linkLifeMs('mail', user.role)),
  })
  await parts.audit.record(tx, {
    actor: systemActor,
    ip,
    action: 'reset-link.mail',
    ...aboutUser(user.id),
    after: { link: id },
  })
}
