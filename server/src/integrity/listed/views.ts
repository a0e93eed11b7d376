// The hot list for people.
import { sql } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import type { listedStates, ListedSender } from '@tollgate/contract/integrity/listed-senders.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import type { PageReply, StreamReply } from '../../http/handlers.ts'
import { replyPage } from '../../http/reply.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { isChosen } from '../../http/lists/sorted-page.ts'
import type { Db } from '../../platform/db.ts'

export interface ListedFilter {
  readonly ids?: readonly string[]
  readonly state?: (typeof listedStates)[number] | undefined
  readonly search?: string | undefined
}

/** A page of the list, the newest entries first. `now` says which have ended. */
export async function listListed(
  db: Db,
  { ids, state, search = '' }: ListedFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  now: Date,
): Promise<PageReply<ListedSender[]>> {
  const isActive = sql`(l.removed_at is null and coalesce(l.until_day >= (${now}::timestamptz at time zone 'UTC')::date, true))`
  // A star at the end is how a block is written.
  const name = containsPattern((searchedDigits(search.replace(/\*+$/, '')) ?? search).trim())
  const conditions = [
    ids !== undefined && isChosen(sql`l.id`, ids),
    state !== undefined && sql`${isActive} = ${state === 'active'}::boolean`,
    search !== '' && sql`(l.sender ilike ${name} or l.reason ilike ${containsPattern(search)})`,
  ]
  const columns = sql`l.id, l.sender, l.is_block, l.reason, l.until_day::text as until_day,
    case when ${isActive} then 'active' else 'ended' end as state, u.username as listed_by, l.listed_at,
    coalesce(r.username, '') as removed_by, l.removed_at, l.removal_reason`
  const source = sql`listed_senders l join users u on u.id = l.listed_by left join users r on r.id = l.removed_by`
  const id = sql`l.id`
  const list = { sort: { expression: id, kind: 'id' as const }, id, columns, source, conditions }
  return replyPage(db, list, { order: 'desc', limit, cursor })
}

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
