// All numbers of the house in memory, for searches by any part of a number: a hundred thousand take under a
// millisecond, where the database would read the whole table.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'

// Every number has the same room, so a place in the text leads to its number.
const width = 16

export class NumberDirectory {
  readonly #db: Db
  readonly #ids: number[] = []
  readonly #places = new Map<number, number>()
  #digits: string[] = []
  #text = ''
  #version = '0'
  #lastId = 0
  #refreshing: Promise<void> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  /** The ids of the numbers with `part` among their digits; deleted numbers too, since their records stay. */
  async containing(part: string): Promise<number[]> {
    if (!/^\d{1,15}$/.test(part)) return []
    await this.#refresh()
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
  async endingWith(part: string, visible: number): Promise<number[]> {
    if (!/^\d{1,15}$/.test(part)) return []
    await this.#refresh()
    return this.#ids.filter((_, place) => (this.#digits[place] ?? '').slice(-visible).includes(part))
  }

  /** The ids that the number `digits` has or had. */
  async named(digits: string): Promise<number[]> {
    const ids = await this.containing(digits)
    return ids.filter((id) => this.#digits[this.#places.get(id) ?? -1] === digits)
  }

  /** One refresh at a time; whoever comes meanwhile waits for one that begins after. */
  async #refresh(): Promise<void> {
    while (this.#refreshing !== undefined) await this.#refreshing
    this.#refreshing = this.#load()
    try {
      await this.#refreshing
    } finally {
      this.#refreshing = undefined
    }
  }

  async #load(): Promise<void> {
    const head = await row<{ version: string; last_id: number }>(
      this.#db,
      sql`select (select version from catalog) as version, coalesce((select max(id) from numbers), 0) as last_id`,
    )
    if (head === undefined || (head.version === this.#version && head.last_id === this.#lastId)) return
    const added = await rows<{ id: number; number: string }>(
      this.#db,
      sql`select id, number from numbers where catalog_version > ${this.#version} or id > ${this.#lastId}`,
    )
    for (const { id, number } of added) this.#put(id, number)
    this.#version = head.version
    this.#lastId = head.last_id
    this.#text = this.#digits.map((digits) => digits.padEnd(width)).join('')
  }

  #put(id: number, digits: string): void {
    const place = this.#places.get(id) ?? this.#ids.length
    this.#places.set(id, place)
    this.#ids[place] = id
    this.#digits[place] = digits
  }
}
