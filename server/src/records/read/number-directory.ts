// All numbers of the house in memory, for searches by any part of a number: a hundred thousand take under a
// millisecond, where the database would read the whole table.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { hashOfId, SpreadMap } from '../../platform/spread-map.ts'

// Every number has the same room, so a place in the text leads to its number.
const width = 16
// So many share a text: a new number costs the making of one text, not of all.
const textNumbers = 4_096
// Read at one go: a page keeps the event loop for a few milliseconds.
const spanIds = 2_000

/** How far the house's numbers have come, as a statement just found it. */
export interface NumbersHead {
  readonly version: string
  readonly lastId: number
}

export class NumberDirectory {
  readonly #db: Db
  readonly #ids: number[] = []
  readonly #places = new SpreadMap<number, number>(hashOfId)
  readonly #digits: string[] = []
  readonly #texts: string[] = []
  #head: NumbersHead = { version: '0', lastId: 0 }
  #loading: Promise<void> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  /** Takes in what was changed up to `head`. One load at a time; whoever comes meanwhile waits and looks again. */
  async reach(head: NumbersHead): Promise<void> {
    while (!this.#hasReached(head)) {
      this.#loading ??= this.#load(head).finally(() => (this.#loading = undefined))
      await this.#loading
    }
  }

  /** The ids of the numbers with `part` among their digits; deleted numbers too, since their records stay. */
  containing(part: string): number[] {
    if (!/^\d{1,15}$/.test(part)) return []
    const found: number[] = []
    for (const [index, text] of this.#texts.entries()) {
      let at = text.indexOf(part)
      while (at >= 0) {
        const place = Math.floor(at / width)
        found.push(this.#ids[index * textNumbers + place] ?? 0)
        at = text.indexOf(part, (place + 1) * width)
      }
    }
    return found
  }

  /** The ids of the numbers whose last four digits contain `part`: all that a viewer of masked numbers may ask. */
  endingWith(part: string, visible: number): number[] {
    if (!/^\d{1,15}$/.test(part)) return []
    return this.#ids.filter((_, place) => (this.#digits[place] ?? '').slice(-visible).includes(part))
  }

  /** The ids that the number `digits` has or had. */
  named(digits: string): number[] {
    return this.containing(digits).filter((id) => this.#digits[this.#places.get(id) ?? -1] === digits)
  }

  #hasReached({ version, lastId }: NumbersHead): boolean {
    return BigInt(this.#head.version) >= BigInt(version) && this.#head.lastId >= lastId
  }

  async #load(head: NumbersHead): Promise<void> {
    const { version, lastId } = this.#head
    const imports = await rows<{ first_id: number; last_id: number }>(
      this.#db,
      // An import's rows have no version, and others may have come before it was done.
      sql`select first_id, last_id from number_imports where catalog_version > ${version} and first_id <= ${lastId}`,
    )
    for (const { first_id, last_id } of imports) await this.#readSpans(first_id, Math.min(last_id, lastId))
    await this.#read(sql`catalog_version > ${version} and id <= ${lastId}`)
    await this.#readSpans(lastId + 1, head.lastId)
    this.#head = {
      version: BigInt(head.version) > BigInt(version) ? head.version : version,
      lastId: Math.max(head.lastId, lastId),
    }
  }

  async #readSpans(firstId: number, lastId: number): Promise<void> {
    for (let from = firstId; from <= lastId; from += spanIds)
      await this.#read(sql`id between ${from} and ${Math.min(from + spanIds - 1, lastId)}`)
  }

  async #read(which: RawBuilder<unknown>): Promise<void> {
    const found = await rows<{ id: number; number: string }>(
      this.#db,
      sql`select id, number from numbers where ${which}`,
    )
    const touched = new Set<number>()
    for (const { id, number } of found) touched.add(Math.floor(this.#put(id, number) / textNumbers))
    for (const index of touched) {
      const digits = this.#digits.slice(index * textNumbers, (index + 1) * textNumbers)
      this.#texts[index] = digits.map((each) => each.padEnd(width)).join('')
    }
  }

  /** Gives the number's place. */
  #put(id: number, digits: string): number {
    const place = this.#places.get(id) ?? this.#ids.length
    this.#places.set(id, place)
    this.#ids[place] = id
    this.#digits[place] = digits
    return place
  }
}
