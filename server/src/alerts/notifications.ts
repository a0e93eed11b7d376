// The notifications that a person may see, and how far they were read.
import { sql, type RawBuilder } from 'kysely'
import { alertKinds, type AlertNotification, type AlertKind } from '@tollgate/contract/alerts/alerts.ts'
import { isPermitted, type Role } from '@tollgate/contract/vocabulary.ts'
import { replyRows } from '../http/reply.ts'
import { row, type Db } from '../platform/db.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'

interface Reader {
  readonly userId: number
  readonly role: Role
}

// The counter shows "99+" beyond.
const countedMax = 100

/** The kinds of alert that the role may see. */
function kindsOf(role: Role): AlertKind[] {
  return (Object.keys(alertKinds) as AlertKind[]).filter((kind) => isPermitted(role, alertKinds[kind]))
}

/** Somebody who never opened the list has read what was told before the account was made. */
const unread = ({ userId }: Reader): RawBuilder<unknown> => sql`
  n.id > coalesce((select read_up_to from notification_readers where user_id = ${userId}), 0)
    and n.at > (select created_at from users where id = ${userId})`

export async function countUnread(db: Db, reader: Reader): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from (
          select from notifications n where n.kind = any(${kindsOf(reader.role)}::text[]) and ${unread(reader)}
          limit ${countedMax}
        ) u`,
  )
  return found?.count ?? 0
}

export async function listNotifications(
  db: Db,
  reader: Reader,
  page: { readonly limit: number; readonly cursor?: string | undefined },
) {
  const [before] = readCursor(page.cursor, ['id']) ?? []
  const found = await replyRows<AlertNotification>(
    db,
    sql`select n.id, n.at, n.event, n.kind, n.severity, n.name, n.what, n.words, n.key, coalesce(${unread(reader)}, false) as "isUnread"
        from notifications n where n.kind = any(${kindsOf(reader.role)}::text[])
          and ${before === undefined ? sql`true` : sql`n.id < ${before}::bigint`}
        order by n.id desc limit ${page.limit + 1}`,
  )
  const { rows: items, next } = cutPage(found, page.limit, ({ id }) => [id])
  return { items, next }
}

/** Never back: another window may have read further. */
export async function readUpTo(db: Db, userId: number, upTo: string): Promise<void> {
  await sql`
    insert into notification_readers (user_id, read_up_to) values (${userId}, ${upTo}::bigint)
    on conflict (user_id) do update set read_up_to = greatest(notification_readers.read_up_to, excluded.read_up_to)`.execute(
    db,
  )
}
