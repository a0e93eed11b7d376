// Rows that wait since before the mapping was corrected get the key that a repetition of them has.
import type { Db } from '../platform/db.ts'
import { rangeOf } from './claim-rows.ts'
import { deadLetterContext, type ProvidersDeps } from './deps.ts'
import {
  deadLettersBetween,
  deleteDeadLetters,
  messagesBetween,
  moveDeadLetters,
  type KeyRange,
} from './message-store.ts'
import { lastOrdinal, ordinalKey, type ParsedRow, type KeyedRow } from './read-row.ts'

interface Letter {
  readonly letterKey: string
  /** As it is read now. */
  readonly row: ParsedRow
}

interface RekeyedLetters {
  readonly rows: readonly KeyedRow[]
  /** Rows that are records already, or wait a second time; they wait no more under their old key. */
  readonly known: number
}

const equalRow = {
  reason: 'bad_field',
  explanation: 'An equal row is a record already. Dismiss this one if it is the same message.',
} as const

/** Gives the rows with their present keys. */
export async function rekeyLetters(
  tx: Db,
  { secrets }: Pick<ProvidersDeps, 'secrets'>,
  providerId: number,
  letters: readonly Letter[],
): Promise<RekeyedLetters> {
  const rows: KeyedRow[] = []
  const foreign: (Letter & { range: KeyRange })[] = []
  for (const { letterKey, row } of letters) {
    const range = rangeOf(row)
    if (range.low <= letterKey && letterKey <= range.high) rows.push({ ...row, key: letterKey })
    else foreign.push({ letterKey, row, range })
  }
  const ranges = [...new Map(foreign.map(({ range }) => [range.low, { ...range, count: 1 }])).values()]
  const messages = new Set((await messagesBetween(tx, providerId, ranges)).map(({ low }) => low))
  const waiting = await deadLettersBetween(
    tx,
    providerId,
    ranges.map((range) => ({ ...range, count: letters.length + 1_000 })),
  )
  const used = new Set(waiting.map(({ key }) => key))
  const repeated: string[] = []
  const moves: { to: string; found: { key: string }; encryptedRow: Buffer }[] = []
  for (const { letterKey, row, range } of foreign) {
    const to = row.key ?? freeKey(range, used)
    const isRecord = messages.has(range.low)
    if (row.key !== undefined && (isRecord || used.has(to))) repeated.push(letterKey)
    else if (isRecord) rows.push({ ...row, key: letterKey, content: equalRow })
    else {
      used.add(to)
      const encryptedRow = secrets.encrypt(JSON.stringify(row.raw), deadLetterContext(providerId, to))
      moves.push({ to, found: { key: letterKey }, encryptedRow })
      rows.push({ ...row, key: to })
    }
  }
  await deleteDeadLetters(tx, providerId, repeated)
  await moveDeadLetters(tx, providerId, moves)
  return { rows, known: repeated.length }
}

/** The first key of these equal rows that no other has. */
function freeKey({ low }: KeyRange, used: ReadonlySet<string>): string {
  for (let ordinal = 1; ordinal < lastOrdinal; ordinal += 1) {
    const key = ordinalKey(low, ordinal)
    if (!used.has(key)) return key
  }
  throw new Error('All keys of equal rows are taken')
}
