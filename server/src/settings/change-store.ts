// SQL on changes of settings that wait for a second admin or for their time.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../platform/db.ts'

export interface ChangeRow {
  readonly id: string
  readonly key: string
  readonly value: string
  readonly requested_by: number
  readonly requester: string
  readonly requested_at: Date
  /** The earliest time at which it begins, once it is approved. */
  readonly begins_at: Date
  /** When it begins without approval, as long as there is no second admin. */
  readonly begins_alone_at: Date
  readonly approved_by: number | null
  readonly approver: string | null
  readonly has_second_admin: boolean
  /** Whether the one who asked is still an active admin. */
  readonly is_requester_admin: boolean
}

const pending = sql`select c.id, c.key, c.value, c.requested_by, q.username as requester, c.requested_at, c.begins_at,
    c.begins_alone_at, c.approved_by, a.username as approver, exists (
      select from users o where o.role = 'admin' and o.status = 'active' and o.id <> c.requested_by
    ) as has_second_admin, q.role = 'admin' and q.status = 'active' as is_requester_admin
  from setting_changes c join users q on q.id = c.requested_by left join users a on a.id = c.approved_by
  where c.status = 'pending'`

/** The changes that wait, at most one for each setting. */
export function pendingChanges(db: Db): Promise<ChangeRow[]> {
  return rows(db, sql`${pending} order by c.id`)
}

export function findPendingChange(tx: Db, key: string): Promise<ChangeRow | undefined> {
  return row(tx, sql`${pending} and c.key = ${key}`)
}

export interface NewChange {
  readonly key: string
  readonly value: string
  readonly requestedBy: number
  readonly requestedAt: Date
  readonly beginsAt: Date
  readonly beginsAloneAt: Date
}

export async function insertChange(tx: Db, change: NewChange): Promise<void> {
  await sql`insert into setting_changes (key, value, requested_by, requested_at, begins_at, begins_alone_at)
    values (${change.key}, ${change.value}, ${change.requestedBy}, ${change.requestedAt}, ${change.beginsAt},
      ${change.beginsAloneAt})`.execute(tx)
}

export async function approveChange(tx: Db, id: string, by: number, at: Date): Promise<void> {
  await sql`update setting_changes set approved_by = ${by}, approved_at = ${at}
    where id = ${id}::bigint and status = 'pending' and approved_by is null`.execute(tx)
}

/** Ends the wait. False when it has ended already. */
export async function endChange(
  tx: Db,
  id: string,
  status: 'begun' | 'cancelled',
  by: number | null,
  at: Date,
): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update setting_changes set status = ${status}, ended_by = ${by}, ended_at = ${at}
        where id = ${id}::bigint and status = 'pending'`,
  )
  return count === 1
}
