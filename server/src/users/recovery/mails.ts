// Mails about a forgotten or replaced password.
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Mail } from '../../mail/index.ts'
import type { Db } from '../../platform/db.ts'
import type { MailableRow } from './store.ts'

export interface ResetMailParts {
  /** Undefined where no mail server is set up. */
  readonly mail: Pick<Mail, 'enqueue' | 'enqueueEncrypted'> | undefined
  /** The console's address; undefined when it is not known. */
  readonly consoleUrl: string | undefined
}

// Repeated requests must not fill a stranger's mailbox.
const dailyLinksMax = 5

/** Queues a mail with a link, encrypted until it is sent. False beyond five a day. */
export async function mailLink(
  { mail, consoleUrl }: ResetMailParts,
  tx: Db,
  user: MailableRow,
  path: string,
): Promise<boolean> {
  const keyStart = `reset-link-${user.id}-`
  const body = [
    `Somebody, most likely you, asked for a new password of the account ${user.username}.`,
    '',
    'Open this link within one hour to choose it:',
    `${consoleUrl}${path}`,
    '',
    'The link works once. If it was not you, do nothing: the password stays as it is.',
  ].join('\n')
  const count = await mail?.enqueueEncrypted(
    tx,
    { eventKey: `${keyStart}${randomUUID()}`, recipient: user.email, subject: 'Choose a new password', body },
    { keyStart, max: dailyLinksMax },
  )
  return count === 1
}

/** Queues a mail with the link of a new account, encrypted until it is sent. Returns whether one was queued. */
export async function mailInvitation(
  { mail, consoleUrl }: ResetMailParts,
  tx: Db,
  { id, username, email }: { readonly id: number; readonly username: string; readonly email: string },
  link: { readonly path: string; readonly expiresAt: Date },
): Promise<boolean> {
  if (mail === undefined || consoleUrl === undefined || email === '') return false
  const body = [
    `An account was made for you: ${username}.`,
    '',
    `Open this link before ${link.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC to choose its password:`,
    `${consoleUrl}${link.path}`,
    '',
    'The link works once. If you do not know why you get it, do nothing.',
  ].join('\n')
  const eventKey = `invitation-${id}-${randomUUID()}`
  return (
    (await mail.enqueueEncrypted(tx, { eventKey, recipient: email, subject: 'Your account', body })) === 1
  )
}

/** Mails the owner that the password was replaced, since it may have been somebody else. */
export async function mailChangedPassword(
  { mail, consoleUrl }: ResetMailParts,
  tx: Db,
  { id, username, email }: { readonly id: number; readonly username: string; readonly email: string },
): Promise<void> {
  if (email === '') return
  const body = [
    `The password of the account ${username} was replaced by a link.`,
    '',
    'All its sessions have ended. If it was not you, tell the operator of this gateway at once.',
    ...(consoleUrl === undefined ? [] : [consoleUrl]),
  ].join('\n')
  await mail?.enqueue(
    tx,
    sql`select ${`password-reset-${id}-${randomUUID()}`}::text as event_key, ${email}::text as recipient,
      'Your password was replaced' as subject, ${body}::text as body`,
  )
}
