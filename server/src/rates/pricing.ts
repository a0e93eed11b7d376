// The catalog and the rates in memory, refreshed together, for pricing batches of messages.
import { loadCatalog, type Catalog, type CatalogEntry, type Rate } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import { IdleWindows } from '../platform/load/idle-windows.ts'
import { transaction } from '../platform/transaction.ts'
import { RateBook } from './rate-book.ts'

/** Numbers, holders, ranges and rates as of one catalog version. */
export interface Pricing {
  readonly catalog: Catalog
  /** The catalog version of numbers and rates. */
  readonly version: bigint
  /** The number with these E.164 digits, or undefined when it is not ours; with a time, as it was held then. */
  find(digits: string, atMs?: number): CatalogEntry | undefined
  /** The rate of a number held by `holderId` (0: nobody) at that instant; see RateBook. */
  rateFor(entry: CatalogEntry, holderId: number, atMs: number): Rate
  /** Reads what changed; to be called when the database has a newer catalog version. */
  refresh(db: Db): Promise<void>
}

/** Loads everything that pricing needs. Numbers that imports add later are read in idle windows. */
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
    find: (digits, atMs) => catalog.find(digits, atMs),
    rateFor: (entry, holderId, atMs) => book.rateFor(entry, holderId, atMs),
    // Every change of numbers and rates makes a new version, so one small query shows whether anything changed.
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
