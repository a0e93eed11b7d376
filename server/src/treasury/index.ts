// Entry of the treasury slice: what left our wallets on chain, what people say of it, and the proof that wallet and ledger
// agree.
import type { FoundAlerts } from '@tollgate/contract/alerts/alerts.ts'
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { moneyAlerts } from './alerts/money-alerts.ts'
import { proveWallet } from './reader/prove-wallet.ts'
import { readTreasury } from './reader/read-treasury.ts'
import { measureTransfers } from './transfers/measure-transfers.ts'
import { bindTransferRoutes } from './transfers/transfer-routes.ts'

export { addNamed, removeNamed } from './reader/reader-store.ts'
export { partsOf } from './transfers/parts.ts'
export { isDecided } from './reader/transfer-conditions.ts'

export interface Treasury {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Reads what left our wallets. `book` books what was read to whoever asked for it. */
  read(book: (signal?: AbortSignal) => Promise<void>, signal?: AbortSignal): Promise<void>
  /** Compares wallet and ledger when it is due, as the job does every 30 seconds. */
  proveWallet(): Promise<void>
  /** What is wrong with money now, or waits for a person. */
  alerts(): Promise<FoundAlerts>
}

/** Builds the slice. */
export function createTreasury(deps: BillingDeps): Treasury {
  return {
    routes: [bindOn(deps, bindTransferRoutes)],
    jobs: [{ name: 'prove-wallet', everyMs: 30_000, run: (signal) => proveWallet(deps, signal) }],
    async read(book, signal) {
      await readTreasury(deps, signal)
      await book(signal)
      await measureTransfers(deps)
    },
    proveWallet: () => proveWallet(deps),
    alerts: () => moneyAlerts(deps),
  }
}
