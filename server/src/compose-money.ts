// Builds billing and the slices of money beside it.
import { createAdjustments, type Adjustments } from './adjustments/index.ts'
import { billedDebts, createAmendments, withholdAboveTerms } from './amendments/index.ts'
import { createBilling, type Billing, type BillingDeps, type BillingOptions } from './billing/index.ts'
import { createBooks } from './books/index.ts'
import type { BilledDebts } from './integrity/index.ts'
import { createInvoices, type Invoices } from './invoices/index.ts'
import { createPaymentRuns, type PaymentRuns } from './payment-runs/index.ts'
import { createStatements, type Statements } from './statements/index.ts'
import { createTreasury, type Treasury } from './treasury/index.ts'

/** Routes, jobs, and each job's work by its name, for tests and drills. */
export type Money = Omit<Billing, 'deps'> &
  Adjustments &
  Statements &
  Invoices &
  PaymentRuns &
  Pick<Treasury, 'proveWallet' | 'alerts'> & {
    /** What holds take off bills and payouts. */
    readonly debts: BilledDebts
  }

export function composeMoney(options: BillingOptions): Money {
  const billing = createBilling({
    ...options,
    onBilled: (tx, cycleId, span) => withholdAboveTerms(tx, deps, cycleId, span),
  })
  const deps: BillingDeps = billing.deps
  const adjustments = createAdjustments(deps)
  const amendments = createAmendments(deps)
  const statements = createStatements(deps)
  const invoices = createInvoices(deps, options.settings)
  const treasury = createTreasury(deps)
  const runs = createPaymentRuns(deps, treasury)
  const books = createBooks(deps)
  return {
    ...billing,
    debts: billedDebts(deps),
    ...adjustments,
    ...statements,
    ...invoices,
    ...treasury,
    ...runs,
    routes: [billing, adjustments, amendments, statements, invoices, treasury, runs, books].flatMap(
      ({ routes }) => routes,
    ),
    jobs: [billing, statements, invoices, treasury, runs].flatMap(({ jobs }) => jobs),
  }
}
