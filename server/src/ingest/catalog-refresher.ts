// Keeps the data that prices depend on up to date: catalog, rates and the open cycle.
import type { Db } from '../platform/db.ts'
import { within } from '../platform/work/within.ts'
import { findOpenCycle } from '../ledger/index.ts'
import type { Pricing } from '../rates/index.ts'
import type { OpenCycle } from './batch-encoder.ts'

const waitMaxMs = 2_000

export interface CatalogRefresherOptions {
  readonly db: Db
  readonly pricing: Pricing
  /** The open cycle; created if there is none. */
  readonly openCycle: () => Promise<{ readonly id: number; readonly startsAt: Date }>
}

export class CatalogRefresher {
  readonly #options: CatalogRefresherOptions
  #cycle: OpenCycle = { id: 0, startsAtMs: 0 }
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(options: CatalogRefresherOptions) {
    this.#options = options
  }

  get cycle(): OpenCycle {
    return this.#cycle
  }

  /**
   * Loads everything that was committed before this call. Throws the database's error. One refresh runs at a time: after
   * an import it reads a hundred thousand rows. Calls that come meanwhile share the next refresh, which has little to do.
   */
  refresh(): Promise<void> {
    this.#next ??= this.#afterRunning()
    return this.#next
  }

  async #afterRunning(): Promise<void> {
    // The caller of the running refresh gets its error. A refresh that hangs on a dead connection delays others only briefly.
    await within(this.#running ?? Promise.resolve(), waitMaxMs).catch(() => undefined)
    this.#running = this.#next
    this.#next = undefined
    await this.#refresh()
  }

  async #refresh(): Promise<void> {
    const { db, pricing, openCycle } = this.#options
    const [cycle] = await Promise.all([openCycle(), pricing.refresh(db)])
    this.#keep(cycle)
  }

  /** The same on the connection of a transaction that has the traffic gate. */
  async refreshWithin(tx: Db): Promise<void> {
    const { pricing, openCycle } = this.#options
    await pricing.refresh(tx)
    this.#keep((await findOpenCycle(tx)) ?? (await openCycle()))
  }

  #keep(cycle: { readonly id: number; readonly startsAt: Date }): void {
    this.#cycle = { id: cycle.id, startsAtMs: cycle.startsAt.getTime() }
  }
}
