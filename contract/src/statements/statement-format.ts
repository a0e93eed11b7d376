// The lines of a signed statement, and how to check them. Server, browser and command line share this code; each
// supplies its own SHA-256 and Ed25519.
import { formatMicro, parseMicro } from '../money.ts'
import { englishOf, sentence, spoken, type Sentence } from '../sentences.ts'

/** The format that is written. Format 1, which named no releases, can still be read. */
export const statementFormat = 2
const formatsRead: readonly number[] = [1, statementFormat]

/** How a record counts: in the bill, in a number's payout, or not yet, because it was held at the close. */
export type StatementCategory = 'bill' | 'payout' | 'held'

export interface StatementHeader {
  readonly type: 'statement'
  readonly format: number
  readonly period: string
  readonly userId: number
  readonly client: string
  readonly periodStart: string
  readonly periodEnd: string
  readonly closedAt: string
  readonly currency: 'USDT'
}

export interface RecordLine {
  readonly type: 'record'
  /** The message id acknowledged to the supplier. */
  readonly id: string
  readonly at: string
  readonly number: string
  readonly sender: string
  /** USD for one SMS. */
  readonly rate: string
  readonly amount: string
  readonly counts: StatementCategory
  /** As many SMS as the message counts as; absent for one. */
  readonly sms?: number
}

export interface SumLine {
  readonly type: 'sum'
  readonly counts: StatementCategory
  readonly numberId: number
  readonly number: string
  readonly rateId: number
  readonly rate: string
  readonly smsCount: number
  readonly amount: string
}

/**
 * A held record that was decided on in this period. If it was released after its own period had closed, it counts in
 * this period's bill. If it was refused, it counts in none.
 */
export interface DecidedLine {
  readonly type: 'release' | 'refusal'
  /** The message id acknowledged to the supplier. */
  readonly id: string
  readonly at: string
  readonly number: string
  readonly sender: string
  readonly amount: string
  /** The period in which the record arrived, as a bill's id. */
  readonly heldIn: string
  readonly decidedAt: string
}

/** The amounts of the bill beside records and releases: corrections, and what is carried between periods. */
export interface AdjustmentLine {
  readonly type: 'adjustment'
  /** The sum of its entries. In format 1 it included releases and carried amounts without an entry. */
  readonly amount: string
  readonly entries: readonly AdjustmentEntry[]
}

interface AdjustmentEntry {
  /** Format 1 knew corrections alone, and did not say so. */
  readonly kind?: 'correction' | 'carry' | 'other'
  readonly at: string
  readonly amount: string
  readonly reason: string
}

export interface EndLine {
  readonly type: 'end'
  readonly records: number
  readonly bill: string
  readonly payouts: string
  /** Held when the period closed. */
  readonly held: string
  /** Of earlier periods, released in this one; included in the bill. Not in format 1. */
  readonly released?: string
  /** Refused in this period. Not in format 1. */
  readonly refused?: string
  readonly sealedAt: string
  readonly chain: string
  readonly publicKey: string
  readonly signature: string
}

/** Splits a line into the text that was hashed and the chain hash it names; undefined for any other line. */
export function splitLine(line: string): { text: string; chain: string } | undefined {
  const [, before, chain] = /^(\{.*),"chain":"([0-9a-f]{16}|[0-9a-f]{64})"\}$/.exec(line) ?? []
  return before === undefined || chain === undefined ? undefined : { text: `${before}}`, chain }
}

/** The text of the end line that is signed: everything but the signature. */
export function signedText(end: EndLine): string {
  return JSON.stringify({ ...end, signature: undefined })
}

/** The hash chain over lines: SHA-256 of the hash so far (at first 32 zero bytes) and the line's text in UTF-8. */
export interface ChainHash {
  addText(text: string): void
  /** Continues from this hash: 64 hexadecimal digits. */
  resume(hex: string): void
  /** The hash so far, 64 hexadecimal digits. */
  readonly hex: string
}

/** A fault and its line in the file, from 1. */
interface StatementFault {
  readonly line: number
  /** The message id, where the line is a record's; else empty. */
  readonly recordId: string
  readonly what: string
  /** The template and values of `what`, when it has any. */
  readonly words?: Sentence
}

export interface StatementVerdict {
  readonly faults: readonly StatementFault[]
  /** Undefined when the file has no readable head or end. */
  readonly header: StatementHeader | undefined
  readonly end: EndLine | undefined
  readonly recordCount: number
  /** False when Ed25519 is not available here: then nothing is proven. */
  readonly isSignatureChecked: boolean
}

/** Whether the Ed25519 key (32 bytes, Base64) signed the text; undefined where Ed25519 is not available. */
type SignatureCheck = (
  publicKey: string,
  text: string,
  signature: string,
) => boolean | undefined | Promise<boolean | undefined>

// One fault can cause many more; a longer list would not help.
const faultsMax = 20

type StatementLine = StatementHeader | RecordLine | SumLine | DecidedLine | AdjustmentLine

interface SumEntry {
  count: number
  micro: bigint
}

/** Checks a statement line by line, so that its size does not matter, and collects the faults. */
export class StatementCheck {
  readonly #chain: ChainHash
  readonly #faults: StatementFault[] = []
  readonly #records = new Map<string, SumEntry>()
  readonly #sums = new Map<string, SumEntry>()
  readonly #totals = { bill: 0n, payout: 0n, held: 0n, release: 0n, refusal: 0n }
  /** Message ids of releases and refusals. */
  readonly #decided = new Set<string>()
  #line = 0
  #recordCount = 0
  #header: StatementHeader | undefined
  #end: EndLine | undefined
  #isLost = false
  /** The last line with a whole hash. */
  #checkedLine = 0
  /** The record of the current line; empty for other lines. */
  #recordId = ''

  constructor(chain: ChainHash) {
    this.#chain = chain
  }

  /** Takes the next line, without its line break. The caller leaves out empty lines. */
  take(line: string): void {
    this.#line += 1
    if (this.#end !== undefined) return this.#fault('There is something after the end.')
    if (line.startsWith('{"type":"end"')) return this.#takeEnd(line)
    const split = splitLine(line)
    this.#recordId = ''
    if (split === undefined) return this.#fault('This is not a line of a statement.')
    const parsed = parse(split.text) as StatementLine | undefined
    if (parsed !== undefined && 'id' in parsed) this.#recordId = parsed.id
    this.#follow(split)
    this.#takeLine(parsed)
  }

  /** After a line that does not fit, no line fits until the next whole hash; only the first of them is a fault. */
  #follow({ text, chain }: { text: string; chain: string }): void {
    this.#chain.addText(text)
    const fits = this.#chain.hex.startsWith(chain)
    if (!fits && !this.#isLost)
      this.#fault(
        chain.length === 16
          ? 'The chain does not fit: this line was changed, or lines before it are missing or too many.'
          : sentence('The chain does not fit: a record since line {line} is another one than was signed.', {
              line: this.#checkedLine + 1,
            }),
      )
    this.#isLost = !fits
    if (chain.length !== 64) return
    this.#isLost = false
    this.#checkedLine = this.#line
    this.#chain.resume(chain)
  }

  /** How many lines were taken. */
  get lineCount(): number {
    return this.#line
  }

  /** Ends the check and returns its result. */
  async finish(isSignedBy: SignatureCheck): Promise<StatementVerdict> {
    this.#recordId = ''
    const end = this.#end
    if (end === undefined) this.#fault('The file ends before its end line: it was cut off.')
    const isSigned =
      typeof end?.publicKey === 'string' && typeof end.signature === 'string'
        ? await isSignedBy(end.publicKey, signedText(end), end.signature)
        : false
    if (end !== undefined && isSigned === false)
      this.#fault('The signature is not that of the key in the file.')
    return {
      faults: this.#faults,
      isSignatureChecked: isSigned !== undefined,
      header: this.#header,
      end: this.#end,
      recordCount: this.#recordCount,
    }
  }

  #fault(what: string | Sentence): void {
    if (this.#faults.length < faultsMax)
      this.#faults.push({
        line: this.#line,
        recordId: this.#recordId,
        what: englishOf(what),
        ...(typeof what !== 'string' && { words: what }),
      })
  }

  #takeLine(line: StatementLine | undefined): void {
    if (line?.type === 'statement') this.#takeHeader(line)
    else if (line?.type === 'record') this.#takeRecord(line)
    else if (line?.type === 'sum') this.#takeSum(line)
    else if (line?.type === 'release' || line?.type === 'refusal') this.#takeDecided(line)
    else if (line?.type === 'adjustment') this.#takeAdjustment(line)
    else this.#fault('This line is of no kind that a statement has.')
  }

  #takeHeader(header: StatementHeader): void {
    if (this.#line !== 1) this.#fault('A second head: two statements were put together.')
    if (!formatsRead.includes(header.format))
      this.#fault(sentence('Format {format} is not known here.', { format: String(header.format) }))
    this.#header ??= header
  }

  #takeRecord(record: RecordLine): void {
    if (this.#sums.size > 0) this.#fault('A record after the sums.')
    const micro = this.#amount(record.amount)
    const sms = Number.isSafeInteger(record.sms) ? BigInt(record.sms ?? 1) : 1n
    if (record.rate !== '' && micro !== this.#amount(record.rate) * sms)
      this.#fault(
        sentence('The amount {amount} is not the rate {rate} for {sms} SMS.', {
          amount: { amount: record.amount },
          rate: { amount: record.rate },
          sms: String(sms),
        }),
      )
    add(this.#records, `${record.counts} ${record.number} ${record.rate}`, 1, micro)
    this.#recordCount += 1
  }

  #takeSum(sum: SumLine): void {
    const key = `${sum.counts} ${sum.number} ${sum.rate}`
    const micro = this.#amount(sum.amount)
    add(this.#sums, key, sum.smsCount, micro)
    this.#totals[sum.counts] += micro
  }

  #takeDecided(line: DecidedLine): void {
    if (this.#decided.has(line.id)) this.#fault('This record is decided on twice: it would count twice.')
    this.#decided.add(line.id)
    const micro = this.#amount(line.amount)
    this.#totals[line.type] += micro
    if (line.type === 'release') this.#totals.bill += micro
  }

  #takeAdjustment({ amount, entries }: AdjustmentLine): void {
    const micro = this.#amount(amount)
    this.#totals.bill += micro
    if (this.#header?.format === 1) return
    // The file may have been changed, so the entries can be anything.
    const checked: readonly (Partial<AdjustmentEntry> | null)[] = Array.isArray(entries) ? entries : []
    const sum = checked.reduce((total, entry) => total + this.#amount(entry?.amount ?? ''), 0n)
    if (sum !== micro)
      this.#fault(
        sentence('The adjustments say {amount}, their entries come to {sum}.', {
          amount: { amount },
          sum: { amount: formatMicro(sum, 2) },
        }),
      )
  }

  #takeEnd(line: string): void {
    const end = parse(line) as EndLine | undefined
    if (end === undefined) return this.#fault('The end line cannot be read.')
    this.#end = end
    this.#compareSums()
    const { bill, payout, held, release, refusal } = this.#totals
    for (const [name, sum, declared] of [
      [spoken('bill'), bill, end.bill],
      [spoken('payouts'), payout, end.payouts],
      [spoken('held'), held, end.held],
      [spoken('released'), release, end.released ?? '0'],
      [spoken('refused'), refusal, end.refused ?? '0'],
    ] as const)
      if (parseMicro(declared) !== sum)
        this.#fault(
          sentence('The end says {name} {declared}, the lines come to {sum}.', {
            name: { text: name },
            declared: { amount: declared },
            sum: { amount: formatMicro(sum, 2) },
          }),
        )
    if (end.records !== this.#recordCount)
      this.#fault(
        sentence('The end says {declared} records, the file has {count}.', {
          // The file may have been changed, so this can be anything.
          declared: Number(end.records),
          count: this.#recordCount,
        }),
      )
    if (!this.#isLost && end.chain !== this.#chain.hex) this.#fault('The head of the chain is another one.')
  }

  /** Compares every sum with the records of its number and rate. Two rates of equal value share a sum here. */
  #compareSums(): void {
    for (const key of new Set([...this.#records.keys(), ...this.#sums.keys()])) {
      const ours = this.#records.get(key) ?? { count: 0, micro: 0n }
      const declared = this.#sums.get(key) ?? { count: 0, micro: 0n }
      if (ours.count !== declared.count || ours.micro !== declared.micro)
        this.#fault(
          sentence(
            'The sum of "{key}": the file says {declared} SMS and {declaredAmount}, its records are {count} SMS and {amount}.',
            {
              key,
              declared: Number(declared.count),
              declaredAmount: { amount: formatMicro(declared.micro, 2) },
              count: ours.count,
              amount: { amount: formatMicro(ours.micro, 2) },
            },
          ),
        )
    }
  }

  #amount(text: string): bigint {
    const micro = parseMicro(text)
    if (micro === undefined) this.#fault(sentence('"{text}" is not an amount.', { text: String(text) }))
    return micro ?? 0n
  }
}

function add(sums: Map<string, SumEntry>, key: string, count: number, micro: bigint): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { count, micro })
  else {
    sum.count += count
    sum.micro += micro
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A broken line: the caller names it.
    return undefined
  }
}
