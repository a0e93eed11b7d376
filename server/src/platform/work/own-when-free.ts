// Work that one node does for as long as it lives, under one lease.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease, Leases } from './leases.ts'

const acquireEveryMs = 1_000

export interface OwnWhenFreeOptions {
  readonly leases: Pick<Leases, 'acquire'>
  readonly name: string
  /** Aborted when the node stops. */
  readonly stopping: AbortSignal
  /** Runs as the owner, and ends when the lease's signal or `stopping` says so. */
  readonly own: (lease: Lease) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/** Tries to get the lease every second, works while this node has it, and releases it. Settles once `stopping` is aborted. */
export async function ownWhenFree({
  leases,
  name,
  stopping,
  own,
  onFault,
}: OwnWhenFreeOptions): Promise<void> {
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
