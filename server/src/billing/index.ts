// Front door of the billing slice: bills, payouts, payments and where they are paid to.
import { LedgerChecker } from '../ledger/index.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { Overload } from '../platform/load/overload.ts'
import { forgetOldKeys } from '../platform/http/idempotency.ts'
import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/work/jobs.ts'
import { bindOn, type BoundRoutes } from '../platform/http/handlers.ts'
import { checkPayments } from './check-payments.ts'
import { closeDueCycles } from './close-cycle.ts'
import { sumLines } from './line-sums.ts'
import { MoneyGauges } from './measure-money.ts'
import type { BillingDeps, BillingParts } from './parts.ts'
import { bindBillingRoutes } from './routes.ts'
import { sealStatements } from './statement/seal.ts'
import { defineBillingSettings } from './settings.ts'
import { findCheck } from './park-store.ts'
import { watchLedger } from './watch-ledger.ts'
import { bindTreasuryRoutes } from './treasury-routes.ts'

export type { BillingDeps } from './parts.ts'
export { addressBytes, toAddress } from './address.ts'
export { transferTopic } from './judge-transfer.ts'
export { verifyFile } from './statement/verify-file.ts'
export { verifyAgainst } from './statement/verify-against.ts'

export interface Billing {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Closes every cycle that is due now, for tests and drills; the job does it each second. */
  closeDueCycles(): Promise<void>
  /** Checks the ledger once, as the job does every 20 seconds. */
  watchLedger(): Promise<void>
  /** What the last check found, on whatever node; undefined before the first. */
  ledgerState(): Promise<SmppStatus['ledger']>
  /** Makes the statements that are missing, as the job does every five seconds. */
  sealStatements(): Promise<void>
  /** Looks up the payments that are due, as the job does each second. */
  checkPayments(): Promise<void>
  /** Millionths of a USDT above which a second person must approve. */
  secondPersonAboveMicro(db: Db): Promise<bigint>
}

/** Builds the slice. */
export function createBilling(deps: BillingDeps): Billing {
  const checker = new LedgerChecker(deps.db)
  const gauges = new MoneyGauges(deps.db)
  const overload = new Overload({ isBusy: deps.isBusy ?? (() => false) })
  const parts: BillingParts = { ...deps, settings: defineBillingSettings(deps.settings) }
  return {
    routes: [bindOn(parts, bindBillingRoutes), bindOn(parts, bindTreasuryRoutes)],
    jobs: [
      { name: 'close-cycles', everyMs: 1_000, run: (signal) => closeDueCycles(parts, signal) },
      { name: 'sum-lines', everyMs: 5_000, run: (signal) => sumLines(parts.db, { signal, overload }) },
      { name: 'check-payments', everyMs: 1_000, run: () => checkPayments(parts) },
      { name: 'check-ledger', everyMs: 20_000, run: () => watchLedger(parts, checker) },
      { name: 'measure-money', everyMs: 10_000, run: () => gauges.run() },
      { name: 'seal-statements', everyMs: 5_000, run: (signal) => sealStatements(parts, signal) },
      { name: 'forget-idempotency-keys', everyMs: 3_600_000, run: () => forgetOldKeys(parts.db) },
    ],
    closeDueCycles: () => closeDueCycles(parts),
    watchLedger: () => watchLedger(parts, checker),
    ledgerState: () => ledgerState(parts.db),
    sealStatements: () => sealStatements(parts),
    checkPayments: () => checkPayments(parts),
    secondPersonAboveMicro: (db) => parts.settings.secondPersonAboveMicro.get(db),
  }
}

async function ledgerState(db: Db): Promise<SmppStatus['ledger']> {
  const found = await findCheck(db)
  return (
    found && {
      balanced: found.imbalance_micro === '0' && found.parked_count === 0,
      imbalance: formatMicro(BigInt(found.imbalance_micro), 2),
      parkedCount: found.parked_count,
      checkedAt: found.checked_at.toISOString(),
    }
  )
}
