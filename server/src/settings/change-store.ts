// SQL on changes of settings that wait for a second admin or for their time.
import { sql } from 'kysely'
import type { Db, FoundBy, NewRow } from '../platform/db.ts'

const pending = (db: Db) =>
  db
    .selectFrom('setting_changes as c')
    .innerJoin('users as q', 'q.id', 'c.requested_by')
    .leftJoin('users as a', 'a.id', 'c.approved_by')
    .selectAll('c')
    .select(['q.username as requester', 'a.username as approver'])
    .select(sql<boolean>`q.role = 'admin' and q.status = 'active'`.as('is_requester_admin'))
    .select(
      sql<boolean>`exists (
        select from users o where o.role = 'admin' and o.status = 'active' and o.id <> c.requested_by
      )`.as('has_second_admin'),
    )
    .where('c.status', '=', 'pending')

/** The changes that wait, at most one for each setting. */
export function pendingChanges(db: Db) {
  return pending(db).orderBy('c.id').execute()
}

export function findPendingChange(tx: Db, key: string) {
  return pending(tx).where('c.key', '=', key).executeTakeFirst()
}

export type ChangeRow = FoundBy<typeof findPendingChange>

export async function insertChange(tx: Db, change: NewRow<'setting_changes'>): Promise<void> {
  await tx.insertInto('setting_changes').values(change).execute()
}

export async function approveChange(tx: Db, id: string, by: number, at: Date): Promise<void> {
  await tx
    .updateTable('setting_changes')
    .set({ approved_by: by, approved_at: at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('approved_by', 'is', null)
    .execute()
}

/** Ends the wait. False when it has ended already. */
export async function endChange(
  tx: Db,
  id: string,
  status: 'begun' | 'cancelled',
  by: number | null,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('setting_changes')
    .set({ status, ended_by: by, ended_at: at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
