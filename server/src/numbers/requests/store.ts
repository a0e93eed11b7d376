import { sql, type RawBuilder } from 'kysely'
import type { RequestStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage, readCursor } from '../../platform/cursor.ts'
import { row, rows, type Db } from '../../platform/db.ts'

export interface RequestRow {
  readonly id: string
  readonly user_id: number
  readonly username: string
  readonly email: string
  readonly requested_number: string
  readonly preferred_country: string
  readonly country_code: string
  readonly business_purpose: string
  readonly expected_volume: string
  readonly status: RequestStatus
  readonly assigned_number: string
  readonly rejection_reason: string
  readonly processed_at: Date | null
  readonly created_at: Date
}

export interface RequestFields {
  readonly requestedNumber: string
  readonly preferredCountry: string
  readonly countryCode: string
  readonly businessPurpose: string
  readonly expectedVolume: string
}

const columns = sql`q.*, u.username, u.email from number_requests q join users u on u.id = q.user_id`

/** Newest first. `filter` sees requests as q and their makers as u. */
export async function listRequests(
  db: Db,
  filter: RawBuilder<unknown>,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ rows: readonly RequestRow[]; next: string | undefined }> {
  const [before] = readCursor(page.cursor, ['id']) ?? []
  const after = before === undefined ? sql`true` : sql`q.id < ${before}::bigint`
  const found = await rows<RequestRow>(
    db,
    sql`select ${columns} where ${filter} and ${after} order by q.id desc limit ${page.limit + 1}`,
  )
  return cutPage(found, page.limit, ({ id }) => [id])
}

export async function countRequests(
  db: Db,
  filter: RawBuilder<unknown>,
): Promise<{ pending: number; approved: number; rejected: number; total: number }> {
  const counted = await row<Record<'pending' | 'approved' | 'rejected' | 'total', number>>(
    db,
    // Spec §2: the Approved card counts approved and assigned.
    sql`select count(*) filter (where q.status = 'pending')::int as pending,
          count(*) filter (where q.status in ('approved', 'assigned'))::int as approved,
          count(*) filter (where q.status = 'rejected')::int as rejected, count(*)::int as total
        from number_requests q where ${filter}`,
  )
  return counted ?? { pending: 0, approved: 0, rejected: 0, total: 0 }
}

export function viewRequest(db: Db, id: string): Promise<RequestRow | undefined> {
  return row<RequestRow>(db, sql`select ${columns} where q.id = ${id}`)
}

export function lockRequest(tx: Db, id: string): Promise<RequestRow | undefined> {
  return row<RequestRow>(tx, sql`select ${columns} where q.id = ${id} for update of q`)
}

export async function insertRequest(tx: Db, userId: number, fields: RequestFields): Promise<string> {
  const inserted = await row<{ id: string }>(
    tx,
    sql`insert into number_requests
          (user_id, requested_number, preferred_country, country_code, business_purpose, expected_volume)
        values (${userId}, ${fields.requestedNumber}, ${fields.preferredCountry}, ${fields.countryCode},
          ${fields.businessPurpose}, ${fields.expectedVolume})
        returning id`,
  )
  if (inserted === undefined) throw new Error('The request was not added')
  return inserted.id
}

export async function settleRequest(
  tx: Db,
  id: string,
  outcome: { status: RequestStatus; assignedNumber: string; rejectionReason: string; processedBy: number },
): Promise<void> {
  await sql`update number_requests set status = ${outcome.status}, assigned_number = ${outcome.assignedNumber},
      rejection_reason = ${outcome.rejectionReason}, processed_at = clock_timestamp(),
      processed_by = ${outcome.processedBy}
    where id = ${id}`.execute(tx)
}
