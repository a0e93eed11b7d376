// Deleted numbers that somebody held. A message that comes late belongs to whoever held the number at its time, also when
// the number was deleted since, or deleted and added again: then its digits lead to several rows.
import type { CatalogEntry } from './entry.ts'

/** Deleted numbers by their digits, each with its holders and prices. */
export class FormerNumbers {
  readonly #byId = new Map<number, CatalogEntry>()
  readonly #byDigits = new Map<string, readonly CatalogEntry[]>()

  /** How many there are. */
  get size(): number {
    return this.#byId.size
  }

  /** Adds a number, or replaces the one with this id. */
  put(entry: CatalogEntry): void {
    const before = this.#byId.get(entry.numberId)
    const others = (this.#byDigits.get(entry.digits) ?? []).filter((other) => other !== before)
    this.#byId.set(entry.numberId, entry)
    this.#byDigits.set(entry.digits, [...others, entry])
  }

  /** The number with these digits that somebody held at that instant. At most one: the database sees to it. */
  heldAt(digits: string, atMs: number): CatalogEntry | undefined {
    return this.#byDigits.get(digits)?.find((entry) => entry.holderAt(atMs) !== 0)
  }
}
