// The addresses that each account has bound from with its password: over a restart, and for all nodes.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { Repeated } from '../../platform/repeated.ts'
import { forgetOrigins, originsSince, writeOrigins } from './known-origins-store.ts'

// A bind is not held up for the table: it is written behind, and what a crash loses is learnt again.
const lookEveryMs = 5_000
const looksPerSweep = 720
// An address that binds all day is written once an hour; in the table it ages by the month.
const writeAgainMs = 3_600_000
// In memory the oldest go beyond so many.
const originsMax = 20_000

export class KnownOrigins {
  readonly #db: Db
  readonly #nowMs: () => number
  readonly #turns: Repeated
  /** By system_id and address when it was written or read last; the least recent is first. */
  readonly #writtenAtMs = new Map<string, number>()
  #fresh = new Map<string, { userId: number; address: string }>()
  /** As the database tells it: what was bound since is asked for next. */
  #readUntil = '-infinity'
  #lookCount = 0

  constructor(db: Db, log: Pick<Logger, 'warn'>, nowMs: () => number) {
    this.#db = db
    this.#nowMs = nowMs
    this.#turns = new Repeated(
      () => this.#look(),
      lookEveryMs,
      (error) => log.warn({ err: error }, 'The known origins of binds are written with the next look'),
    )
  }

  /** Whether the account with this system_id has bound from there. `address` is an `addressKey`. */
  has(systemId: string, address: string): boolean {
    return this.#writtenAtMs.has(keyOf(systemId, address))
  }

  /** It has given its password from there just now. */
  add(userId: number, systemId: string, address: string): void {
    const key = keyOf(systemId, address)
    const writtenAtMs = this.#writtenAtMs.get(key)
    const nowMs = this.#nowMs()
    if (writtenAtMs !== undefined && nowMs - writtenAtMs < writeAgainMs) return
    this.#keep(key, nowMs)
    this.#fresh.set(key, { userId, address })
  }

  /** Loads what is known; rejects when the database does not answer. */
  start(): Promise<void> {
    return this.#turns.start()
  }

  /** Writes what is new, if it can. */
  async stop(): Promise<void> {
    await this.#turns.stop()
    await this.#look().catch(() => undefined)
  }

  async #look(): Promise<void> {
    const fresh = this.#fresh
    this.#fresh = new Map()
    try {
      if (fresh.size > 0) await writeOrigins(this.#db, [...fresh.values()])
    } catch (error) {
      for (const [key, origin] of fresh) this.#fresh.set(key, origin)
      throw error
    }
    const found = await originsSince(this.#db, this.#readUntil, originsMax)
    const nowMs = this.#nowMs()
    for (const { systemId, address } of found.origins) this.#keep(keyOf(systemId, address), nowMs)
    this.#readUntil = found.until
    if (this.#lookCount++ % looksPerSweep === 0) await forgetOrigins(this.#db)
  }

  #keep(key: string, nowMs: number): void {
    this.#writtenAtMs.delete(key)
    this.#writtenAtMs.set(key, nowMs)
    const [oldest] = this.#writtenAtMs.keys()
    if (this.#writtenAtMs.size > originsMax && oldest !== undefined) this.#writtenAtMs.delete(oldest)
  }
}

function keyOf(systemId: string, address: string): string {
  return `${address} ${systemId}`
}
