import { sql, type RawBuilder } from 'kysely'
import type { RequestFields, requestSorts } from '@tollgate/contract/numbers/requests.ts'
import { expectedVolumes, requestStatuses, type RequestStatus } from '@tollgate/contract/vocabulary.ts'
import { row, type Db, type Row } from '../../platform/db.ts'
import { sortedRows, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'

export type RequestRow = Row<'number_requests'> & Pick<Row<'users'>, 'username' | 'email'>

const columns = sql`q.*, u.username, u.email`
const source = sql`number_requests q join users u on u.id = q.user_id`

/** The position of the column's value in a list of values, from 1; 0 if it is not there. */
function positionIn(values: readonly string[], column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce(array_position(${[...values]}::text[], ${column}), 0)`
}

// Only the id has an index. For the other sorts ten thousand requests are read and sorted in some milliseconds.
const sorts: Record<(typeof requestSorts)[number], Sort> = {
  createdAt: { expression: sql`q.id`, kind: 'id' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  requestedNumber: { expression: sql`q.requested_number`, kind: 'text' },
  expectedVolume: { expression: positionIn(expectedVolumes, sql`q.expected_volume`), kind: 'id' },
  // In the order of a request's life, from pending on.
  status: { expression: positionIn(requestStatuses, sql`q.status`), kind: 'id' },
}

export type RequestPage = SortedPage<(typeof requestSorts)[number]>

/** A page of requests. `filter` sees them as q, and the users who made them as u. */
export function listRequests(
  db: Db,
  filter: RawBuilder<unknown>,
  page: RequestPage,
): Promise<{ rows: readonly RequestRow[]; next: string | undefined }> {
  const list = { sort: sorts[page.sort], id: sql`q.id`, columns, source, conditions: [filter] }
  return sortedRows(db, list, page)
}

export async function countRequests(
  db: Db,
  filter: RawBuilder<unknown>,
): Promise<Record<'pending' | 'approved' | 'rejected' | 'total' | 'open', number>> {
  const counted = await row<Record<'pending' | 'approved' | 'rejected' | 'total' | 'open', number>>(
    db,
    // Spec §2: the Approved card counts approved and assigned.
    sql`select count(*) filter (where q.status = 'pending')::int as pending,
          count(*) filter (where q.status in ('approved', 'assigned'))::int as approved,
          count(*) filter (where q.status in ('pending', 'approved'))::int as open,
          count(*) filter (where q.status = 'rejected')::int as rejected, count(*)::int as total
        from ${source} where ${filter}`,
  )
  return counted ?? { pending: 0, approved: 0, rejected: 0, total: 0, open: 0 }
}

const withUser = (db: Db, id: string) =>
  db
    .selectFrom('number_requests as q')
    .innerJoin('users as u', 'u.id', 'q.user_id')
    .selectAll('q')
    .select(['u.username', 'u.email'])
    .where('q.id', '=', id)

export function viewRequest(db: Db, id: string): Promise<RequestRow | undefined> {
  return withUser(db, id).executeTakeFirst()
}

export function lockRequest(tx: Db, id: string): Promise<RequestRow | undefined> {
  return withUser(tx, id).forUpdate('q').executeTakeFirst()
}

export async function insertRequest(tx: Db, userId: number, fields: RequestFields): Promise<string> {
  const { id } = await tx
    .insertInto('number_requests')
    .values({ user_id: userId, ...columnsOf(fields) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const columnsOf = (fields: RequestFields) => ({
  requested_number: fields.requestedNumber,
  preferred_country: fields.preferredCountry,
  country_code: fields.countryCode,
  business_purpose: fields.businessPurpose,
  expected_volume: fields.expectedVolume,
})

export async function updateRequest(tx: Db, id: string, fields: RequestFields): Promise<void> {
  await tx.updateTable('number_requests').set(columnsOf(fields)).where('id', '=', id).execute()
}

/** Takes a decision back: the request waits again in the state that it had. */
export async function reopenRequest(tx: Db, id: string, status: string): Promise<void> {
  await sql`update number_requests set status = ${status}, rejection_reason = '',
      processed_at = case when ${status} = 'pending' then null else clock_timestamp() end,
      processed_by = case when ${status} = 'pending' then null else processed_by end
    where id = ${id}`.execute(tx)
}

export async function settleRequest(
  tx: Db,
  id: string,
  result: { status: RequestStatus; assignedNumber: string; rejectionReason: string; processedBy: number },
): Promise<void> {
  await sql`update number_requests set status = ${result.status}, assigned_number = ${result.assignedNumber},
      rejection_reason = ${result.rejectionReason}, processed_at = clock_timestamp(),
      processed_by = ${result.processedBy}
    where id = ${id}`.execute(tx)
}
