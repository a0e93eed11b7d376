// Every second: takes up the work that is wanted and that no node does, under a lease each, and lets go of what is
// wanted no more, was changed, or belongs to another node by now.
import type { Db } from '../db.ts'
import { openLeases, type Lease, type Leases, type LeaseTimes } from './leases.ts'
import type { Logger } from '../log.ts'
import { Recurring } from './recurring.ts'

export const lookEveryMs = 1_000

/** One piece of work that is wanted, as a look finds it. */
export interface Wanted {
  readonly id: number
  /** Grows when what the work goes by changes: whoever does it begins anew. */
  readonly version: number
  /** Whether some node does it now. */
  readonly isHeld: boolean
}

/** A piece of work that this node does. */
export interface HeldWork {
  /** The version that it goes by. */
  readonly version: number
  /** It must not go on. */
  readonly isLost: boolean
  /** Ends it and gives its lease back. */
  stop(): Promise<void>
}

export interface LeaseKeeperParts<Row extends Wanted, Work extends HeldWork> {
  readonly db: Db
  readonly log: Logger
  /** What is kept, as the log names it: 'Connections'. */
  readonly what: string
  readonly leaseName: (id: number) => string
  /** All that is wanted, held or not. */
  readonly wanted: () => Promise<readonly Row[]>
  /** Begins what this node may do now; undefined when it is not wanted any more, and its lease goes back. */
  readonly take: (row: Row, lease: Lease) => Promise<Work | undefined>
  /** At each look, for each piece that this node does and may keep. */
  readonly see?: (work: Work, row: Row) => void
  /** At each look, when all rows were seen, well or not; rejects when the database does not answer. */
  readonly afterRows?: () => Promise<void>
  /** When a look is over, well or not. */
  readonly afterLook?: () => void
  /** This node does it no more; the work itself may take a while to end. */
  readonly onLetGo?: (id: number, work: Work) => void
  /** From one look to the next; {@link lookEveryMs} by default. */
  readonly everyMs?: number | undefined
  readonly leaseTimes?: LeaseTimes | undefined
}

export class LeaseKeeper<Row extends Wanted, Work extends HeldWork> {
  readonly #parts: LeaseKeeperParts<Row, Work>
  readonly #held = new Map<number, Work>()
  /** On their way out: not taken up again before they are gone. */
  readonly #leaving = new Map<number, Promise<void>>()
  #leases: Leases | undefined
  readonly #checking: Recurring

  constructor(parts: LeaseKeeperParts<Row, Work>) {
    this.#parts = parts
    const { log, what, everyMs = lookEveryMs } = parts
    this.#checking = new Recurring({
      run: (signal) => this.#look(signal),
      everyMs,
      onFault: (error, isFirst) => {
        if (isFirst) log.error({ err: error }, `${what} cannot be looked after; it is tried again`)
        for (const [id, work] of this.#held) if (work.isLost) this.#letGo(id)
      },
      onRecovery: () => log.info({}, `${what} are looked after again`),
    })
  }

  /** What this node does, by its id. */
  get held(): ReadonlyMap<number, Work> {
    return this.#held
  }

  /** Rejects when the database is away. */
  async start(): Promise<void> {
    const { db, log, leaseTimes } = this.#parts
    this.#leases = await openLeases(db, log, leaseTimes)
    this.#checking.start()
  }

  /** Looks now instead of at the next turn: somebody gave an order. Nothing happens before the start. */
  lookSoon(): void {
    this.#checking.runSoon()
  }

  /** Ends all work here and gives the leases back. It stays wanted: the next start, or another node, takes it up. */
  async stop(): Promise<void> {
    await this.#checking.stop()
    for (const id of this.#held.keys()) this.#letGo(id)
    await Promise.all(this.#leaving.values())
    await this.#leases
      ?.stop()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'Leases could not be given back'))
    this.#leases = undefined
  }

  async #look(signal: AbortSignal): Promise<void> {
    try {
      await this.#lookAtAll(signal)
    } finally {
      if (!signal.aborted) this.#parts.afterLook?.()
    }
  }

  async #lookAtAll(signal: AbortSignal): Promise<void> {
    const { wanted, afterRows } = this.#parts
    const rows = new Map((await wanted()).map((row) => [row.id, row]))
    for (const [id, work] of this.#held)
      if (work.isLost || rows.get(id)?.version !== work.version) this.#letGo(id)
    const faults: unknown[] = []
    // One that cannot be taken up keeps none of the others waiting.
    for (const row of rows.values())
      await this.#lookAt(row, signal).catch((error: unknown) => faults.push(error))
    await afterRows?.()
    if (faults.length > 0) throw faults[0]
  }

  async #lookAt(row: Row, signal: AbortSignal): Promise<void> {
    const { leaseName, take, see } = this.#parts
    const { id } = row
    const work = this.#held.get(id)
    if (work !== undefined) return see?.(work, row)
    if (row.isHeld || this.#leaving.has(id) || signal.aborted) return
    const lease = await this.#leases?.acquire(leaseName(id))
    if (lease === undefined) return
    let taken: Work | undefined
    try {
      taken = await take(row, lease)
    } finally {
      if (taken === undefined) await lease.release()
    }
    if (taken === undefined) return
    this.#held.set(id, taken)
    // Told at once, not at the next look: work whose lease may be another's must not go on.
    if (lease.signal.aborted) this.#letGo(id)
    else lease.signal.addEventListener('abort', () => this.#letGo(id, taken), { once: true })
  }

  #letGo(id: number, only?: Work): void {
    const { log, what, onLetGo } = this.#parts
    const work = this.#held.get(id)
    // By now it may be held again, under a later lease.
    if (work === undefined || (only !== undefined && only !== work)) return
    this.#held.delete(id)
    onLetGo?.(id, work)
    const leaving = work
      .stop()
      .catch((error: unknown) => log.warn({ err: error }, `${what}: one did not stop cleanly`))
      .finally(() => {
        this.#leaving.delete(id)
        // What was changed comes up anew without waiting for the next turn.
        this.lookSoon()
      })
    this.#leaving.set(id, leaving)
  }
}
