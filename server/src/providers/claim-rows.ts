// Finds rows again that became records, or dead letters, before the mapping was corrected. Each such record is claimed by
// one row and has that row's present key from then on, so that whatever a person corrects, no row is paid twice.
import type { Db } from '../platform/db.ts'
import { mapInTurns } from '../platform/work/in-turns.ts'
import { readingOf, type EarlierReading } from './mapping.ts'
import {
  deleteDeadLetters,
  deadLettersBetween,
  messagesBetween,
  moveDeadLetters,
  moveMessages,
  type KeyRange,
  type KnownDeadLetter,
  type KnownMessage,
} from './message-store.ts'
import {
  aheadMaxMs,
  isFault,
  lastOrdinal,
  ordinalKey,
  readRow,
  rowHash,
  type ParsedRow,
  type KeyedRow,
} from './read-row.ts'

export interface ClaimedRows {
  readonly messages: readonly KnownMessage[]
  readonly dismissed: readonly KnownDeadLetter[]
}

interface OpenRow {
  readonly row: KeyedRow
  readonly range: KeyRange
  /** By the earlier mapping; undefined when it could not tell. */
  readonly atMs: number | undefined
}

/** `rows` have no record and no dead letter under their present keys. A waiting dead letter of theirs is taken away. */
export async function claimRows(
  tx: Db,
  { providerId, earlier }: { providerId: number; earlier: readonly EarlierReading[] },
  rows: readonly KeyedRow[],
): Promise<ClaimedRows> {
  const messages: KnownMessage[] = []
  const dismissed: KnownDeadLetter[] = []
  let open = rows
  for (const reading of earlier) {
    const found = await openRows(open, reading)
    if (found.length === 0) continue
    const claimed = claim(found, await messagesBetween(tx, providerId, rangesOf(found)))
    await moveMessages(tx, providerId, claimed)
    messages.push(...claimed.map(({ to, found: message }) => ({ ...message, key: to })))
    const taken = new Set(claimed.map(({ to }) => to))
    const rest = found.filter(({ row }) => !taken.has(row.key))
    const letters = claim(rest, await deadLettersBetween(tx, providerId, rangesOf(rest)))
    const given = letters.filter((letter) => letter.found.isDismissed)
    await moveDeadLetters(tx, providerId, given)
    await deleteDeadLetters(
      tx,
      providerId,
      letters.filter((letter) => !letter.found.isDismissed).map((letter) => letter.found.key),
    )
    dismissed.push(...given.map(({ to, found: letter }) => ({ ...letter, key: to })))
    for (const { to } of letters) taken.add(to)
    open = open.filter(({ key }) => !taken.has(key))
  }
  return { messages, dismissed }
}

/** The keys that a row may have: the one of its id, or those of its equals. */
export function rangeOf({ key, identity }: ParsedRow): KeyRange {
  if (key !== undefined) return { low: key, high: key }
  const hash = rowHash(identity)
  return { low: ordinalKey(hash, 0), high: ordinalKey(hash, lastOrdinal) }
}

/** Those that the earlier mapping may have read. A row of later is none of its rows, even when it repeats an id. */
async function openRows(rows: readonly KeyedRow[], earlier: EarlierReading): Promise<OpenRow[]> {
  const reading = readingOf(earlier)
  const nowMs = Date.now()
  const found = await mapInTurns(rows, (row) => {
    const read = readRow(row.raw, reading, nowMs)
    const atMs = isFault(read.content) ? undefined : read.content.createdAtMs
    const isLater = atMs !== undefined && atMs > earlier.untilMs + aheadMaxMs
    return isLater ? undefined : { row, range: rangeOf(read), atMs }
  })
  return found.filter((each) => each !== undefined)
}

function rangesOf(rows: readonly OpenRow[]): (KeyRange & { count: number })[] {
  const ranges = new Map<string, KeyRange & { count: number }>()
  for (const { range } of rows) {
    const count = (ranges.get(range.low)?.count ?? 0) + 1
    ranges.set(range.low, { ...range, count })
  }
  return [...ranges.values()]
}

interface Found {
  readonly key: string
  /** The lower end of the range that it was found in. */
  readonly low: string
  readonly createdAt?: Date
}

interface Claim<Kept> {
  /** The row's present key. */
  readonly to: string
  readonly found: Kept
}

/** One record for one row: first those of the same time, since an id may have come twice, then the others in order. */
function claim<Kept extends Found>(rows: readonly OpenRow[], found: readonly Kept[]): Claim<Kept>[] {
  const free = new Map<string, Kept[]>(found.map(({ low }) => [low, []]))
  for (const each of found) free.get(each.low)?.push(each)
  const claims: Claim<Kept>[] = []
  const take = ({ row, range, atMs }: OpenRow, isSameTime: boolean): boolean => {
    const kept = free.get(range.low) ?? []
    const place = isSameTime ? kept.findIndex(({ createdAt }) => createdAt?.getTime() === atMs) : 0
    const [taken] = place < 0 ? [] : kept.splice(place, 1)
    if (taken !== undefined) claims.push({ to: row.key, found: taken })
    return taken !== undefined
  }
  for (const row of rows.filter((each) => !take(each, true))) take(row, false)
  return claims
}
