// 'Forgot password?': whoever asks learns nothing of who has an account here, neither by the answer nor by its time.
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
import { mailLink, type MailParts } from './mails.ts'
import { findMailable, insertLink, type MailableRow } from './store.ts'

export interface AskParts extends MailParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  /** Hears of faults that the caller must not see. */
  readonly onFault: (error: unknown) => void
}

// Every answer takes this long: an account that exists costs a few milliseconds of it, and one that does not as many less.
const answerMs = 250
// One address may belong to several accounts; beyond these its owner asks by username.
const accountsMax = 5

/** Whether links are mailed at all. */
export function canResetByMail({ mail, consoleUrl }: MailParts): boolean {
  return mail !== undefined && consoleUrl !== undefined
}

/**
 * Has a link mailed to each active account of this username or e-mail address. Throws Refusal wrong_state where no mail
 * is set up, or too_many when the caller's address asked too often; else it tells nothing.
 */
export async function askByMail(parts: AskParts, account: string, ip: string): Promise<void> {
  if (!canResetByMail(parts))
    throw new Refusal('wrong_state', 'No mail is set up here. Ask an admin for a link.')
  await countResetRequest(parts.db, parts.clock, ip)
  const least = sleep(answerMs)
  // A fault would tell that there was something to do.
  await mailAccounts(parts, account.normalize('NFC'), ip).catch(parts.onFault)
  await least
}

async function mailAccounts(parts: AskParts, account: string, ip: string): Promise<void> {
  for (const found of await findMailable(parts.db, account, accountsMax))
    if (mayBeMailed(found)) await transaction(parts.db, (tx) => mailAccount(parts, tx, found, ip))
}

/** A mailbox alone must not open what reaches other people's money: there a second factor has to stand beside it. */
function mayBeMailed({ role, has_second_factor: hasSecondFactor }: MailableRow): boolean {
  return !isStaff(role) || hasSecondFactor
}

async function mailAccount(parts: AskParts, tx: Db, found: MailableRow, ip: string): Promise<void> {
  const user = await lockById(tx, found.id)
  if (user?.status !== 'active' || user.email !== found.email || user.role !== found.role) return
  const token = newToken()
  const at = parts.clock.now()
  // Beyond the day's mails there is no link either.
  if (!(await mailLink(parts, tx, found, pathOf(token)))) return
  const id = await insertLink(tx, {
    userId: user.id,
    way: 'mail',
    role: user.role,
    requestedBy: null,
    tokenHash: hashOfToken(token),
    at,
    expiresAt: new Date(at.getTime() + linkLifeMs('mail', user.role)),
  })
  await parts.audit.record(tx, {
    actor: systemActor,
    ip,
    action: 'reset-link.mail',
    objectType: 'user',
    objectId: String(user.id),
    after: { link: id },
  })
}
