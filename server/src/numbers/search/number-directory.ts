// All numbers of the house in memory, for searches by any part of a number or of what it is described by. An index of
// their trigrams would take longer to write than all else of an import (decision 8).
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { Repeated } from '../../platform/work/repeated.ts'
import { SearchTexts } from './search-texts.ts'

// Read at one go: a page keeps the event loop for a millisecond or two.
const spanIds = 500
// Between two of them, while nobody waits: messages go first.
const pauseMs = 25
const followEveryMs = 1_000

/** How far the house's numbers have come, as a statement just found it. */
export interface NumbersHead {
  readonly version: string
  readonly lastId: number
}

export class NumberDirectory {
  readonly #db: Db
  readonly #idleWindows: IdleWindows
  readonly #following: Repeated
  readonly #ids: number[] = []
  readonly #places = new IntegerMap()
  readonly #digits = new SearchTexts()
  /** In lower case, and after a space, so that the first word begins like the others. */
  readonly #descriptions = new SearchTexts(' ')
  #head: NumbersHead = { version: '0', lastId: 0 }
  #loading: Promise<void> | undefined
  #waiting = 0
  #isStopped = false

  constructor(db: Db, onFault: (error: unknown) => void = () => undefined, idleWindows = new IdleWindows()) {
    this.#db = db
    this.#idleWindows = idleWindows
    this.#following = new Repeated(async () => this.#load(await this.#readHead()), followEveryMs, onFault)
  }

  /** Follows the database in no hurry, so that a search finds little left to read. */
  start(): void {
    this.#following.startBehind()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#following.stop()
  }

  /** Takes in what was changed up to `head`, or to now. One load at a time; whoever comes meanwhile waits and looks again. */
  async reach(head?: NumbersHead): Promise<void> {
    this.#waiting += 1
    try {
      await this.#load(head ?? (await this.#readHead()))
    } finally {
      this.#waiting -= 1
    }
  }

  /**
   * The ids of the numbers with `part` among their digits; deleted numbers too, since their records stay. Those beyond
   * `most` may be missing.
   */
  containing(part: string, most?: number): number[] {
    return /^\d{1,15}$/.test(part) ? this.#idsAt(this.#digits.containing(part, { most })) : []
  }

  /** The ids of the numbers whose last `visible` digits contain `part`: all that a viewer of masked numbers may ask. */
  endingWith(part: string, visible: number): number[] {
    return /^\d{1,15}$/.test(part) ? this.#idsAt(this.#digits.containing(part, { lastChars: visible })) : []
  }

  /** The ids that the number `digits` has or had. */
  named(digits: string): number[] {
    return this.#idsAt(this.#digits.equal(digits))
  }

  /**
   * The ids of the numbers whose description, in lower case and after a space, contains `text`; deleted ones too. Those
   * beyond `most` may be missing.
   */
  describedBy(text: string, most?: number): number[] {
    return this.#idsAt(this.#descriptions.containing(text, { most }))
  }

  #idsAt(places: readonly number[]): number[] {
    return places.map((place) => this.#ids[place] ?? 0)
  }

  /**
   * New numbers come with a new version, so the last id is asked for only then: while an import runs, PostgreSQL has to
   * step over all that it has added so far.
   */
  async #readHead(): Promise<NumbersHead> {
    const { version, lastId } = this.#head
    const found = await row<NumbersHead>(
      this.#db,
      sql`select version, case when version > ${version} then coalesce((select max(id) from numbers), 0)
            else ${lastId}::int end as "lastId" from catalog`,
    )
    return found ?? this.#head
  }

  async #load(head: NumbersHead): Promise<void> {
    while (!this.#hasReached(head) && !this.#isStopped) {
      this.#loading ??= this.#readUpTo(head).finally(() => (this.#loading = undefined))
      await this.#loading
    }
  }

  #hasReached({ version, lastId }: NumbersHead): boolean {
    return BigInt(this.#head.version) >= BigInt(version) && this.#head.lastId >= lastId
  }

  async #readUpTo(head: NumbersHead): Promise<void> {
    const { version, lastId } = this.#head
    const imports = await rows<{ first_id: number; last_id: number }>(
      this.#db,
      // An import's rows have no version, and others may have come before it was done.
      sql`select first_id, last_id from number_imports where catalog_version > ${version} and first_id <= ${lastId}`,
    )
    for (const { first_id, last_id } of imports) await this.#readSpans(first_id, Math.min(last_id, lastId))
    await this.#read(sql`catalog_version > ${version} and id <= ${lastId}`)
    await this.#readSpans(lastId + 1, head.lastId)
    if (this.#isStopped) return
    this.#head = {
      version: BigInt(head.version) > BigInt(version) ? head.version : version,
      lastId: Math.max(head.lastId, lastId),
    }
  }

  async #readSpans(firstId: number, lastId: number): Promise<void> {
    for (let from = firstId; from <= lastId && !this.#isStopped; from += spanIds) {
      await this.#read(sql`id between ${from} and ${Math.min(from + spanIds - 1, lastId)}`)
      if (this.#waiting > 0) continue
      await sleep(pauseMs)
      await this.#idleWindows.next()
    }
  }

  async #read(which: RawBuilder<unknown>): Promise<void> {
    const found = await rows<{ id: number; number: string; description: string }>(
      this.#db,
      sql`select id, number, description from numbers where ${which}`,
    )
    for (const { id, number, description } of found) this.#put(id, number, description)
  }

  #put(id: number, digits: string, description: string): void {
    const place = this.#places.get(id) ?? this.#ids.length
    this.#places.set(id, place)
    this.#ids[place] = id
    this.#digits.set(place, digits)
    this.#descriptions.set(place, description.toLowerCase())
  }
}
