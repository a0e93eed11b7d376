// Which clients have an address that takes their records, in memory: ingest asks for each message.
import type { Db } from '../platform/db.ts'
import { liveEndpoints } from './store.ts'

const refreshEveryMs = 1_000

export class EndpointSet {
  readonly #db: Db
  readonly #onFault: (error: unknown) => void
  #clients = new Set<number>()
  #isForAll = false
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(db: Db, onFault: (error: unknown) => void) {
    this.#db = db
    this.#onFault = onFault
  }

  has(clientId: number): boolean {
    return this.#isForAll || this.#clients.has(clientId)
  }

  async refresh(): Promise<void> {
    const live = await liveEndpoints(this.#db)
    this.#isForAll = live.some(({ userId }) => userId === null)
    this.#clients = new Set(live.flatMap(({ userId }) => (userId === null ? [] : [userId])))
  }

  /** Keeps up with the other nodes. A record that is stored before the news arrives is handed on all the same. */
  async start(): Promise<void> {
    await this.refresh()
    this.#timer = setInterval(() => {
      this.#running ??= this.refresh()
        .catch(this.#onFault)
        .finally(() => (this.#running = undefined))
    }, refreshEveryMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
