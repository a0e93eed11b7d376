// A worker of which one node at a time runs one: it works in turns while this node has the lease.
import type { Lease, Leases } from './leases.ts'
import { ownWhenFree } from './own-when-free.ts'
import type { Recurring } from './recurring.ts'

export interface LeasedWorkerOptions {
  readonly leases: Pick<Leases, 'acquire'>
  /** The name of the lease. */
  readonly name: string
  readonly onFault: (error: unknown) => void
}

export abstract class LeasedWorker {
  readonly #owning: Recurring
  /** The turns of this node, while it has the lease. */
  #turns: Recurring | undefined

  constructor({ leases, name, onFault }: LeasedWorkerOptions) {
    this.#owning = ownWhenFree({ leases, name, own: (lease, signal) => this.own(lease, signal), onFault })
  }

  start(): void {
    this.#owning.start()
  }

  /** There may be work now: the next turn begins at once. */
  wake(): void {
    this.#turns?.runSoon()
  }

  /** Aborts what is under way; the next owner continues. */
  stop(): Promise<void> {
    return this.#owning.stop()
  }

  /** Runs as the owner, and ends when `signal` is aborted: the lease is lost or the node stops. */
  protected abstract own(lease: Lease, signal: AbortSignal): Promise<void>

  /** Runs these turns until `signal` is aborted. */
  protected async runTurns(turns: Recurring, signal: AbortSignal): Promise<void> {
    this.#turns = turns
    await turns.runUntil(signal)
    this.#turns = undefined
  }
}
