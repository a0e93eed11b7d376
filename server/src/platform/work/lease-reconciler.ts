// Makes the running work match the rows of a table, each piece on one node under a lease. Every second it starts rows that
// no node runs, and stops work whose row was removed or changed, or whose lease was lost.
import type { Db } from '../db.ts'
import { openLeases, type Lease, type Leases, type LeaseTimes } from './leases.ts'
import type { Logger } from '../log.ts'
import { Recurring } from './recurring.ts'

export const roundEveryMs = 1_000

/** A row that asks for one piece of work. */
export interface DesiredWork {
  readonly id: number
  /** Grows when the settings of the work change: it is then restarted. */
  readonly version: number
  /** Whether some node runs it now. */
  readonly isHeld: boolean
}

/** A piece of work that this node runs. */
export interface RunningWork {
  /** The version of the row that it was started with. */
  readonly version: number
  /** Whether it must stop, because its lease may be lost. */
  readonly isLost: boolean
  /** Stops it and releases its lease. */
  stop(): Promise<void>
}

export interface LeaseReconcilerParts<Row extends DesiredWork, Work extends RunningWork> {
  readonly db: Db
  readonly log: Logger
  /** The work's name in the log: 'Connections'. */
  readonly what: string
  readonly leaseName: (id: number) => string
  /** All rows, whether they run or not. */
  readonly desired: () => Promise<readonly Row[]>
  /** Starts the work of a row; undefined when it is no longer needed, and its lease is released. */
  readonly start: (row: Row, lease: Lease) => Promise<Work | undefined>
  /** Called in each round for each piece that continues to run here. */
  readonly update?: (work: Work, row: Row) => void
  /** Called in each round after all rows, also when some failed; rejects when the database does not answer. */
  readonly afterRows?: () => Promise<void>
  /** Called at the end of each round, also of one that failed. */
  readonly afterRound?: () => void
  /** Called when work begins to stop, which may take a while. */
  readonly onStop?: (id: number, work: Work) => void
  /** The pause between two rounds; {@link roundEveryMs} by default. */
  readonly everyMs?: number | undefined
  readonly leaseTimes?: LeaseTimes | undefined
}

export class LeaseReconciler<Row extends DesiredWork, Work extends RunningWork> {
  readonly #parts: LeaseReconcilerParts<Row, Work>
  readonly #running = new Map<number, Work>()
  /** Work that is stopping: it is not started again before it has stopped. */
  readonly #stopping = new Map<number, Promise<void>>()
  #leases: Leases | undefined
  readonly #rounds: Recurring

  constructor(parts: LeaseReconcilerParts<Row, Work>) {
    this.#parts = parts
    const { log, what, everyMs = roundEveryMs } = parts
    this.#rounds = new Recurring({
      run: (signal) => this.#round(signal),
      everyMs,
      onFault: (error, isFirst) => {
        if (isFirst) log.error({ err: error }, `${what} cannot be checked; it is tried again`)
        for (const [id, work] of this.#running) if (work.isLost) this.#stop(id)
      },
      onRecovery: () => log.info({}, `${what} are checked again`),
    })
  }

  /** The work of this node, by id. */
  get running(): ReadonlyMap<number, Work> {
    return this.#running
  }

  /** Rejects when the database is away. */
  async start(): Promise<void> {
    const { db, log, leaseTimes } = this.#parts
    this.#leases = await openLeases(db, log, leaseTimes)
    this.#rounds.start()
  }

  /** Starts a round now, since something was changed. Does nothing before the start. */
  runSoon(): void {
    this.#rounds.runSoon()
  }

  /** Stops all work here and releases the leases. The rows stay: the next start, or another node, starts them. */
  async stop(): Promise<void> {
    await this.#rounds.stop()
    for (const id of this.#running.keys()) this.#stop(id)
    await Promise.all(this.#stopping.values())
    await this.#leases
      ?.stop()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'Leases could not be released'))
    this.#leases = undefined
  }

  async #round(signal: AbortSignal): Promise<void> {
    try {
      await this.#startAndStop(signal)
    } finally {
      if (!signal.aborted) this.#parts.afterRound?.()
    }
  }

  async #startAndStop(signal: AbortSignal): Promise<void> {
    const { desired, afterRows } = this.#parts
    const rows = new Map((await desired()).map((row) => [row.id, row]))
    for (const [id, work] of this.#running)
      if (work.isLost || rows.get(id)?.version !== work.version) this.#stop(id)
    const faults: unknown[] = []
    // A row that cannot be started does not keep the others waiting.
    for (const row of rows.values())
      await this.#reconcile(row, signal).catch((error: unknown) => faults.push(error))
    await afterRows?.()
    if (faults.length > 0) throw faults[0]
  }

  async #reconcile(row: Row, signal: AbortSignal): Promise<void> {
    const { leaseName, start, update } = this.#parts
    const { id } = row
    const work = this.#running.get(id)
    if (work !== undefined) return update?.(work, row)
    if (row.isHeld || this.#stopping.has(id) || signal.aborted) return
    const lease = await this.#leases?.acquire(leaseName(id))
    if (lease === undefined) return
    let started: Work | undefined
    try {
      started = await start(row, lease)
    } finally {
      if (started === undefined) await lease.release()
    }
    if (started === undefined) return
    this.#running.set(id, started)
    // At once, not in the next round: work whose lease another node may have must not continue.
    if (lease.signal.aborted) this.#stop(id)
    else lease.signal.addEventListener('abort', () => this.#stop(id, started), { once: true })
  }

  #stop(id: number, only?: Work): void {
    const { log, what, onStop } = this.#parts
    const work = this.#running.get(id)
    // By now it may run again, under a later lease.
    if (work === undefined || (only !== undefined && only !== work)) return
    this.#running.delete(id)
    onStop?.(id, work)
    const stopping = work
      .stop()
      .catch((error: unknown) => log.warn({ err: error }, `${what}: one did not stop cleanly`))
      .finally(() => {
        this.#stopping.delete(id)
        // Changed work starts again without waiting for the next round.
        this.runSoon()
      })
    this.#stopping.set(id, stopping)
  }
}
