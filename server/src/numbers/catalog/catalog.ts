// All numbers with their holders and prices in memory, so that pricing a message needs no query.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { transaction } from '../../platform/transaction.ts'
import type { CatalogEntry } from './entry.ts'
import { FormerNumbers } from './former-numbers.ts'
import { NumberTable } from './number-table.ts'
import { readChanges, readVersion, type CatalogChanges } from './views.ts'
import { RangeIndex, type CatalogRange } from './narrowest-range.ts'

// Less than a millisecond of work: after an import a hundred thousand entries are added while messages come in.
const appliedAtOnce = 500

/**
 * The catalog of one process. Who prices messages holds the traffic gate shared and compares {@link version} with the
 * database's version. When the database is newer: {@link refresh}, then price again.
 */
export class Catalog {
  readonly #idleWindows: IdleWindows
  #version = 0n
  readonly #numbers = new NumberTable()
  readonly #former = new FormerNumbers()
  readonly #ranges = new Map<number, CatalogRange>()
  #rangeIndex = new RangeIndex([])
  #rangesVersion = 0
  #applying = Promise.resolve()
  readonly #findRange = (digits: string): CatalogRange | undefined => this.#rangeIndex.find(digits)

  constructor(idleWindows: IdleWindows) {
    this.#idleWindows = idleWindows
  }

  /** The version of the database's catalog that this copy contains. */
  get version(): bigint {
    return this.#version
  }

  /** How many numbers there are, deleted ones not counted. */
  get size(): number {
    return this.#numbers.size
  }

  /**
   * The number with these E.164 digits (no plus), or undefined when it is not ours. With a time, a number that was deleted
   * since comes first if somebody held it then. Without one, the number as it is now.
   */
  find(digits: string, atMs?: number): CatalogEntry | undefined {
    const present = this.#numbers.withDigits(digits)
    const entry = atMs === undefined ? present : this.#heldAt(digits, atMs, present)
    entry?.resolveRange(this.#rangesVersion, this.#findRange)
    return entry
  }

  /** Nearly every message is from just now and to a number that is held, so former numbers are seldom looked up. */
  #heldAt(digits: string, atMs: number, present: CatalogEntry | undefined): CatalogEntry | undefined {
    if (this.#former.size === 0 || (present !== undefined && present.holderAt(atMs) !== 0)) return present
    return this.#former.heldAt(digits, atMs) ?? present
  }

  /** A range's name, also of a deleted range; '' for 0 and unknown ids. */
  rangeNumber(rangeId: number): string {
    return this.#ranges.get(rangeId)?.rangeNumber ?? ''
  }

  /** Whether the database has no newer version. Throws the database's error. */
  async isCurrent(db: Db): Promise<boolean> {
    return (await readVersion(db)) === this.#version
  }

  /**
   * Reads what changed since {@link version}: one small query when nothing did. May run inside the caller's transaction,
   * and several may run at once. When it throws the database's error, the catalog is unchanged.
   */
  async refresh(db: Db): Promise<void> {
    const since = this.#version
    const changes = await transaction(
      db,
      async (tx) => {
        const version = await readVersion(tx)
        return version === since ? undefined : await readChanges(tx, since, version, this.#idleWindows)
      },
      // All reads see one snapshot.
      { isolation: 'repeatable read' },
    )
    if (changes !== undefined) await this.#applyInTurn(changes)
  }

  #applyInTurn(changes: CatalogChanges): Promise<void> {
    this.#applying = this.#applying
      .catch(() => undefined)
      .then(async () => {
        // A refresh that began later but finished first has newer data.
        if (changes.version > this.#version) await this.#apply(changes)
      })
    return this.#applying
  }

  /**
   * New numbers are added in small portions before the version is set. Batches priced meanwhile are not wrong: until then
   * the traffic gate lets a batch pass only if nothing but imports changed (decision 8). All other changes are applied
   * synchronously.
   */
  async #apply({ version, numbers, deletedIds, former, ranges }: CatalogChanges): Promise<void> {
    const changedIds: number[] = []
    let added = 0
    for (const id of numbers.ids()) {
      if (this.#numbers.has(id)) {
        changedIds.push(id)
        continue
      }
      this.#numbers.addFrom(numbers, id)
      added += 1
      if (added % appliedAtOnce === 0) await yieldToEventLoop()
    }
    // Deletions first: a number may be deleted and added again in one change.
    for (const id of deletedIds) this.#numbers.drop(id)
    for (const entry of former) this.#former.put(entry)
    for (const id of changedIds) this.#numbers.drop(id)
    for (const id of changedIds) this.#numbers.addFrom(numbers, id)
    if (ranges.length > 0) {
      for (const range of ranges) this.#ranges.set(range.id, range)
      this.#rangeIndex = new RangeIndex(this.#ranges.values())
      this.#rangesVersion += 1
    }
    this.#version = version
  }
}

/** Loads the whole catalog. Numbers that imports add later are read in idle windows. */
export async function loadCatalog(db: Db, idleWindows = new IdleWindows()): Promise<Catalog> {
  const catalog = new Catalog(idleWindows)
  await catalog.refresh(db)
  return catalog
}
