// Entry of the payment runs slice: payables with their next step; runs from the draft to the match with the chain; aging.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Treasury } from '../treasury/index.ts'
import { matchRuns } from './match-runs.ts'
import { bindPayableRoutes } from './payable-routes.ts'
import { remindOverdue } from './remind-overdue.ts'
import { bindRunRoutes } from './run-routes.ts'

export { sumsAt, type AgedSums } from './aging.ts'

export interface PaymentRuns {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Reads what left our wallets and books it to the runs that asked for it, as the job does every five seconds. */
  readTreasury(): Promise<void>
  /** Mails staff about overdue debts when a week has gone by, as the job does each hour. */
  remindOverdue(): Promise<void>
}

/** Builds the slice. */
export function createPaymentRuns(deps: BillingDeps, treasury: Pick<Treasury, 'read'>): PaymentRuns {
  const read = (signal?: AbortSignal) => treasury.read((until) => matchRuns(deps, until), signal)
  return {
    routes: [bindOn(deps, bindPayableRoutes), bindOn(deps, bindRunRoutes)],
    jobs: [
      { name: 'read-treasury', everyMs: 5_000, run: read },
      { name: 'remind-overdue', everyMs: 3_600_000, run: () => remindOverdue(deps) },
    ],
    readTreasury: () => read(),
    remindOverdue: () => remindOverdue(deps),
  }
}
