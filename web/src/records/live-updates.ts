// What the live feed has reported about records since their list was fetched. Pure functions: the caller provides time
// and screen.
import type { SmsRecord } from '@tollgate/contract/records.ts'

// Beyond this limit the first page is fetched again instead of keeping more in the browser.
const keptUpdatesMax = 500

export interface LiveUpdates {
  /** The filters for which these updates were collected. */
  readonly key: string
  /** New records, and new states of known ones. */
  readonly records: ReadonlyMap<string, SmsRecord>
  readonly shownIds: ReadonlySet<string>
  /** New records that came while rows must not move. */
  readonly waitingIds: ReadonlySet<string>
  /** More came than is kept, or the feed was interrupted. Only the server has all of them. */
  readonly isBehind: boolean
}

export function noUpdates(key: string): LiveUpdates {
  return { key, records: new Map(), shownIds: new Set(), waitingIds: new Set(), isBehind: false }
}

/** Whether so many updates are kept that the list should be fetched again. */
export function isOverfull(heard: LiveUpdates): boolean {
  return heard.records.size > keptUpdatesMax
}

export interface Batch {
  readonly records: readonly SmsRecord[]
  readonly isListed: (id: string) => boolean
  /** Whether a record that is not on screen yet belongs there. */
  readonly belongs: (record: SmsRecord) => boolean
  /** Whether rows may be inserted now. */
  readonly isOpen: boolean
}

/** Adds a batch of events. Also returns the ids of new records. */
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
  // Beyond the limit only the count goes on. The records are fetched when the person asks for them.
  return { heard: isOverfull(next) ? { ...next, records: heard.records, isBehind: true } : next, arrived }
}

/** Shows all waiting records. */
export function showWaiting(heard: LiveUpdates): LiveUpdates {
  return { ...heard, shownIds: new Set([...heard.shownIds, ...heard.waitingIds]), waitingIds: new Set() }
}

/** After a refetch: drops what came before the refetch, since it is in the list now. */
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
