// The addresses from which each account has bound with its password. They are shared by all nodes and survive a restart.
import type { Db } from '../../platform/db.ts'
import type { Logger } from '../../platform/log.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { forgetOrigins, originsSince, writeOrigins } from './known-origins-store.ts'

// A bind does not wait for the table: origins are written behind it, and what a crash loses is learnt again.
const syncEveryMs = 5_000
const syncsPerSweep = 720
// An address that binds all day is written once an hour; the table forgets only after months.
const writeAgainMs = 3_600_000
// Above this number the oldest are dropped from memory.
const originsMax = 20_000

export class KnownOrigins {
  readonly #db: Db
  readonly #nowMs: () => number
  readonly #syncing: Recurring
  /** By system_id and address: when it was last written or read. The oldest entry is first. */
  readonly #writtenAtMs = new Map<string, number>()
  #unwritten = new Map<string, { userId: number; address: string }>()
  /** Database time up to which binds of other nodes were read. */
  #readUntil = '-infinity'
  #syncCount = 0

  constructor(db: Db, log: Pick<Logger, 'warn'>, nowMs: () => number, everyMs = syncEveryMs) {
    this.#db = db
    this.#nowMs = nowMs
    this.#syncing = new Recurring({
      run: () => this.#sync(),
      everyMs,
      onFault: (error) =>
        log.warn({ err: error }, 'The known origins of binds are written with the next synchronisation'),
    })
  }

  /** Whether the account with this system_id has bound from this address. `address` is an `addressKey`. */
  has(systemId: string, address: string): boolean {
    return this.#writtenAtMs.has(keyOf(systemId, address))
  }

  /** Notes that the account has just given its correct password from this address. */
  add(userId: number, systemId: string, address: string): void {
    const key = keyOf(systemId, address)
    const writtenAtMs = this.#writtenAtMs.get(key)
    const nowMs = this.#nowMs()
    if (writtenAtMs !== undefined && nowMs - writtenAtMs < writeAgainMs) return
    this.#remember(key, nowMs)
    this.#unwritten.set(key, { userId, address })
  }

  /** Loads the known origins; rejects when the database does not answer. */
  start(): Promise<void> {
    return this.#syncing.startAfterFirstRun()
  }

  /** Writes new origins, if the database answers. */
  stop(): Promise<void> {
    return this.#syncing.stopAfterLastRun()
  }

  async #sync(): Promise<void> {
    const unwritten = this.#unwritten
    this.#unwritten = new Map()
    try {
      if (unwritten.size > 0) await writeOrigins(this.#db, [...unwritten.values()])
    } catch (error) {
      for (const [key, origin] of unwritten) this.#unwritten.set(key, origin)
      throw error
    }
    const found = await originsSince(this.#db, this.#readUntil, originsMax)
    const nowMs = this.#nowMs()
    for (const { systemId, address } of found.origins) this.#remember(keyOf(systemId, address), nowMs)
    this.#readUntil = found.until
    if (this.#syncCount++ % syncsPerSweep === 0) await forgetOrigins(this.#db)
  }

  #remember(key: string, nowMs: number): void {
    this.#writtenAtMs.delete(key)
    this.#writtenAtMs.set(key, nowMs)
    const [oldest] = this.#writtenAtMs.keys()
    if (this.#writtenAtMs.size > originsMax && oldest !== undefined) this.#writtenAtMs.delete(oldest)
  }
}

function keyOf(systemId: string, address: string): string {
  return `${address} ${systemId}`
}
