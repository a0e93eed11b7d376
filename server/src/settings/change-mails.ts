// Mails to the admins about changes of settings that guard money. Values have passed their setting's schema.
import { sql } from 'kysely'
import type { Mail } from '../mail/index.ts'
import type { Db } from '../platform/db.ts'
import type { ChangeRow } from './change-store.ts'

export interface MailParts {
  readonly mail?: Pick<Mail, 'enqueue'> | undefined
  readonly consoleUrl?: string | undefined
}

export type ChangeEvent = 'requested' | 'approved' | 'cancelled' | 'begun'

const subjects: Readonly<Record<ChangeEvent, string>> = {
  requested: 'waits for a second admin',
  approved: 'was approved',
  cancelled: 'was cancelled',
  begun: 'is in force now',
}

/** Queues a mail to every active admin with an address. Nothing where no mail server is configured. */
export async function mailChange(
  tx: Db,
  { mail, consoleUrl }: MailParts,
  event: ChangeEvent,
  change: ChangeRow,
  before: string,
): Promise<void> {
  if (mail === undefined) return
  const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} (UTC)`
  const { what, place } = subjectOf(change.key)
  const lines = [
    `A change of ${what} ${subjects[event]}. Payments to clients depend on it.`,
    '',
    `Value in force: ${event === 'begun' ? change.value : before}`,
    event === 'begun' ? `Before: ${before}` : `New value: ${change.value}`,
    `Asked for by: ${change.requester}, ${minute(change.requested_at)}`,
    change.approver === null ? 'Approved by: nobody' : `Approved by: ${change.approver}`,
    ...(event === 'requested' || event === 'approved' ? ['', beginning(change, minute)] : []),
    '',
    'If nobody should have asked for it, cancel it and change the passwords of the admins.',
    consoleUrl === undefined
      ? `See it in the console, ${place.words}.`
      : `See it in the console: ${consoleUrl}${place.path}`,
    '',
  ]
  await mail.enqueue(
    tx,
    sql`select ${`setting-change-${change.id}-${event}-`} || id as event_key, email as recipient,
          ${`A change of ${what} ${subjects[event]}`} as subject, ${lines.join('\n')} as body
        from users where role = 'admin' and status = 'active' and email <> ''`,
  )
}

/** What is changed, for people, and where the console shows it. */
function subjectOf(key: string) {
  const [name = '', id] = key.split('.')
  return id === undefined
    ? {
        what: `the setting ${key}`,
        place: { words: 'on the page Admin Settings', path: '/admin-settings?tab=settings' },
      }
    : {
        what: `the ${name} of the client with the id ${id}`,
        place: { words: 'on the page of the client', path: `/users/${id}?tab=terms` },
      }
}

function beginning(change: ChangeRow, minute: (at: Date) => string): string {
  if (change.approver !== null) return `It begins on ${minute(change.begins_at)}.`
  return change.has_second_admin
    ? `It begins when another admin has approved it, on ${minute(change.begins_at)} at the earliest.`
    : `There is no second admin. It begins on ${minute(change.begins_alone_at)} unless it is cancelled.`
}
