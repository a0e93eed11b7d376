// What the feed told about records since their list was fetched. Pure: the time and the screen are the caller's.
import type { SmsRecord } from '@tollgate/contract/records.ts'

// Beyond this the browser would hold what the server can give again: then the first page is read anew.
const keptUpdatesMax = 500

export interface LiveUpdates {
  /** Which filters this was heard under. */
  readonly key: string
  /** New records, and new states of old ones. */
  readonly records: ReadonlyMap<string, SmsRecord>
  readonly shownIds: ReadonlySet<string>
  /** New records that came while rows had to stay still. */
  readonly waitingIds: ReadonlySet<string>
  /** More came than is kept, or the feed was away: only the server knows them all. */
  readonly isBehind: boolean
}

export function noUpdates(key: string): LiveUpdates {
  return { key, records: new Map(), shownIds: new Set(), waitingIds: new Set(), isBehind: false }
}

/** Whether so much was heard that the list should be read anew. */
export function isOverfull(heard: LiveUpdates): boolean {
  return heard.records.size > keptUpdatesMax
}

export interface Batch {
  readonly records: readonly SmsRecord[]
  readonly isListed: (id: string) => boolean
  /** Whether a record that is not yet on screen belongs there. */
  readonly belongs: (record: SmsRecord) => boolean
  /** Whether rows may be put in now. */
  readonly isOpen: boolean
}

/** Adds what the feed said in a moment; gives the ids of new records, too. */
export function addBatch(
  heard: LiveUpdates,
  { records: batch, isListed, belongs, isOpen }: Batch,
): { heard: LiveUpdates; arrived: readonly string[] } {
  const records = new Map(heard.records)
  const arrived: string[] = []
  for (const record of batch) {
    const isKnown = isListed(record.id) || heard.shownIds.has(record.id) || heard.waitingIds.has(record.id)
    const isNew = !isKnown && !arrived.includes(record.id)
    if (isNew && !belongs(record)) continue
    const before = records.get(record.id)
    if (before === undefined || before.lu <= record.lu) records.set(record.id, record)
    if (isNew) arrived.push(record.id)
  }
  if (isOpen)
    return { heard: { ...heard, records, shownIds: new Set([...heard.shownIds, ...arrived]) }, arrived }
  const waitingIds = new Set([...heard.waitingIds, ...arrived])
  const next = { ...heard, records, waitingIds }
  // Held back beyond the limit: the count goes on, the records are fetched when they are asked for.
  return { heard: isOverfull(next) ? { ...next, records: heard.records, isBehind: true } : next, arrived }
}

/** Shows all that waited. */
export function showWaiting(heard: LiveUpdates): LiveUpdates {
  return { ...heard, shownIds: new Set([...heard.shownIds, ...heard.waitingIds]), waitingIds: new Set() }
}

/** After the list was read anew: what was heard before that reading is in it. */
export function forget(heard: LiveUpdates, before: LiveUpdates): LiveUpdates {
  const isLater = (id: string) =>
    !before.records.has(id) && !before.waitingIds.has(id) && !before.shownIds.has(id)
  return {
    key: heard.key,
    records: new Map([...heard.records].filter(([id]) => isLater(id))),
    shownIds: new Set([...heard.shownIds].filter(isLater)),
    waitingIds: new Set([...heard.waitingIds].filter(isLater)),
    isBehind: false,
  }
}
