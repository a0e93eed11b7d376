// What the live feed has reported about records since their list was fetched. Pure functions: the caller provides time
// and screen.
import type { SmsRecord } from '@tollgate/contract/records/records.ts'

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
export function isOverfull(updates: LiveUpdates): boolean {
  return updates.records.size > keptUpdatesMax
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
  updates: LiveUpdates,
  { records: batch, isListed, belongs, isOpen }: Batch,
): { updates: LiveUpdates; arrived: readonly string[] } {
  const records = new Map(updates.records)
  const arrived: string[] = []
  for (const record of batch) {
    const isKnown =
      isListed(record.id) || updates.shownIds.has(record.id) || updates.waitingIds.has(record.id)
    const isNew = !isKnown && !arrived.includes(record.id)
    if (isNew && !belongs(record)) continue
    const before = records.get(record.id)
    if (before === undefined || before.lu <= record.lu) records.set(record.id, record)
    if (isNew) arrived.push(record.id)
  }
  if (isOpen)
    return { updates: { ...updates, records, shownIds: new Set([...updates.shownIds, ...arrived]) }, arrived }
  const waitingIds = new Set([...updates.waitingIds, ...arrived])
  const next = { ...updates, records, waitingIds }
  // Beyond the limit only the count goes on. The records are fetched when the person asks for them.
  return { updates: isOverfull(next) ? { ...next, records: updates.records, isBehind: true } : next, arrived }
}

/** Shows all waiting records. */
export function showWaiting(updates: LiveUpdates): LiveUpdates {
  return {
    ...updates,
    shownIds: new Set([...updates.shownIds, ...updates.waitingIds]),
    waitingIds: new Set(),
  }
}

/** After a refetch: drops what came before the refetch, since it is in the list now. */
export function forget(updates: LiveUpdates, before: LiveUpdates): LiveUpdates {
  const isLater = (id: string) =>
    !before.records.has(id) && !before.waitingIds.has(id) && !before.shownIds.has(id)
  return {
    key: updates.key,
    records: new Map([...updates.records].filter(([id]) => isLater(id))),
    shownIds: new Set([...updates.shownIds].filter(isLater)),
    waitingIds: new Set([...updates.waitingIds].filter(isLater)),
    isBehind: false,
  }
}
