// What pricing a batch of messages needs, kept in memory and moved on together.
import { loadCatalog, type Catalog, type CatalogEntry, type Rate } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import { IdleWindows } from '../platform/load/idle-windows.ts'
import { transaction } from '../platform/transaction.ts'
import { RateBook } from './rate-book.ts'

/** Numbers, holders, ranges and rates as of one catalog version. */
export interface Pricing {
  readonly catalog: Catalog
  /** The catalog version that numbers and rates show. */
  readonly version: bigint
  /** The number with these E.164 digits, or undefined when it is not ours. */
  find(digits: string): CatalogEntry | undefined
  /** The rate of a number held by `holderId` (0: nobody) at that instant; see RateBook. */
  rateFor(entry: CatalogEntry, holderId: number, atMs: number): Rate
  /** Takes in what changed; call it when the database's catalog version is ahead. */
  refresh(db: Db): Promise<void>
}

/** Loads everything that pricing needs. What imports bring later is read in the idle windows of the traffic. */
export async function loadPricing(db: Db, idleWindows = new IdleWindows()): Promise<Pricing> {
  const book = new RateBook()
  return transaction(
    db,
    async (tx) => {
      await book.refresh(tx)
      return pricingOf(await loadCatalog(tx, idleWindows), book)
    },
    { isolation: 'repeatable read' },
  )
}

function pricingOf(catalog: Catalog, book: RateBook): Pricing {
  return {
    catalog,
    get version() {
      return catalog.version
    },
    find: (digits) => catalog.find(digits),
    rateFor: (entry, holderId, atMs) => book.rateFor(entry, holderId, atMs),
    // Every change of numbers and rates begins a new version, so one small query tells that there is none.
    refresh: async (db) => {
      if (await catalog.isCurrent(db)) return
      await transaction(
        db,
        async (tx) => {
          await book.refresh(tx)
          await catalog.refresh(tx)
        },
        { isolation: 'repeatable read' },
      )
    },
  }
}
