// The hot list for people.
import { sql } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import type { listedStates, ListedSender } from '@tollgate/contract/integrity/listed-senders.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import type { StreamReply } from '../../http/handlers.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { allOf, isChosen, keyset } from '../../http/lists/sorted-page.ts'
import { rows, type Db } from '../../platform/db.ts'

export interface ListedFilter {
  readonly ids?: readonly string[]
  readonly state?: (typeof listedStates)[number] | undefined
  readonly search?: string | undefined
}

interface ListedRow {
  readonly id: string
  readonly sender: string
  readonly is_block: boolean
  readonly reason: string
  readonly until_day: string | null
  readonly is_active: boolean
  readonly listed_by: string
  readonly listed_at: Date
  readonly removed_by: string | null
  readonly removed_at: Date | null
  readonly removal_reason: string
  readonly sort_key: string
}

/** A page of the list, the newest entries first. `now` says which have ended. */
export async function listListed(
  db: Db,
  { ids, state, search = '' }: ListedFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  now: Date,
): Promise<{ items: ListedSender[]; next: string | undefined }> {
  const set = keyset({ expression: sql`l.id`, kind: 'id' }, sql`l.id`, 'desc', cursor)
  const isActive = sql`(l.removed_at is null and coalesce(l.until_day >= (${now}::timestamptz at time zone 'UTC')::date, true))`
  // A star at the end is how a block is written.
  const name = containsPattern((searchedDigits(search.replace(/\*+$/, '')) ?? search).trim())
  const condition = allOf([
    ids !== undefined && isChosen(sql`l.id`, ids),
    state !== undefined && sql`${isActive} = ${state === 'active'}::boolean`,
    search !== '' && sql`(l.sender ilike ${name} or l.reason ilike ${containsPattern(search)})`,
    set.after,
  ])
  const found = await rows<ListedRow>(
    db,
    sql`select l.id, l.sender, l.is_block, l.reason, l.until_day::text as until_day, ${isActive} as is_active,
          u.username as listed_by, l.listed_at, r.username as removed_by, l.removed_at, l.removal_reason,
          ${set.key} as sort_key
        from listed_senders l join users u on u.id = l.listed_by left join users r on r.id = l.removed_by
        where ${condition} order by ${set.orderBy} limit ${limit + 1}`,
  )
  const cut = cutPage(found, limit, ({ sort_key: key, id }) => [key, id])
  return { items: cut.rows.map(toListed), next: cut.next }
}

const toListed = (entry: ListedRow): ListedSender => ({
  id: entry.id,
  sender: entry.sender,
  isBlock: entry.is_block,
  reason: entry.reason,
  untilDay: entry.until_day,
  state: entry.is_active ? 'active' : 'ended',
  listedBy: entry.listed_by,
  listedAt: entry.listed_at.toISOString(),
  removedBy: entry.removed_by ?? '',
  removedAt: entry.removed_at?.toISOString() ?? null,
  removalReason: entry.removal_reason,
})

// Its first three columns are what an import reads.
const columns: readonly CsvColumn<ListedSender>[] = [
  ['Sender', ({ sender, isBlock }) => `${sender}${isBlock ? '*' : ''}`],
  ['Reason', ({ reason }) => reason],
  ['Until', ({ untilDay }) => untilDay ?? ''],
  ['Status', ({ state }) => state],
  ['Listed by', ({ listedBy }) => listedBy],
  ['Listed', ({ listedAt }) => listedAt],
  ['Removed by', ({ removedBy }) => removedBy],
  ['Removed', ({ removedAt }) => removedAt ?? ''],
  ['Why removed', ({ removalReason }) => removalReason],
]

/** The list as CSV. */
export function exportListed(db: Db, filter: ListedFilter, now: Date): StreamReply {
  return csvOfList('hot-list.csv', columns, (cursor) =>
    listListed(db, filter, { limit: exportPageRows, cursor }, now),
  )
}
