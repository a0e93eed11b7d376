// SQL on mails.
import { sql, type RawBuilder } from 'kysely'
import { changed, rows, type Db } from '../platform/db.ts'

/** At most `max` mails in 24 hours whose event keys begin with `keyStart`. */
export interface DailyCap {
  readonly keyStart: string
  readonly max: number
}

export interface NewMail {
  readonly eventKey: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
}

/** Inserts one mail with an encrypted text. Returns 0 beyond the cap, or when its key exists. */
export function insertEncryptedMail(
  tx: Db,
  mail: Omit<NewMail, 'body'> & { readonly encryptedBody: Buffer },
  now: Date,
  cap?: DailyCap,
): Promise<number> {
  const { eventKey, recipient, subject, encryptedBody } = mail
  return changed(
    tx,
    sql`insert into mails (event_key, recipient, subject, body, encrypted_body, next_try_at, created_at)
        select ${eventKey}, ${recipient}, ${subject}, '', ${encryptedBody}, ${now}::timestamptz, ${now}::timestamptz
        where ${isBelowCap(now, cap)}
        on conflict (event_key) do nothing`,
  )
}

function isBelowCap(now: Date, cap: DailyCap | undefined): RawBuilder<unknown> {
  return cap === undefined
    ? sql`true`
    : sql`(select count(*) from mails where event_key like ${`${cap.keyStart}%`}
        and created_at > ${now}::timestamptz - interval '1 day') < ${cap.max}`
}

/** Inserts the rows of a query (event_key, recipient, subject, body), each key once. Returns how many. */
export function insertMails(tx: Db, mails: RawBuilder<unknown>, now: Date, cap?: DailyCap): Promise<number> {
  return changed(
    tx,
    sql`insert into mails (event_key, recipient, subject, body, next_try_at, created_at)
        select event_key, recipient, subject, body, ${now}::timestamptz, ${now}::timestamptz from (${mails}) added
        where ${isBelowCap(now, cap)}
        on conflict (event_key) do nothing`,
  )
}

export interface DueMail {
  readonly id: string
  readonly event_key: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
  /** The encrypted text of a mail that contains a secret; then `body` is empty. */
  readonly encrypted_body: Buffer | null
  /** How often it was tried, with the present attempt. */
  readonly attempts: number
  readonly created_at: Date
}

/** Claims mails that are due, the longest waiting first. No other node claims them before `until`. */
export function claimDue(db: Db, now: Date, until: Date, limit: number): Promise<DueMail[]> {
  return rows(
    db,
    sql`update mails set attempts = attempts + 1, next_try_at = ${until}
        where id in (
          select id from mails where next_try_at <= ${now} order by next_try_at, id limit ${limit}
          for update skip locked
        )
        returning id, event_key, recipient, subject, body, encrypted_body, attempts, created_at`,
  )
}

export async function markSent(db: Db, id: string, at: Date): Promise<void> {
  await db
    .updateTable('mails')
    .set({ sent_at: at, failed_at: null, next_try_at: null, failure: '', encrypted_body: null })
    .where('id', '=', id)
    .execute()
}

/** After a failed attempt; `nextTryAt` null means that it was the last. Does nothing if a newer attempt has begun. */
export async function markFailed(
  db: Db,
  { id, attempts }: DueMail,
  failure: string,
  nextTryAt: Date | null,
  at: Date,
): Promise<void> {
  await sql`update mails set failure = ${failure}, next_try_at = ${nextTryAt},
      failed_at = case when ${nextTryAt}::timestamptz is null then ${at}::timestamptz end,
      encrypted_body = case when ${nextTryAt}::timestamptz is not null then encrypted_body end
    where id = ${id}::bigint and attempts = ${attempts} and sent_at is null`.execute(db)
}

/** Deletes up to `limit` mails that were sent or have failed more than 30 days ago. Returns how many. */
export function pruneMails(db: Db, now: Date, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from mails where id in (
          select id from mails where coalesce(sent_at, failed_at) < ${now}::timestamptz - interval '30 days'
          limit ${limit}
        )`,
  )
}
