// Checks a statement from its file alone: the chain from line to line, the sums from the records, the signature.
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { isSignedBy } from '../../platform/signing.ts'
import {
  Chain,
  signedText,
  splitLine,
  statementFormat,
  type AdjustmentLine,
  type EndLine,
  type Header,
  type RecordLine,
  type SumLine,
} from './format.ts'

/** Something that is not as it should be, and where: the line of the file, from 1. */
export interface Fault {
  readonly line: number
  readonly what: string
}

export interface Verified {
  readonly faults: readonly Fault[]
  /** Undefined when the file has no readable head or end. */
  readonly header: Header | undefined
  readonly end: EndLine | undefined
  readonly recordCount: number
}

// After so many the rest would only repeat the first.
const faultsMax = 20

/** Reads the file line by line, so its size does not matter. Gives every fault it can tell apart. */
export async function verifyFile(lines: AsyncIterable<string>): Promise<Verified> {
  const check = new FileCheck()
  for await (const line of lines) if (line !== '') check.take(line)
  return check.finish()
}

interface Sum {
  count: number
  micro: bigint
}

class FileCheck {
  readonly #chain = new Chain()
  readonly #faults: Fault[] = []
  readonly #records = new Map<string, Sum>()
  readonly #sums = new Map<string, Sum>()
  readonly #totals = { bill: 0n, payout: 0n, held: 0n }
  #line = 0
  #recordCount = 0
  #header: Header | undefined
  #end: EndLine | undefined
  #isLost = false
  /** Up to here a whole hash was met. */
  #checkedLine = 0

  take(line: string): void {
    this.#line += 1
    if (this.#end !== undefined) return this.#fault('There is something after the end.')
    if (line.startsWith('{"type":"end"')) return this.#takeEnd(line)
    const split = splitLine(line)
    if (split === undefined) return this.#fault('This is not a line of a statement.')
    this.#follow(split)
    this.#takeLine(split.text)
  }

  /** A line that does not fit makes all after it not fit, up to the next whole hash: only the first is a fault. */
  #follow({ text, chain }: { text: string; chain: string }): void {
    this.#chain.addText(text)
    const fits = this.#chain.fits(chain)
    if (!fits && !this.#isLost)
      this.#fault(
        chain.length === 16
          ? 'The chain does not fit: this line was changed, or lines before it are missing or too many.'
          : `The chain does not fit: a record since line ${this.#checkedLine + 1} is another one than was signed.`,
      )
    this.#isLost = !fits
    if (chain.length !== 64) return
    this.#isLost = false
    this.#checkedLine = this.#line
    this.#chain.resume(Buffer.from(chain, 'hex'))
  }

  finish(): Verified {
    if (this.#end === undefined) this.#fault('The file ends before its end line: it was cut off.')
    return {
      faults: this.#faults,
      header: this.#header,
      end: this.#end,
      recordCount: this.#recordCount,
    }
  }

  #fault(what: string): void {
    if (this.#faults.length < faultsMax) this.#faults.push({ line: this.#line, what })
  }

  #takeLine(text: string): void {
    const line = parse(text) as Header | RecordLine | SumLine | AdjustmentLine | undefined
    if (line?.type === 'statement') this.#takeHeader(line)
    else if (line?.type === 'record') this.#takeRecord(line)
    else if (line?.type === 'sum') this.#takeSum(line)
    else if (line?.type === 'adjustment') this.#totals.bill += this.#amount(line.amount)
    else this.#fault('This line is of no kind that a statement has.')
  }

  #takeHeader(header: Header): void {
    if (this.#line !== 1) this.#fault('A second head: two statements were put together.')
    if (header.format !== statementFormat) this.#fault(`Format ${String(header.format)} is not known here.`)
    this.#header ??= header
  }

  #takeRecord(record: RecordLine): void {
    if (this.#sums.size > 0) this.#fault('A record after the sums.')
    const micro = this.#amount(record.amount)
    if (record.rate !== '' && micro !== this.#amount(record.rate))
      this.#fault(`The amount ${record.amount} is not the rate ${record.rate}: one record is one SMS.`)
    add(this.#records, `${record.counts} ${record.number} ${record.rate}`, 1, micro)
    this.#recordCount += 1
  }

  #takeSum(sum: SumLine): void {
    const key = `${sum.counts} ${sum.number} ${sum.rate}`
    const micro = this.#amount(sum.amount)
    add(this.#sums, key, sum.smsCount, micro)
    this.#totals[sum.counts] += micro
  }

  #takeEnd(line: string): void {
    const end = parse(line) as EndLine | undefined
    if (end === undefined) return this.#fault('The end line cannot be read.')
    this.#end = end
    this.#compareSums()
    const { bill, payout, held } = this.#totals
    for (const [name, sum, said] of [
      ['bill', bill, end.bill],
      ['payouts', payout, end.payouts],
      ['held', held, end.held],
    ] as const)
      if (parseMicro(said) !== sum)
        this.#fault(`The end says ${name} ${said}, the lines come to ${formatMicro(sum, 2)}.`)
    if (end.records !== this.#recordCount)
      this.#fault(`The end says ${end.records} records, the file has ${this.#recordCount}.`)
    if (!this.#isLost && end.chain !== this.#chain.hash.toString('hex'))
      this.#fault('The head of the chain is another one.')
    if (!isSigned(end)) this.#fault('The signature is not that of the key in the file.')
  }

  /** Every sum against the records of its number and rate. Two rates of one value may share a sum here. */
  #compareSums(): void {
    for (const key of new Set([...this.#records.keys(), ...this.#sums.keys()])) {
      const ours = this.#records.get(key) ?? { count: 0, micro: 0n }
      const said = this.#sums.get(key) ?? { count: 0, micro: 0n }
      if (ours.count !== said.count || ours.micro !== said.micro)
        this.#fault(
          `Sum "${key}": the file says ${said.count} SMS and ${formatMicro(said.micro, 2)}, ` +
            `its records are ${ours.count} SMS and ${formatMicro(ours.micro, 2)}.`,
        )
    }
  }

  #amount(text: string): bigint {
    const micro = parseMicro(text)
    if (micro === undefined) this.#fault(`"${text}" is not an amount.`)
    return micro ?? 0n
  }
}

function add(sums: Map<string, Sum>, key: string, count: number, micro: bigint): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { count, micro })
  else {
    sum.count += count
    sum.micro += micro
  }
}

function isSigned(end: EndLine): boolean {
  const { publicKey, signature } = end
  return typeof publicKey === 'string' && typeof signature === 'string'
    ? isSignedBy(publicKey, signedText(end), signature)
    : false
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A broken line: the caller names it.
    return undefined
  }
}
