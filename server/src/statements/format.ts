// The statement file is JSON lines: a header, a line for each record, then for each message that was released or refused, the
// sums, the adjustments, and the signed end line.
// All lines are linked by a hash chain. Each line but the last ends with `"chain"`: the first 16 hexadecimal digits of the
// chain's hash after this line, so that a changed line is found at its place. Every 1000th record has all 64 digits, so
// that the lines after it can be checked even when one before it was changed. What is hashed is the line without
// `"chain"`. The last line is signed.
import { createHash } from 'node:crypto'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { StatementCategory, RecordLine } from '@tollgate/contract/statements/statement-format.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { messageIdOf } from '../ingest/index.ts'

/** A record in the database; only the columns that never change after it was stored. */
export interface StoredRecord {
  readonly clientId: number
  /** Microseconds since 1970. */
  readonly createdAtMicros: string
  readonly id: string
  readonly numberId: number
  readonly rateId: number | null
  readonly amountMicro: string
  readonly settlement: number
  readonly sender: string
  readonly wasHeld: boolean
  readonly smsCount: number
}

/** Digits of numbers and values of rates, as they were when the statement was made, by id. */
export interface Names {
  number(id: number): string
  rate(id: number): string
}

const payoutCode = settlements.indexOf('payout')

export function countingOf({ wasHeld, settlement }: StoredRecord): StatementCategory {
  if (wasHeld) return 'held'
  return settlement === payoutCode ? 'payout' : 'bill'
}

export function toRecordLine(record: StoredRecord, names: Names): RecordLine {
  const createdAtMs = Math.floor(Number(record.createdAtMicros) / 1_000)
  return {
    type: 'record',
    id: messageIdOf({ createdAtMs, recordId: Number(record.id) }),
    at: new Date(createdAtMs).toISOString(),
    number: names.number(record.numberId),
    sender: record.sender,
    rate: names.rate(record.rateId ?? 0),
    amount: amountText(record.amountMicro),
    counts: countingOf(record),
    // Absent for one, so that the lines of nearly all records stay as short as they are.
    ...(record.smsCount === 1 ? {} : { sms: record.smsCount }),
  }
}

// There are about as many different amounts as rates, so the texts are cached instead of formatted for each record.
const amountTexts = new Map<string, string>()
const amountTextsMax = 10_000

function amountText(micro: string): string {
  let text = amountTexts.get(micro)
  if (text === undefined) {
    if (amountTexts.size >= amountTextsMax) amountTexts.clear()
    amountTexts.set(micro, (text = formatMicro(BigInt(micro), 2)))
  }
  return text
}

export const recordsPerCheckpoint = 1_000

/** A hash chain over lines: SHA-256 of the hash so far and the line's text. */
export class HashChain {
  #hash: Buffer = Buffer.alloc(32)

  get hash(): Buffer {
    return this.#hash
  }

  /** Continues from a hash that is known to be right. */
  resume(hash: Buffer): void {
    this.#hash = hash
  }

  addText(text: string): void {
    this.#hash = createHash('sha256').update(this.#hash).update(text).digest()
  }

  /** Adds a line to the chain, and returns it as it is in the file. */
  append(line: object): string {
    const text = JSON.stringify(line)
    this.addText(text)
    return withChain(text, this.#hash.toString('hex').slice(0, 16))
  }
}

/** Adds a record's line, the `nth` from 1, and returns it as it is in the file: every 1000th has all digits of the hash. */
export function appendRecord(chain: HashChain, line: object, nth: number): string {
  const text = chain.append(line)
  return nth % recordsPerCheckpoint === 0 ? withChain(JSON.stringify(line), chain.hash.toString('hex')) : text
}

/** A line of the file: the hashed text with the chain's digits. */
export function withChain(text: string, chain: string): string {
  return `${text.slice(0, -1)},"chain":"${chain}"}`
}
