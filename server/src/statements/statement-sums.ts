// The names and the sums of a statement in the making.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SumLine } from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import { countingOf, type Names, type StoredRecord } from './format.ts'
import { numberNames, rateValues } from './store.ts'

/** Digits of numbers and values of rates, each read from the database once. */
export class NameCache implements Names {
  readonly #db: Db
  readonly #numbers = new Map<number, string>()
  readonly #rates = new Map<number, string>()

  constructor(db: Db) {
    this.#db = db
  }

  number(id: number): string {
    return this.#numbers.get(id) ?? ''
  }

  rate(id: number): string {
    return this.#rates.get(id) ?? ''
  }

  /** Reads the numbers and rates of a page that are not in the cache. */
  async load(page: readonly StoredRecord[]): Promise<void> {
    const [numbers, rates] = [new Set<number>(), new Set<number>()]
    for (const { numberId, rateId } of page) {
      if (!this.#numbers.has(numberId)) numbers.add(numberId)
      if (rateId !== null && !this.#rates.has(rateId)) rates.add(rateId)
    }
    if (numbers.size > 0)
      for (const [id, number] of await numberNames(this.#db, [...numbers])) this.#numbers.set(id, number)
    if (rates.size > 0)
      for (const [id, micro] of await rateValues(this.#db, [...rates]))
        this.#rates.set(id, formatMicro(micro, 2))
  }
}

/** Sums of a client's records by what they count for (bill, payout, held), number and rate. */
export class StatementSums {
  readonly #names: Names
  readonly #sums = new Map<
    string,
    { line: Omit<SumLine, 'smsCount' | 'amount'>; count: number; micro: bigint }
  >()
  recordCount = 0

  constructor(names: Names) {
    this.#names = names
  }

  add(record: StoredRecord): void {
    const counts = countingOf(record)
    const [numberId, rateId] = [record.numberId, record.rateId ?? 0]
    const key = `${counts} ${numberId} ${rateId}`
    let sum = this.#sums.get(key)
    if (sum === undefined) {
      const [number, rate] = [this.#names.number(numberId), this.#names.rate(rateId)]
      sum = { line: { type: 'sum', counts, numberId, number, rateId, rate }, count: 0, micro: 0n }
      this.#sums.set(key, sum)
    }
    sum.count += 1
    sum.micro += BigInt(record.amountMicro)
    this.recordCount += 1
  }

  micro(counts: SumLine['counts']): bigint {
    let total = 0n
    for (const { line, micro } of this.#sums.values()) if (line.counts === counts) total += micro
    return total
  }

  lines(): SumLine[] {
    return [...this.#sums.values()]
      .toSorted((a, b) => (orderOf(a.line) < orderOf(b.line) ? -1 : 1))
      .map(({ line, count, micro }) => ({ ...line, smsCount: count, amount: formatMicro(micro, 2) }))
  }
}

const orderOf = ({ counts, number, rateId }: Pick<SumLine, 'counts' | 'number' | 'rateId'>) =>
  `${counts} ${number} ${String(rateId).padStart(10, '0')}`
