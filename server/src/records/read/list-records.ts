// The list: a page of records as the viewer may see them.
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records.ts'
import type { Clock } from '../../platform/clock.ts'
import { cutPage, readCursor } from '../../platform/lists/cursor.ts'
import type { PageReply } from '../../platform/http/handlers.ts'
import { findPage } from './find-page.ts'
import { ownNames } from './names.ts'
import type { Place } from './record-row.ts'
import { viewRecord } from './record-view.ts'
import { resolveFilters, type FilterSurroundings } from './resolve-filters.ts'
import type { Viewer } from './viewer.ts'

export interface ReadSurroundings extends FilterSurroundings {
  readonly clock: Clock
}

export interface PageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** One page, newest first. Throws Refusal invalid for a foreign cursor or days in the wrong order. */
export async function listRecords(
  around: ReadSurroundings,
  viewer: Viewer,
  query: RecordFilters & PageQuery,
): Promise<PageReply<SmsRecord[]>> {
  const after = readPlace(query.cursor)
  const condition = await resolveFilters(around, viewer, query)
  if (condition === undefined) return { items: [], next: undefined }
  const { db, clock } = around
  const found = await findPage(db, condition, { after, limit: query.limit + 1, now: clock.now() })
  const { rows, next } = cutPage(found, query.limit, (row) => [row.created_at.toISOString(), row.id])
  return { items: rows.map((row) => viewRecord(row, ownNames(row), viewer)), next }
}

function readPlace(cursor: string | undefined): Place | undefined {
  const values = readCursor(cursor, ['time', 'id'])
  return values === undefined ? undefined : { createdAt: new Date(values[0]), id: Number(values[1]) }
}
