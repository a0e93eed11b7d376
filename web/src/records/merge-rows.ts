// Fetched rows and rows that came live, made one list. A record's id grows with its time, so ids alone give the order.
import type { SmsRecord } from '@tollgate/contract/records.ts'

/** The newer word of two about the same record: `lu` is when it last changed. */
function newer(one: SmsRecord, other: SmsRecord | undefined): SmsRecord {
  return other !== undefined && other.lu >= one.lu ? other : one
}

interface MergeInput {
  /** Newest first, as fetched. */
  readonly fetched: readonly SmsRecord[]
  /** LiveUpdates of by the feed, in any order: new records and new states of old ones. */
  readonly heard: ReadonlyMap<string, SmsRecord>
  /** New records that may be shown. */
  readonly shownIds: ReadonlySet<string>
  /** Whether older records wait behind "Show more results". */
  readonly hasMore: boolean
}

/** Newest first, each record once, in its newest state. */
export function mergeRows({ fetched, heard, shownIds, hasMore }: MergeInput): readonly SmsRecord[] {
  const known = new Set(fetched.map(({ id }) => id))
  const oldest = fetched.at(-1)?.id ?? ''
  const arrived = [...shownIds].flatMap((id) => {
    const record = known.has(id) ? undefined : heard.get(id)
    // A late record older than what is loaded comes with its page.
    return record === undefined || (hasMore && id < oldest) ? [] : [record]
  })
  const current = fetched.map((record) => newer(record, heard.get(record.id)))
  if (arrived.length === 0) return current
  return [...arrived, ...current].sort((one, other) => (one.id < other.id ? 1 : -1))
}
