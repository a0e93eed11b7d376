// SQL on mails.
import { sql, type RawBuilder } from 'kysely'
import { changed, rows, type Db } from '../platform/db.ts'

/** At most so many mails in a day whose keys begin alike. */
export interface DailyCap {
  readonly keyStart: string
  readonly most: number
}

/** Writes what a query gives (event_key, recipient, subject, body), each key once. Gives how many. */
export function insertMails(tx: Db, mails: RawBuilder<unknown>, now: Date, cap?: DailyCap): Promise<number> {
  const room =
    cap === undefined
      ? sql`true`
      : sql`(select count(*) from mails where event_key like ${`${cap.keyStart}%`}
          and created_at > ${now}::timestamptz - interval '1 day') < ${cap.most}`
  return changed(
    tx,
    sql`insert into mails (event_key, recipient, subject, body, next_try_at, created_at)
        select event_key, recipient, subject, body, ${now}::timestamptz, ${now}::timestamptz from (${mails}) added
        where ${room}
        on conflict (event_key) do nothing`,
  )
}

export interface DueMail {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly body: string
  /** This try included. */
  readonly attempts: number
  readonly created_at: Date
}

/** Takes mails whose time has come, the longest waiting first; nobody else takes them before `until`. */
export function claimDue(db: Db, now: Date, until: Date, limit: number): Promise<DueMail[]> {
  return rows(
    db,
    sql`update mails set attempts = attempts + 1, next_try_at = ${until}
        where id in (
          select id from mails where next_try_at <= ${now} order by next_try_at, id limit ${limit}
          for update skip locked
        )
        returning id, recipient, subject, body, attempts, created_at`,
  )
}

export async function markSent(db: Db, id: string, at: Date): Promise<void> {
  await sql`update mails set sent_at = ${at}, failed_at = null, next_try_at = null, failure = ''
    where id = ${id}::bigint`.execute(db)
}

/** After a try that failed; `nextTryAt` null gives up. Nothing happens when another try has begun meanwhile. */
export async function markFailed(
  db: Db,
  { id, attempts }: DueMail,
  failure: string,
  nextTryAt: Date | null,
  at: Date,
): Promise<void> {
  await sql`update mails set failure = ${failure}, next_try_at = ${nextTryAt},
      failed_at = case when ${nextTryAt}::timestamptz is null then ${at}::timestamptz end
    where id = ${id}::bigint and attempts = ${attempts} and sent_at is null`.execute(db)
}

/** Forgets mails that were sent or given up more than 30 days ago, some at a time. Gives how many. */
export function pruneMails(db: Db, now: Date, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from mails where id in (
          select id from mails where coalesce(sent_at, failed_at) < ${now}::timestamptz - interval '30 days'
          limit ${limit}
        )`,
  )
}
