// All numbers with their holders and prices in memory, for pricing: a message must not cost a query.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { hashOfText, hashOfId, SpreadMap } from '../../platform/spread-map.ts'
import { transaction } from '../../platform/transaction.ts'
import type { CatalogEntry } from './entry.ts'
import { readChanges, readVersion, type CatalogChanges } from './views.ts'
import { RangeIndex, type CatalogRange } from './range-index.ts'

// A part of a millisecond: after an import a hundred thousand entries are taken in while messages come.
const takenAtOnce = 100

/**
 * The catalog of one process. Holding the traffic gate shared, compare {@link version} with the database's: when the
 * database is ahead, {@link refresh} and price again.
 */
export class Catalog {
  #version = 0n
  readonly #byDigits = new SpreadMap<string, CatalogEntry>(hashOfText)
  readonly #byId = new SpreadMap<number, CatalogEntry>(hashOfId)
  readonly #ranges = new Map<number, CatalogRange>()
  #rangeIndex = new RangeIndex([])
  #rangeStamp = 0
  #taking = Promise.resolve()
  readonly #findRange = (digits: string): CatalogRange | undefined => this.#rangeIndex.find(digits)

  /** The database's catalog version that this one shows. */
  get version(): bigint {
    return this.#version
  }

  /** How many numbers there are, deleted ones not counted. */
  get size(): number {
    return this.#byId.size
  }

  /** The number with these E.164 digits (no plus), or undefined when it is not ours. */
  find(digits: string): CatalogEntry | undefined {
    const entry = this.#byDigits.get(digits)
    entry?.placeIn(this.#rangeStamp, this.#findRange)
    return entry
  }

  /** The number with this id; undefined when unknown or deleted. */
  findById(numberId: number): CatalogEntry | undefined {
    const entry = this.#byId.get(numberId)
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
        return version === since ? undefined : await readChanges(tx, since, version)
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
  async #take({ version, entries, deletedIds, ranges }: CatalogChanges): Promise<void> {
    const changed: CatalogEntry[] = []
    let added = 0
    for (const entry of entries) {
      if (this.#byId.has(entry.numberId)) {
        changed.push(entry)
        continue
      }
      this.#put(entry)
      added += 1
      if (added % takenAtOnce === 0) await breathe()
    }
    // Departed digits first: a number may be deleted and made anew in one change.
    for (const id of deletedIds) this.#drop(id)
    for (const { numberId } of changed) this.#drop(numberId)
    for (const entry of changed) this.#put(entry)
    if (ranges.length > 0) {
      for (const range of ranges) this.#ranges.set(range.id, range)
      this.#rangeIndex = new RangeIndex(this.#ranges.values())
      this.#rangeStamp += 1
    }
    this.#version = version
  }

  #put(entry: CatalogEntry): void {
    this.#byId.set(entry.numberId, entry)
    this.#byDigits.set(entry.digits, entry)
  }

  #drop(numberId: number): void {
    const before = this.#byId.get(numberId)
    if (before === undefined) return
    this.#byId.delete(numberId)
    if (this.#byDigits.get(before.digits) === before) this.#byDigits.delete(before.digits)
  }
}

/** Loads the whole catalog. */
export async function loadCatalog(db: Db): Promise<Catalog> {
  const catalog = new Catalog()
  await catalog.refresh(db)
  return catalog
}
