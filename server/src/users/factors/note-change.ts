// A change of second factors is audited, and mailed to the owner, since somebody else may have made it.
import { sql, type RawBuilder } from 'kysely'
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Mail } from '../../mail/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { aboutUser } from '../about-user.ts'

export interface NoteParts {
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  /** Undefined where no mail server is configured. */
  readonly mail?: Pick<Mail, 'enqueue'> | undefined
}

// The mails to the owner; a change that is not listed here is only audited.
const sentences = {
  'totp.add': 'An authenticator app was set up for your account',
  'totp.remove': 'The authenticator app of your account was removed',
  'passkey.add': 'A passkey was added to your account',
  'passkey.remove': 'A passkey of your account was removed',
  'recovery-code.renew': 'New recovery codes were made for your account',
  'second-factor.remove': 'All second factors of your account were removed',
} as const
export type FactorChange = keyof typeof sentences

/** Records the change in the caller's transaction; call it last. */
export async function noteChange(
  { clock, audit, mail }: NoteParts,
  tx: Db,
  change: FactorChange,
  userId: number,
  by: { readonly actor: AuditActor; readonly ip: string },
  after?: object,
): Promise<void> {
  await mail?.enqueue(tx, mailOf(change, userId, by.ip, clock.now()))
  await audit.record(tx, { actor: by.actor, ip: by.ip, action: change, ...aboutUser(userId), after })
}

function mailOf(change: FactorChange, userId: number, ip: string, at: Date): RawBuilder<unknown> {
  return sql`select ${`${change}-${userId}-${at.getTime()}`}::text as event_key, u.email as recipient,
      'Tollgate: the second factor of your account' as subject,
      ${sentences[change]}::text || ' ' || u.username || '.' || E'\n\n'
        || 'Time: ' || to_char(${at}::timestamptz at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC' || E'\n'
        || 'Address: ' || coalesce(nullif(${ip}::text, ''), 'the operator') || E'\n\n'
        || 'If it was neither you nor somebody you asked, change your password and tell your gateway''s staff.' as body
    from users u where u.id = ${userId} and u.email <> '' and u.status = 'active'`
}
