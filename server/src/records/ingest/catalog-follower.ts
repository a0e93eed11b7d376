// Keeps what prices depend on up to date: catalog, rates and the open cycle.
import type { Db } from '../../platform/db.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import type { Pricing } from '../../rates/index.ts'
import type { OpenCycle } from './batch-encoder.ts'

export interface CatalogFollowerOptions {
  readonly db: Db
  readonly pricing: Pricing
  /** The open cycle, made if there is none. */
  readonly openCycle: () => Promise<{ readonly id: number; readonly startsAt: Date }>
}

export class CatalogFollower {
  readonly #options: CatalogFollowerOptions
  #cycle: OpenCycle = { id: 0, startsAtMs: 0 }

  constructor(options: CatalogFollowerOptions) {
    this.#options = options
  }

  get cycle(): OpenCycle {
    return this.#cycle
  }

  /** Takes in everything that was committed before this call. Throws the database's error. */
  async refresh(): Promise<void> {
    const { db, pricing, openCycle } = this.#options
    const [cycle] = await Promise.all([openCycle(), pricing.refresh(db)])
    this.#keep(cycle)
  }

  /** The same on the connection of a transaction that holds the traffic gate. */
  async refreshWithin(tx: Db): Promise<void> {
    const { pricing, openCycle } = this.#options
    await pricing.refresh(tx)
    this.#keep((await findOpenCycle(tx)) ?? (await openCycle()))
  }

  #keep(cycle: { readonly id: number; readonly startsAt: Date }): void {
    this.#cycle = { id: cycle.id, startsAtMs: cycle.startsAt.getTime() }
  }
}
