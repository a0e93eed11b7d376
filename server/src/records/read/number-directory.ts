// All numbers of the house in memory, for searches by any part of a number: a hundred thousand take under a
// millisecond, where the database would read the whole table.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'

// Every number has the same room, so a place in the text leads to its number.
const width = 16

/** How far the house's numbers have come, as a statement just found it. */
export interface NumbersHead {
  readonly version: string
  readonly lastId: number
}

export class NumberDirectory {
  readonly #db: Db
  readonly #ids: number[] = []
  readonly #places = new Map<number, number>()
  #digits: string[] = []
  #text = ''
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
    let at = this.#text.indexOf(part)
    while (at >= 0) {
      const place = Math.floor(at / width)
      found.push(this.#ids[place] ?? 0)
      at = this.#text.indexOf(part, (place + 1) * width)
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
    const added = await rows<{ id: number; number: string }>(
      this.#db,
      // An import's rows have no version, and others may have come before it was done.
      sql`select id, number from numbers where catalog_version > ${version} or id > ${lastId}
          union all
          select n.id, n.number from number_imports i join numbers n on n.id between i.first_id and i.last_id
          where i.catalog_version > ${version}`,
    )
    for (const { id, number } of added) this.#put(id, number)
    this.#head = {
      version: BigInt(head.version) > BigInt(version) ? head.version : version,
      lastId: Math.max(head.lastId, lastId),
    }
    this.#text = this.#digits.map((digits) => digits.padEnd(width)).join('')
  }

  #put(id: number, digits: string): void {
    const place = this.#places.get(id) ?? this.#ids.length
    this.#places.set(id, place)
    this.#ids[place] = id
    this.#digits[place] = digits
  }
}
