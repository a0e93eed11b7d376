// Stores a provider's rows as records, once each, in the caller's transaction. A known row may bring a new report. A row
// that cannot become a record waits as a dead letter.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { DeadLetterReason } from '@tollgate/contract/providers/providers.ts'
import { isFinalState } from '@tollgate/smpp/values/message-state.ts'
import type { Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'
import { changeRecords, type IngestMessage } from '../ingest/index.ts'
import { deadLetterContext, type ProvidersDeps } from './deps.ts'
import { ProviderFault } from './faults.ts'
import {
  addMessages,
  deleteDeadLetters,
  hasDeadLetters,
  knownDeadLetters,
  knownMessages,
  upsertDeadLetters,
  setReports,
  type KnownDeadLetter,
  type KnownMessage,
  type NewDeadLetter,
  type NewMessage,
} from './message-store.ts'
import { claimRows } from './claim-rows.ts'
import type { EarlierReading } from './mapping.ts'
import { isFault, displayText, type KeyedRow, type RowFault, type RowMessage } from './read-row.ts'

export interface StoreRowsParts extends Pick<ProvidersDeps, 'messages' | 'secrets'> {
  readonly providerId: number
  /** The id that records have for this provider. */
  readonly gatewayId: number
  /** The mappings before this one under which rows became records. */
  readonly earlier: readonly EarlierReading[]
  /** A person replays dead letters: a row that fails again is updated even when its reason is the same. */
  readonly isReplay?: boolean
}

export interface StoredCounts {
  /** Rows that became records. */
  readonly storedCount: number
  /** Rows that were records already. */
  readonly duplicateCount: number
  /** Rows that wait now, or still. */
  readonly waitingCount: number
}

/** As many rows as ingest stores in one transaction. */
export const rowsAtOnce = 4_000

// Above this a person must act before more rows are read. No row is lost: they stay with the provider.
const deadLettersMax = 100_000
const rowBytesMax = 65_536

interface RowCandidate {
  readonly row: KeyedRow
  readonly message: RowMessage
}

/**
 * Stores at most {@link rowsAtOnce} rows; of rows with the same key the last one counts. Throws ProviderFault when too
 * many dead letters wait, and the database's error for a row that another transaction has stored meanwhile.
 */
export async function storeRows(
  tx: Db,
  parts: StoreRowsParts,
  rows: readonly KeyedRow[],
): Promise<StoredCounts> {
  const { providerId } = parts
  const unique = new Map(rows.map((row) => [row.key, row]))
  const keys = [...unique.keys()]
  const known = await knownMessages(tx, providerId, keys)
  const deadLetters = await knownDeadLetters(tx, providerId, keys)
  if (parts.earlier.length > 0) {
    const open = [...unique.values()].filter(({ key }) => !known.has(key) && !deadLetters.has(key))
    const claimed = await claimRows(tx, parts, open)
    for (const message of claimed.messages) known.set(message.key, message)
    for (const letter of claimed.dismissed) deadLetters.set(letter.key, letter)
  }
  const candidates: RowCandidate[] = []
  const faults: { row: KeyedRow; fault: RowFault }[] = []
  for (const row of unique.values()) {
    if (known.has(row.key) || deadLetters.get(row.key)?.isDismissed === true) continue
    if (isFault(row.content)) faults.push({ row, fault: row.content })
    else candidates.push({ row, message: row.content })
  }
  const added: NewMessage[] = []
  if (candidates.length > 0) await storeCandidates(tx, parts, candidates, { added, faults })
  await addMessages(tx, providerId, added)
  await deleteDeadLetters(
    tx,
    providerId,
    added.map(({ key }) => key).filter((key) => deadLetters.has(key)),
  )
  await keepFaults(tx, parts, faults, deadLetters)
  await followReports(tx, parts, unique, known)
  return { storedCount: added.length, duplicateCount: known.size, waitingCount: faults.length }
}

async function storeCandidates(
  tx: Db,
  { messages, gatewayId }: StoreRowsParts,
  candidates: readonly RowCandidate[],
  { added, faults }: { added: NewMessage[]; faults: { row: KeyedRow; fault: RowFault }[] },
): Promise<void> {
  const stored = await messages.storeWithin(
    tx,
    candidates.map(({ message }) => toIngest(message, gatewayId)),
  )
  candidates.forEach(({ row, message }, place) => {
    const outcome = stored[place]
    if (outcome === undefined) throw new Error('Ingest gave no result for a row')
    if ('refused' in outcome) faults.push({ row, fault: refusalFaults[outcome.refused] })
    else
      added.push({
        key: row.key,
        recordId: outcome.recordId,
        createdAtMs: message.createdAtMs,
        noReport: message.noReport,
      })
  })
}

const refusalFaults = {
  unknown: { reason: 'unknown_number', explanation: 'Its number is none of ours.' },
  suspended: { reason: 'suspended_number', explanation: 'Its number is not active.' },
} as const satisfies Record<string, RowFault>

const nobody = { committed: () => undefined, failed: () => undefined, settled: () => undefined }
const dataCodingLatin1 = 3
const dataCodingUcs2 = 8

/** Texts are stored as SMPP would carry them, so that every reader of records can decode them (SMPP 3.4 §5.2.19). */
function toIngest(
  { createdAtMs, digits, sender, text, noReport }: RowMessage,
  gatewayId: number,
): IngestMessage {
  const isLatin = /^[\n\r\x20-\x7e\xa0-\xff]*$/.test(text)
  return {
    createdAtMs,
    digits,
    displayedSourceAddress: sender,
    gatewayId,
    source: 'provider',
    sequence: -1,
    sourceAddress: sender,
    destinationAddress: digits,
    esmClass: 0,
    dataCoding: isLatin ? dataCodingLatin1 : dataCodingUcs2,
    body: isLatin ? Buffer.from(text, 'latin1') : Buffer.from(text, 'utf16le').swap16(),
    flags: 0,
    noReport,
    completion: nobody,
  }
}

/** Stores dead letters. One that waits for the same reason already is left as it is. */
async function keepFaults(
  tx: Db,
  parts: StoreRowsParts,
  faults: readonly { row: KeyedRow; fault: RowFault }[],
  deadLetters: ReadonlyMap<string, KnownDeadLetter>,
): Promise<void> {
  const { providerId, gatewayId, messages, isReplay = false } = parts
  const changed = faults.filter(({ row, fault }) => {
    const reason = deadLetters.get(row.key)?.reason
    return isReplay || (reason !== fault.reason && reason !== 'too_large')
  })
  if (changed.length === 0) return
  if (!isReplay && (await hasDeadLetters(tx, providerId, deadLettersMax)))
    throw new ProviderFault(
      keptText(
        '{count} rows wait because they could not become records. Replay or dismiss them first; nothing is lost.',
        { count: deadLettersMax },
      ),
    )
  await upsertDeadLetters(
    tx,
    providerId,
    changed.map(({ row, fault }) => toDeadLetter(parts, row, fault)),
  )
  if (isReplay) return
  afterCommit(tx, () => {
    for (const { row, fault } of changed)
      messages.refuse(
        { digits: displayText(row.number).slice(0, 20), gatewayId },
        refusalReason(fault.reason),
      )
  })
}

/** The reason under which refused messages of all sources are counted. */
function refusalReason(reason: DeadLetterReason): string {
  if (reason === 'unknown_number') return 'unknown'
  if (reason === 'suspended_number') return 'suspended'
  return reason === 'bad_number' ? 'bad_destination' : 'malformed'
}

function toDeadLetter(
  { providerId, secrets }: StoreRowsParts,
  row: KeyedRow,
  fault: RowFault,
): NewDeadLetter {
  const { key } = row
  const text = JSON.stringify(row.raw)
  const isTooLarge = Buffer.byteLength(text) > rowBytesMax
  return {
    key,
    externalId: displayText(row.externalId),
    number: displayText(row.number),
    timestamp: displayText(row.timestamp),
    ...(isTooLarge
      ? {
          reason: 'too_large',
          explanation: keptText('{reason} It is too large to be kept.', { reason: fault.explanation }),
          encryptedRow: null,
        }
      : {
          reason: fault.reason,
          explanation: fault.explanation,
          encryptedRow: secrets.encrypt(text, deadLetterContext(providerId, key)),
        }),
  }
}

/** A known row with another report changes its record; nothing else of the row does. */
async function followReports(
  tx: Db,
  { providerId }: StoreRowsParts,
  rows: ReadonlyMap<string, KeyedRow>,
  known: ReadonlyMap<string, KnownMessage>,
): Promise<void> {
  const byReport = new Map<number, KnownMessage[]>()
  for (const message of known.values()) {
    const content = rows.get(message.key)?.content
    if (content === undefined || isFault(content)) continue
    const { noReport } = content
    // A missing report does not remove an earlier one, and a final one is not followed by an earlier stage.
    if (noReport === 0 || noReport === message.noReport) continue
    if (isFinalState(message.noReport) && !isFinalState(noReport)) continue
    byReport.set(noReport, [...(byReport.get(noReport) ?? []), message])
  }
  for (const [noReport, changed] of byReport) {
    await changeRecords(
      tx,
      changed.map(({ recordId, createdAt }) => ({
        recordId: Number(recordId),
        createdAtMs: createdAt.getTime(),
      })),
      { noReport },
    )
    await setReports(
      tx,
      providerId,
      changed.map(({ key }) => ({ key, noReport })),
    )
  }
}
