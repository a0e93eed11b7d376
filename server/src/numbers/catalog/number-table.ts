// Numbers in typed arrays, outside the JavaScript heap. Most numbers have no holder and get no messages. As objects, a
// hundred thousand of them took three times the memory, and garbage collection moved them twice while messages waited.
import { accountStatuses, type AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { CatalogEntry } from './entry.ts'

// A table grows by whole blocks, so that growing copies nothing.
const blockRows = 4_096

class Block {
  readonly ids = new Int32Array(blockRows)
  readonly digits = new Float64Array(blockRows)
  readonly statuses = new Uint8Array(blockRows)
  readonly tariffs = new Float64Array(blockRows)
  /** The entries that were requested so far, by row. */
  entries: (CatalogEntry | undefined)[] | undefined
}

/** Numbers by id and by digits. The entry of a number is made when it is first requested. */
export class NumberTable {
  readonly #blocks: Block[] = []
  readonly #rowOfId = new IntegerMap()
  readonly #rowOfDigits = new IntegerMap()
  /** Rows below `#rowCount` that contain no number. */
  readonly #freeRows: number[] = []
  #rowCount = 0

  /** How many numbers there are. */
  get size(): number {
    return this.#rowOfId.size
  }

  has(numberId: number): boolean {
    return this.#rowOfId.get(numberId) !== undefined
  }

  *ids(): Generator<number, void> {
    for (let row = 0; row < this.#rowCount; row += 1) {
      const id = this.#blockOf(row).ids[row % blockRows] ?? 0
      if (id !== 0) yield id
    }
  }

  /** The number with these E.164 digits. Returns the same entry until the number is replaced or removed. */
  withDigits(digits: string): CatalogEntry | undefined {
    const row = this.#rowOfDigits.get(wholeOf(digits))
    return row === undefined ? undefined : this.#entryIn(row)
  }

  withId(numberId: number): CatalogEntry | undefined {
    const row = this.#rowOfId.get(numberId)
    return row === undefined ? undefined : this.#entryIn(row)
  }

  /**
   * Adds a number, or replaces the one with this id. A tariff of -1 means that the range's applies. If another number has
   * the same digits, they lead to this one from now on.
   */
  add(numberId: number, digits: string, status: AccountStatus, ownTariffMicro: number): void {
    this.#put(numberId, wholeOf(digits), accountStatuses.indexOf(status), ownTariffMicro)
  }

  /** Copies a number from another table, with its holders and prices. */
  addFrom(from: NumberTable, numberId: number): void {
    const row = from.#rowOfId.get(numberId)
    if (row === undefined) return
    const { digits, statuses, tariffs, entries } = from.#blockOf(row)
    const place = row % blockRows
    const to = this.#put(numberId, digits[place] ?? 0, statuses[place] ?? 0, tariffs[place] ?? 0)
    const entry = entries?.[place]
    if (entry !== undefined) this.#entriesAt(to)[to % blockRows] = entry
  }

  /** Removes a number, if it is there. Its digits stay if they belong to another number by now. */
  drop(numberId: number): void {
    const row = this.#rowOfId.get(numberId)
    if (row === undefined) return
    const block = this.#blockOf(row)
    const place = row % blockRows
    const digits = block.digits[place] ?? 0
    if (this.#rowOfDigits.get(digits) === row) this.#rowOfDigits.delete(digits)
    this.#rowOfId.delete(numberId)
    block.ids[place] = 0
    if (block.entries !== undefined) block.entries[place] = undefined
    this.#freeRows.push(row)
  }

  #put(numberId: number, digits: number, status: number, ownTariffMicro: number): number {
    this.drop(numberId)
    const row = this.#freeRows.pop() ?? this.#rowCount++
    if (row === this.#blocks.length * blockRows) this.#blocks.push(new Block())
    const block = this.#blockOf(row)
    const place = row % blockRows
    block.ids[place] = numberId
    block.digits[place] = digits
    block.statuses[place] = status
    block.tariffs[place] = ownTariffMicro
    this.#rowOfId.set(numberId, row)
    this.#rowOfDigits.set(digits, row)
    return row
  }

  #entryIn(row: number): CatalogEntry {
    const entries = this.#entriesAt(row)
    const place = row % blockRows
    return (entries[place] ??= this.#makeEntry(row))
  }

  #makeEntry(row: number): CatalogEntry {
    const { ids, digits, statuses, tariffs } = this.#blockOf(row)
    const place = row % blockRows
    const status = accountStatuses[statuses[place] ?? 0] ?? 'inactive'
    return new CatalogEntry(ids[place] ?? 0, String(digits[place]), status, tariffs[place] ?? -1)
  }

  #entriesAt(row: number): (CatalogEntry | undefined)[] {
    // Made in full length at once: an array that grows by scattered writes becomes slow.
    return (this.#blockOf(row).entries ??= Array.from({ length: blockRows }))
  }

  #blockOf(row: number): Block {
    return this.#blocks[Math.floor(row / blockRows)] as Block
  }
}

// A JavaScript number of more digits would not be exact. E.164 numbers are not longer.
const digitsMax = 15

/** E.164 digits as an integer; 0 for any other text, also for one that begins with 0. */
function wholeOf(digits: string): number {
  if (digits.length > digitsMax) return 0
  let whole = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(place) - 0x30
    if (digit < 0 || digit > 9 || (digit === 0 && whole === 0)) return 0
    whole = whole * 10 + digit
  }
  return whole
}
