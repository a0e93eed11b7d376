// The statement file, format 1: JSON lines. A header, one line for each record, then the sums, then the signed end.
// Each line but the last ends with `"chain"`, the first 16 digits of the chain after it, so a change is found where it
// is; every 1000th record has all 64, so that what follows can be checked whatever came before. The last line has a
// signature over itself. What is hashed is the line without its chain.
import { createHash } from 'node:crypto'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Counting, RecordLine } from '@tollgate/contract/statement.ts'
import { settlements } from '@tollgate/contract/vocabulary.ts'
import { messageIdOf } from '../../records/index.ts'

/** A record as the database has it; only what never changes after it was stored. */
export interface StoredRecord {
  readonly clientId: number
  /** Millionths of a second since 1970. */
  readonly createdAtMicros: string
  readonly id: string
  readonly numberId: number
  readonly rateId: number | null
  readonly amountMicro: string
  readonly settlement: number
  readonly sender: string
  readonly wasHeld: boolean
}

/** Numbers and rates as they were when the statement was made, by id. */
export interface Names {
  number(id: number): string
  rate(id: number): string
}

const payoutCode = settlements.indexOf('payout')

export function countingOf({ wasHeld, settlement }: StoredRecord): Counting {
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
  }
}

// There are about as many amounts as rates; a million records need not format each.
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

/** The chain over lines: SHA-256 of the hash so far and the line's text. */
export class Chain {
  #hash: Buffer = Buffer.alloc(32)

  get hash(): Buffer {
    return this.#hash
  }

  /** Goes on from a hash that is known to be right. */
  resume(hash: Buffer): void {
    this.#hash = hash
  }

  addText(text: string): void {
    this.#hash = createHash('sha256').update(this.#hash).update(text).digest()
  }

  /** Takes a line in. */
  take(line: object): void {
    this.addText(JSON.stringify(line))
  }

  /** Takes a line in, and gives it as it stands in the file. */
  add(line: object): string {
    const text = JSON.stringify(line)
    this.addText(text)
    return withChain(text, this.#hash.toString('hex').slice(0, 16))
  }
}

/** A line of the file from the text that was hashed. */
export function withChain(text: string, chain: string): string {
  return `${text.slice(0, -1)},"chain":"${chain}"}`
}
