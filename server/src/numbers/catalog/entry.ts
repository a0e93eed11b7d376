// One number as pricing sees it. Reading it allocates nothing: it is read for every message.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import type { CatalogRange } from './range-index.ts'

/** A rate with its start. `rateMicro` is millionths of a USD per SMS; 0 ends the scope's own rate. */
export interface Rate {
  readonly rateId: number
  readonly rateMicro: number
  readonly validFromMs: number
  /** Whose rate it is. A number's own settles as a payout, the others in the weekly bill (design.md 2). */
  readonly from: 'number' | 'user' | 'global'
}

/**
 * The rate in force at an instant, from a history in the order it was written: the last word counts. Undefined before
 * its first rate and where the scope's own rate was ended.
 */
export function rateAt(history: readonly Rate[], atMs: number): Rate | undefined {
  for (let place = history.length - 1; place >= 0; place -= 1) {
    const rate = history[place]
    if (rate !== undefined && rate.validFromMs <= atMs) return rate.rateMicro === 0 ? undefined : rate
  }
  return undefined
}

const noHoldings: readonly number[] = []
const noPrices: readonly Rate[] = []

/** What the catalog knows of one number. An entry in hand stays valid, but a refresh may put another in its place. */
export class CatalogEntry {
  readonly numberId: number
  readonly digits: string
  readonly #ownStatus: AccountStatus
  /** -1 means the range's. */
  readonly #ownTariffMicro: number
  /** Flat triples from, to, user: an array of numbers costs a third of an array of objects. */
  #holdings = noHoldings
  #prices = noPrices
  #range: CatalogRange | undefined
  #rangeStamp = -1

  constructor(numberId: number, digits: string, status: AccountStatus, ownTariffMicro: number) {
    this.numberId = numberId
    this.digits = digits
    this.#ownStatus = status
    this.#ownTariffMicro = ownTariffMicro
  }

  /** Whether messages may come: the number's status, or suspended with its range. */
  get status(): AccountStatus {
    return this.#range?.status === 'suspended' ? 'suspended' : this.#ownStatus
  }

  /** The range that contains the number, 0 for none. */
  get rangeId(): number {
    return this.#range?.id ?? 0
  }

  /** Millionths of a shekel that the caller pays: the number's own, else its range's, else 0. */
  get tariffMicro(): number {
    return this.#ownTariffMicro >= 0 ? this.#ownTariffMicro : (this.#range?.tariffMicro ?? 0)
  }

  /** The user who held the number at that instant, 0 for nobody. */
  holderAt(atMs: number): number {
    const holdings = this.#holdings
    // From the latest on: nearly every message is of now.
    for (let place = holdings.length - 3; place >= 0; place -= 3) {
      if (atMs >= (holdings[place] ?? Infinity)) {
        return atMs < (holdings[place + 1] ?? 0) ? (holdings[place + 2] ?? 0) : 0
      }
    }
    return 0
  }

  /** The number's own price at that instant, if it had one. */
  priceAt(atMs: number): Rate | undefined {
    return rateAt(this.#prices, atMs)
  }

  /** Loading: adds a holding. They are written in any order, since an admin may backdate one. */
  addHolding(fromMs: number, toMs: number, userId: number): void {
    const holdings = this.#holdings
    let place = holdings.length
    while (place > 0 && (holdings[place - 3] ?? 0) > fromMs) place -= 3
    // Literals and concat make arrays of the exact size; push and spread would reserve five times as much.
    const added = [fromMs, toMs, userId]
    this.#holdings =
      holdings.length === 0 ? added : holdings.slice(0, place).concat(added, holdings.slice(place))
  }

  /** Loading: adds a price, in the order they were written. */
  addPrice(price: Rate): void {
    this.#prices = this.#prices.length === 0 ? [price] : this.#prices.concat([price])
  }

  /** Loading: the range is looked up once for each set of ranges, on the first use. */
  placeIn(stamp: number, find: (digits: string) => CatalogRange | undefined): void {
    if (this.#rangeStamp === stamp) return
    this.#range = find(this.digits)
    this.#rangeStamp = stamp
  }
}
