// A page of the records list, as the viewer may see it.
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records/records.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { cutPage, readCursor } from '../../http/lists/cursor.ts'
import type { PageReply } from '../../http/handlers.ts'
import { findOldest, findPage } from '../search/index.ts'
import { ownNames, type ListPosition } from '../../ingest/index.ts'
import { viewRecord } from './record-view.ts'
import { resolveFilters } from './resolve-filters.ts'
import type { Viewer } from './viewer.ts'

export interface ReadDeps {
  readonly db: Db
  readonly clock: Clock
}

export interface PageQuery {
  readonly order?: 'asc' | 'desc' | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** One page, newest first or, by `order`, oldest first. Throws Refusal invalid for a cursor of another list or days in the wrong order. */
export async function listRecords(
  around: ReadDeps,
  viewer: Viewer,
  query: RecordFilters & PageQuery,
): Promise<PageReply<SmsRecord[]>> {
  const { db, clock } = around
  const now = clock.now()
  const after = readListPosition(query.cursor)
  const condition = await resolveFilters(db, viewer, query, now)
  if (condition === undefined) return { items: [], next: undefined }
  const find = query.order === 'asc' ? findOldest : findPage
  const found = await find(db, condition, { after, limit: query.limit + 1, now })
  const { rows, next } = cutPage(found, query.limit, (row) => [row.created_at.toISOString(), row.id])
  return { items: rows.map((row) => viewRecord(row, ownNames(row), viewer)), next }
}

function readListPosition(cursor: string | undefined): ListPosition | undefined {
  const values = readCursor(cursor, ['time', 'id'])
  return values === undefined ? undefined : { createdAt: new Date(values[0]), id: Number(values[1]) }
}
