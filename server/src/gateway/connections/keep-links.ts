// Every second: takes up the links that are wanted and that no node holds, and lets go of those that are not.
import type { Leases } from '../../platform/leases.ts'
import { leaseName, type ConnectionsDeps } from './deps.ts'
import { HeldLink } from './held-link.ts'
import { allConnections, type KeptRow } from './store.ts'

const lookEveryMs = 1_000

export class LinkKeeper {
  readonly #deps: ConnectionsDeps
  readonly #leases: Leases
  readonly #held = new Map<number, HeldLink>()
  /** On their way out: not taken up again before they are gone. */
  readonly #leaving = new Map<number, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isWanted = false
  #isStopped = true
  #isFailing = false

  constructor(deps: ConnectionsDeps, leases: Leases) {
    this.#deps = deps
    this.#leases = leases
  }

  start(): void {
    this.#isStopped = false
    this.lookSoon()
  }

  /** Looks now instead of at the next turn: somebody gave an order. */
  lookSoon(): void {
    if (this.#isStopped) return
    if (this.#running !== undefined) {
      this.#isWanted = true
      return
    }
    clearTimeout(this.#timer)
    this.#running = this.#look().finally(() => {
      this.#running = undefined
      if (this.#isStopped) return
      if (this.#isWanted) {
        this.#isWanted = false
        this.lookSoon()
      } else this.#timer = setTimeout(() => this.lookSoon(), lookEveryMs)
    })
  }

  /** Unbinds all links. They stay wanted: the next start, or another node, takes them up. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
    for (const id of this.#held.keys()) this.#letGo(id)
    await Promise.all(this.#leaving.values())
  }

  async #look(): Promise<void> {
    try {
      const rows = new Map((await allConnections(this.#deps.db)).map((row) => [row.id, row]))
      for (const [id, link] of this.#held) {
        const row = rows.get(id)
        if (link.isLost || row?.isWanted !== true || row.version !== link.version) this.#letGo(id)
      }
      for (const row of rows.values()) await this.#lookAt(row)
      if (this.#isFailing) this.#deps.log.info({}, 'The database answers again; connections are looked after')
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing)
        this.#deps.log.error(
          { err: error },
          'Connections cannot be looked after: the database does not answer',
        )
      this.#isFailing = true
      for (const [id, link] of this.#held) if (link.isLost) this.#letGo(id)
    }
  }

  async #lookAt(row: KeptRow): Promise<void> {
    const link = this.#held.get(row.id)
    if (link !== undefined) {
      link.restartUnless(row.restartCount)
      void link.report()
      if (row.hasQueuedSends) link.sendQueued()
      return
    }
    if (!row.isWanted || row.isHeld || this.#leaving.has(row.id) || this.#isStopped) return
    const lease = await this.#leases.acquire(leaseName(row.id))
    if (lease === undefined) return
    // Told at once, not at the next look: a link whose lease may be another's must not go on.
    lease.signal.addEventListener('abort', () => this.#letGo(row.id), { once: true })
    this.#held.set(row.id, new HeldLink(this.#deps, row, lease))
  }

  #letGo(id: number): void {
    const link = this.#held.get(id)
    if (link === undefined) return
    this.#held.delete(id)
    const leaving = link
      .stop()
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'A connection did not stop cleanly'))
      .finally(() => {
        this.#leaving.delete(id)
        // What was changed comes up anew without waiting for the next turn.
        this.lookSoon()
      })
    this.#leaving.set(id, leaving)
  }
}
