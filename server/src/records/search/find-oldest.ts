// Finds a page of records, oldest first. Every index of the search leads from the newest record down, so it looks through
// short stretches of time one after the other, each from its newest record: longer ones where little matches.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { byNewest, listPositionOf, type ListPosition, type NamedRow } from '../../ingest/index.ts'
import { partsOf, type Condition } from '../query/condition.ts'
import { findPage, type PageRequest } from './find-page.ts'

const firstStretchMs = 60_000
const growth = 8
// A stretch with more matches than so many pages is too long.
const pagesMax = 4
// All records of one millisecond are read at once. A batch has 4,096 records at most, and few share a millisecond.
const sameTimeMax = 200_000
// The clock of another node may be ahead.
const aheadMs = 86_400_000

/** Up to `limit` records of `condition` strictly after `after`, oldest first. */
export async function findOldest(db: Db, condition: Condition, page: PageRequest): Promise<NamedRow[]> {
  const found: NamedRow[] = []
  const since = await startOf(db, condition, page.after)
  if (since === undefined) return found
  for (const part of partsOf(condition).toReversed()) {
    if (found.length >= page.limit) break
    const startMs = Math.max(since.getTime(), part.from?.getTime() ?? -Infinity)
    const endMs = Math.min(page.now.getTime() + aheadMs, part.to?.getTime() ?? Infinity)
    await addOldest(db, part, page, { startMs, endMs }, found)
  }
  return found.slice(0, page.limit)
}

/** Where to begin; undefined when there is no record at all. */
async function startOf(
  db: Db,
  condition: Condition,
  after: ListPosition | undefined,
): Promise<Date | undefined> {
  if (after !== undefined) return after.createdAt
  if (condition.from !== undefined || condition.spans !== undefined) return new Date(0)
  const oldest = await row<{ at: Date | null }>(db, sql`select min(created_at) as at from records`)
  return oldest?.at ?? undefined
}

/** Adds to `found` until it has a page, or the time is over. */
async function addOldest(
  db: Db,
  condition: Condition,
  { after, limit, now, trace }: PageRequest,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  found: NamedRow[],
): Promise<void> {
  let fromMs = startMs
  let lengthMs = firstStretchMs
  while (fromMs < endMs && found.length < limit) {
    const toMs = Math.min(fromMs + lengthMs, endMs)
    const max = lengthMs > 1 ? limit * pagesMax : sameTimeMax
    const stretch = { ...condition, from: new Date(fromMs), to: new Date(toMs) }
    const matches = await findPage(db, stretch, { after: undefined, limit: max, now, trace })
    if (matches.length >= max && lengthMs > 1) {
      lengthMs = Math.max(1, Math.floor((toMs - fromMs) / growth))
      continue
    }
    found.push(
      ...matches
        .filter((match) => after === undefined || byNewest(listPositionOf(match), after) < 0)
        .toReversed(),
    )
    if (matches.length < limit) lengthMs *= growth
    fromMs = toMs
  }
}
