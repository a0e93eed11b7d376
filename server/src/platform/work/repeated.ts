// Work that goes on for as long as a node lives.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease, Leases } from './leases.ts'

const acquireEveryMs = 1_000

export interface Owned {
  readonly leases: Pick<Leases, 'acquire'>
  readonly name: string
  /** Aborted when the node stops. */
  readonly stopping: AbortSignal
  /** Runs as the owner, and ends when the lease's signal or `stopping` says so. */
  readonly own: (lease: Lease) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/** Asks for the lease every second, works while it is held, and gives it back. Settles once `stopping` is aborted. */
export async function ownWhenFree({ leases, name, stopping, own, onFault }: Owned): Promise<void> {
  while (!stopping.aborted) {
    const lease = await leases.acquire(name).catch((error: unknown) => {
      onFault(error)
      return undefined
    })
    if (lease === undefined) {
      await sleep(acquireEveryMs, undefined, { signal: stopping }).catch(() => undefined)
      continue
    }
    await own(lease)
    await lease.release().catch(onFault)
  }
}

/** Does `work` again and again, never twice at a time; what fails is told, and tried again at the next turn. */
export class Repeated {
  readonly #work: () => Promise<void>
  readonly #everyMs: number
  readonly #onFault: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor(work: () => Promise<void>, everyMs: number, onFault: (error: unknown) => void) {
    this.#work = work
    this.#everyMs = everyMs
    this.#onFault = onFault
  }

  /** Rejects when the first time fails; nothing is repeated then. */
  async start(): Promise<void> {
    await this.#work()
    this.#repeat()
  }

  /** Starts without waiting for the first time, whose fault is told like that of any other. */
  startBehind(): void {
    this.#turn()
    this.#repeat()
  }

  /** Settles when the last turn has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  #repeat(): void {
    this.#timer = setInterval(() => this.#turn(), this.#everyMs)
  }

  #turn(): void {
    this.#running ??= this.#work()
      .catch(this.#onFault)
      .finally(() => (this.#running = undefined))
  }
}
