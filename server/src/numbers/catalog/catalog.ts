// All numbers with their holders and prices in memory, for pricing: a message must not cost a query.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { transaction } from '../../platform/transaction.ts'
import type { CatalogEntry } from './entry.ts'
import { NumberTable } from './number-table.ts'
import { readChanges, readVersion, type CatalogChanges } from './views.ts'
import { RangeIndex, type CatalogRange } from './range-index.ts'

// A part of a millisecond: after an import a hundred thousand entries are taken in while messages come.
const takenAtOnce = 500

/**
 * The catalog of one process. Holding the traffic gate shared, compare {@link version} with the database's: when the
 * database is ahead, {@link refresh} and price again.
 */
export class Catalog {
  readonly #idleWindows: IdleWindows
  #version = 0n
  readonly #numbers = new NumberTable()
  readonly #ranges = new Map<number, CatalogRange>()
  #rangeIndex = new RangeIndex([])
  #rangeStamp = 0
  #taking = Promise.resolve()
  readonly #findRange = (digits: string): CatalogRange | undefined => this.#rangeIndex.find(digits)

  constructor(idleWindows: IdleWindows) {
    this.#idleWindows = idleWindows
  }

  /** The database's catalog version that this one shows. */
  get version(): bigint {
    return this.#version
  }

  /** How many numbers there are, deleted ones not counted. */
  get size(): number {
    return this.#numbers.size
  }

  /** The number with these E.164 digits (no plus), or undefined when it is not ours. */
  find(digits: string): CatalogEntry | undefined {
    const entry = this.#numbers.withDigits(digits)
    entry?.placeIn(this.#rangeStamp, this.#findRange)
    return entry
  }

  /** A range's own name; deleted ranges keep theirs, 0 and unknown ids have ''. */
  rangeNumber(rangeId: number): string {
    return this.#ranges.get(rangeId)?.rangeNumber ?? ''
  }

  /** Whether the database is no further. Throws the database's error. */
  async isCurrent(db: Db): Promise<boolean> {
    return (await readVersion(db)) === this.#version
  }

  /**
   * Takes in what changed since {@link version}. Costs one small query when nothing did. May run inside the caller's
   * transaction, and several at once. Throws the database's error and leaves the catalog as it was.
   */
  async refresh(db: Db): Promise<void> {
    const since = this.#version
    const changes = await transaction(
      db,
      async (tx) => {
        const version = await readVersion(tx)
        return version === since ? undefined : await readChanges(tx, since, version, this.#idleWindows)
      },
      // One snapshot for all the reads.
      { isolation: 'repeatable read' },
    )
    if (changes !== undefined) await this.#takeInTurn(changes)
  }

  #takeInTurn(changes: CatalogChanges): Promise<void> {
    this.#taking = this.#taking
      .catch(() => undefined)
      .then(async () => {
        // A refresh that began later may have come home first: it knew more.
        if (changes.version > this.#version) await this.#take(changes)
      })
    return this.#taking
  }

  /**
   * New numbers come in portions, before their version does: until then only batches pass the traffic gate for which
   * nothing but imports came (decision 8). All else changes at one moment.
   */
  async #take({ version, numbers, deletedIds, ranges }: CatalogChanges): Promise<void> {
    const changedIds: number[] = []
    let added = 0
    for (const id of numbers.ids()) {
      if (this.#numbers.has(id)) {
        changedIds.push(id)
        continue
      }
      this.#numbers.addFrom(numbers, id)
      added += 1
      if (added % takenAtOnce === 0) await breathe()
    }
    // Departed digits first: a number may be deleted and made anew in one change.
    for (const id of deletedIds) this.#numbers.drop(id)
    for (const id of changedIds) this.#numbers.drop(id)
    for (const id of changedIds) this.#numbers.addFrom(numbers, id)
    if (ranges.length > 0) {
      for (const range of ranges) this.#ranges.set(range.id, range)
      this.#rangeIndex = new RangeIndex(this.#ranges.values())
      this.#rangeStamp += 1
    }
    this.#version = version
  }
}

/** Loads the whole catalog. What imports bring later is read in the idle windows of the traffic. */
export async function loadCatalog(db: Db, idleWindows = new IdleWindows()): Promise<Catalog> {
  const catalog = new Catalog(idleWindows)
  await catalog.refresh(db)
  return catalog
}
