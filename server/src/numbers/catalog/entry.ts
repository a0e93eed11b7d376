// One number for pricing. It is read for every message, so reading it allocates nothing.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { tariffAt, type CatalogRange } from './narrowest-range.ts'

/** A rate with its start. `rateMicro` is millionths of a USD per SMS; 0 ends the own rate of a number or user. */
export interface Rate {
  readonly rateId: number
  readonly rateMicro: number
  readonly validFromMs: number
  /** Whose rate it is. A number's own rate settles by payout, the others by the weekly bill. */
  readonly from: 'number' | 'user' | 'global'
}

/**
 * The rate in force at an instant: the newest entry of the history that has started. The history is in the order in which
 * it was written. Undefined before the first rate and after an own rate was ended.
 */
export function rateAt(history: readonly Rate[], atMs: number): Rate | undefined {
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const rate = history[index]
    if (rate !== undefined && rate.validFromMs <= atMs) return rate.rateMicro === 0 ? undefined : rate
  }
  return undefined
}

const noHoldings: readonly number[] = []
const noPrices: readonly Rate[] = []

/** What the catalog knows about one number. A refresh may replace the catalog's entry; one in use stays valid. */
export class CatalogEntry {
  readonly numberId: number
  readonly digits: string
  readonly #ownStatus: AccountStatus
  /** -1: the range's tariff applies. */
  readonly #ownTariffMicro: number
  /** Triples of from, to and user in one flat array, which takes a third of the memory of an array of objects. */
  #holdings = noHoldings
  #prices = noPrices
  #range: CatalogRange | undefined
  #rangesVersion = -1

  constructor(numberId: number, digits: string, status: AccountStatus, ownTariffMicro: number) {
    this.numberId = numberId
    this.digits = digits
    this.#ownStatus = status
    this.#ownTariffMicro = ownTariffMicro
  }

  /** The number's own status, or suspended when its range is suspended. */
  get status(): AccountStatus {
    return this.#range?.status === 'suspended' ? 'suspended' : this.#ownStatus
  }

  /** The range that contains the number; 0: none. */
  get rangeId(): number {
    return this.#range?.id ?? 0
  }

  /** What the caller pays at that instant, in millionths of a shekel: the number's own tariff, else its range's, else 0. */
  tariffAt(atMs: number): number {
    if (this.#ownTariffMicro >= 0) return this.#ownTariffMicro
    return this.#range === undefined ? 0 : tariffAt(this.#range, atMs)
  }

  /** The user who held the number at that instant; 0: nobody. */
  holderAt(atMs: number): number {
    const holdings = this.#holdings
    // From the newest, because nearly every message is from just now.
    for (let index = holdings.length - 3; index >= 0; index -= 3) {
      if (atMs >= (holdings[index] ?? Infinity)) {
        return atMs < (holdings[index + 1] ?? 0) ? (holdings[index + 2] ?? 0) : 0
      }
    }
    return 0
  }

  /** The number's own price at that instant, if it had one. */
  priceAt(atMs: number): Rate | undefined {
    return rateAt(this.#prices, atMs)
  }

  /** For loading: adds a holding. They come in any order, since an admin may backdate one. */
  addHolding(fromMs: number, toMs: number, userId: number): void {
    const holdings = this.#holdings
    let index = holdings.length
    while (index > 0 && (holdings[index - 3] ?? 0) > fromMs) index -= 3
    // Literals and concat make arrays of the exact size; push and spread would reserve five times as much.
    const added = [fromMs, toMs, userId]
    this.#holdings =
      holdings.length === 0 ? added : holdings.slice(0, index).concat(added, holdings.slice(index))
  }

  /** For loading: adds a price. They come in the order in which they were written. */
  addPrice(price: Rate): void {
    this.#prices = this.#prices.length === 0 ? [price] : this.#prices.concat([price])
  }

  /** Looks up the entry's range on its first use after the ranges have changed. */
  resolveRange(rangesVersion: number, find: (digits: string) => CatalogRange | undefined): void {
    if (this.#rangesVersion === rangesVersion) return
    this.#range = find(this.digits)
    this.#rangesVersion = rangesVersion
  }
}
