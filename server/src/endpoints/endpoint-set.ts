// Which clients have an endpoint that takes their new records. In memory, because ingest needs it for each message.
import type { Db } from '../platform/db.ts'
import { Recurring } from '../platform/work/recurring.ts'
import { liveEndpoints } from './store.ts'

const refreshEveryMs = 1_000

export class EndpointSet {
  readonly #db: Db
  readonly #refreshing: Recurring
  #clients = new Set<number>()
  #isForAll = false
  #hasAny = false

  constructor(db: Db, onFault: (error: unknown) => void) {
    this.#db = db
    this.#refreshing = new Recurring({ run: () => this.refresh(), everyMs: refreshEveryMs, onFault })
  }

  /** Whether there is any endpoint, whatever it is told. */
  hasAny(): boolean {
    return this.#hasAny
  }

  has(clientId: number): boolean {
    return this.#isForAll || this.#clients.has(clientId)
  }

  async refresh(): Promise<void> {
    const live = await liveEndpoints(this.#db)
    const takers = live.filter(({ events }) => events.includes('message'))
    this.#hasAny = live.length > 0
    this.#isForAll = takers.some(({ userId }) => userId === null)
    this.#clients = new Set(takers.flatMap(({ userId }) => (userId === null ? [] : [userId])))
  }

  /** Refreshes each second. A record that is stored before a new endpoint is known here is delivered all the same. */
  start(): Promise<void> {
    return this.#refreshing.startAfterFirstRun()
  }

  stop(): Promise<void> {
    return this.#refreshing.stop()
  }
}
