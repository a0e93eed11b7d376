// Work that one node does for as long as it lives, under one lease.
import type { Lease, Leases } from './leases.ts'
import { Recurring } from './recurring.ts'

const acquireEveryMs = 1_000

export interface OwnWhenFreeOptions {
  readonly leases: Pick<Leases, 'acquire'>
  readonly name: string
  /** Runs as the owner, and ends when `signal` is aborted: the lease is lost or the node stops. */
  readonly own: (lease: Lease, signal: AbortSignal) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/** Tries to get the lease every second, works while this node has it, and releases it. The caller starts and stops it. */
export function ownWhenFree({ leases, name, own, onFault }: OwnWhenFreeOptions): Recurring {
  return new Recurring({
    everyMs: acquireEveryMs,
    onFault,
    async run(stopping) {
      const lease = await leases.acquire(name)
      if (lease === undefined) return undefined
      try {
        await own(lease, AbortSignal.any([lease.signal, stopping]))
      } finally {
        await lease.release().catch(onFault)
      }
      return { pauseMs: 0 }
    },
  })
}
