// Merges fetched rows and live rows into one list. Record ids grow with time, so ids alone give the order.
import type { SmsRecord } from '@tollgate/contract/records/records.ts'

/** The newer state of a record: `lu` is the time of its last change. */
function newer(one: SmsRecord, other: SmsRecord | undefined): SmsRecord {
  return other !== undefined && other.lu >= one.lu ? other : one
}

interface MergeInput {
  /** Newest first, as fetched. */
  readonly fetched: readonly SmsRecord[]
  /** Records from the feed, in any order: new records and new states of known ones. */
  readonly updates: ReadonlyMap<string, SmsRecord>
  /** New records that may be shown. */
  readonly shownIds: ReadonlySet<string>
  /** Whether older records wait behind "Show more results". */
  readonly hasMore: boolean
}

/** Newest first, each record once, in its newest state. */
export function mergeRows({ fetched, updates, shownIds, hasMore }: MergeInput): readonly SmsRecord[] {
  const known = new Set(fetched.map(({ id }) => id))
  const oldest = fetched.at(-1)?.id ?? ''
  const arrived = [...shownIds].flatMap((id) => {
    const record = known.has(id) ? undefined : updates.get(id)
    // A late record that is older than the loaded ones comes with its page.
    return record === undefined || (hasMore && id < oldest) ? [] : [record]
  })
  const current = fetched.map((record) => newer(record, updates.get(record.id)))
  if (arrived.length === 0) return current
  return [...arrived, ...current].sort((one, other) => (one.id < other.id ? 1 : -1))
}
