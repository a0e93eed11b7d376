// Merges fetched rows and live rows into one list. Record ids grow with time, so ids alone give the order.
import type { SmsRecord } from '@tollgate/contract/records/records.ts'

/** The newer state of a record: `lu` is the time of its last change. */
function newer(one: SmsRecord, other: SmsRecord | undefined): SmsRecord {
  return other !== undefined && other.lu >= one.lu ? other : one
}

interface MergeInput {
  /** As fetched. */
  readonly fetched: readonly SmsRecord[]
  /** Records from the feed, in any order: new records and new states of known ones. */
  readonly updates: ReadonlyMap<string, SmsRecord>
  /** New records that may be shown. */
  readonly shownIds: ReadonlySet<string>
  /** Whether older records wait behind "Show more results". */
  readonly hasMore: boolean
  readonly order: 'asc' | 'desc'
}

/** In the order of the list, each record once, in its newest state. */
export function mergeRows({ fetched, updates, shownIds, hasMore, order }: MergeInput): readonly SmsRecord[] {
  const known = new Set(fetched.map(({ id }) => id))
  const last = fetched.at(-1)?.id ?? ''
  const isLater = (id: string) => (order === 'asc' ? id > last : id < last)
  const arrived = [...shownIds].flatMap((id) => {
    const record = known.has(id) ? undefined : updates.get(id)
    // What stands behind the loaded ones comes with its page.
    return record === undefined || (hasMore && isLater(id)) ? [] : [record]
  })
  const current = fetched.map((record) => newer(record, updates.get(record.id)))
  if (arrived.length === 0) return current
  const sign = order === 'asc' ? -1 : 1
  return [...arrived, ...current].sort((one, other) => (one.id < other.id ? sign : -sign))
}
