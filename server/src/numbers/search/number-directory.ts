// All numbers in memory, for searches by any part of their digits or description. A trigram index in the database would
// take longer to write than everything else of an import (decision 8).
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { SearchTexts } from './search-texts.ts'

// Numbers read by one query, which blocks the event loop for a millisecond or two.
const spanIds = 500
// The pause between two queries while no search waits: messages go first.
const pauseMs = 25
const followEveryMs = 1_000

/** The newest state of the numbers in the database: the catalog version, and the last id. */
interface NumbersHead {
  readonly version: string
  readonly lastId: number
}

export class NumberDirectory {
  readonly #db: Db
  readonly #idleWindows: IdleWindows
  readonly #following: Recurring
  readonly #ids: number[] = []
  readonly #indexOfId = new IntegerMap()
  readonly #digits = new SearchTexts()
  /** In lower case, with a space before it, so that the first word begins like the others. */
  readonly #descriptions = new SearchTexts(' ')
  #head: NumbersHead = { version: '0', lastId: 0 }
  #loading: Promise<void> | undefined
  #waiting = 0
  #isStopped = false

  constructor(db: Db, onFault: (error: unknown) => void = () => undefined, idleWindows = new IdleWindows()) {
    this.#db = db
    this.#idleWindows = idleWindows
    this.#following = new Recurring({
      run: async () => this.#load(await this.#readHead()),
      everyMs: followEveryMs,
      onFault,
    })
  }

  /** Reads changes in the background, so that a search has little left to read. */
  start(): void {
    this.#following.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#following.stop()
  }

  /** Reads what was changed up to `head`, or up to now. One load runs at a time; other calls wait for it. */
  async catchUp(head?: NumbersHead): Promise<void> {
    this.#waiting += 1
    try {
      await this.#load(head ?? (await this.#readHead()))
    } finally {
      this.#waiting -= 1
    }
  }

  /**
   * The ids of the numbers whose digits contain `digits`; also of deleted numbers, since their records stay. If there are
   * more than `max`, the others may be missing.
   */
  containing(digits: string, max?: number): number[] {
    return /^\d{1,15}$/.test(digits) ? this.#idsAt(this.#digits.containing(digits, { max })) : []
  }

  /** The ids of the numbers whose last `visible` digits contain `digits`: the search of who sees masked numbers. */
  endingWith(digits: string, visible: number): number[] {
    return /^\d{1,15}$/.test(digits)
      ? this.#idsAt(this.#digits.containing(digits, { lastChars: visible }))
      : []
  }

  /** The ids of the number `digits`: of the present one and of deleted ones. */
  withDigits(digits: string): number[] {
    return this.#idsAt(this.#digits.equal(digits))
  }

  /**
   * The ids of the numbers whose description, in lower case and with a space before it, contains `text`; also of deleted
   * numbers. If there are more than `max`, the others may be missing.
   */
  describedBy(text: string, max?: number): number[] {
    return this.#idsAt(this.#descriptions.containing(text, { max }))
  }

  #idsAt(indexes: readonly number[]): number[] {
    return indexes.map((index) => this.#ids[index] ?? 0)
  }

  /**
   * Reads the last id only with a new version, since new numbers always bring one. While an import runs, max(id) is slow:
   * PostgreSQL skips all rows that the import has added so far.
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
      // Imported rows have version 0. Their ids may be lower than those of numbers that were committed before the import.
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

  async #read(condition: RawBuilder<unknown>): Promise<void> {
    const found = await rows<{ id: number; number: string; description: string }>(
      this.#db,
      sql`select id, number, description from numbers where ${condition}`,
    )
    for (const { id, number, description } of found) this.#put(id, number, description)
  }

  #put(id: number, digits: string, description: string): void {
    const index = this.#indexOfId.get(id) ?? this.#ids.length
    this.#indexOfId.set(id, index)
    this.#ids[index] = id
    this.#digits.set(index, digits)
    this.#descriptions.set(index, description.toLowerCase())
  }
}
