// The rates of all clients in memory, for pricing.
import { sql } from 'kysely'
import { rateAt, type CatalogEntry, type Rate } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'

const noRates: readonly Rate[] = []

/** The global rate and the clients' own rates, each with its history. */
export class RateBook {
  #lastRateId = 0
  readonly #global: Rate[] = []
  readonly #byUser = new Map<number, Rate[]>()

  /** Reads the rates that were added since the last call. Rows are only added, and their ids rise in commit order. */
  async refresh(db: Db): Promise<void> {
    const found = await db
      .selectFrom('rates')
      .select(['id', 'user_id', 'valid_from', sql<number>`coalesce(rate_micro, 0)::float8`.as('rate_micro')])
      .where('id', '>', this.#lastRateId)
      .where('scope', '<>', 'number')
      .orderBy('id')
      .execute()
    for (const { id, user_id: userId, rate_micro: rateMicro, valid_from: validFrom } of found) {
      // Two refreshes at once may read the same row twice.
      if (id <= this.#lastRateId) continue
      this.#lastRateId = id
      const scope = { rateId: id, rateMicro, validFromMs: validFrom.getTime() }
      if (userId === null) this.#global.push({ ...scope, from: 'global' })
      else this.#historyOf(userId).push({ ...scope, from: 'user' })
    }
  }

  /**
   * What one SMS to this number earns at that instant: the number's own price, else the client's own rate, else the global
   * rate. `holderId` 0 means nobody. Returns an object of the book, so it allocates nothing.
   */
  rateFor(entry: CatalogEntry, holderId: number, atMs: number): Rate {
    const rate =
      entry.priceAt(atMs) ?? rateAt(this.#byUser.get(holderId) ?? noRates, atMs) ?? rateAt(this.#global, atMs)
    if (rate === undefined) throw new Error('No global rate is in force; the schema begins with one')
    return rate
  }

  #historyOf(userId: number): Rate[] {
    let history = this.#byUser.get(userId)
    if (history === undefined) this.#byUser.set(userId, (history = []))
    return history
  }
}
