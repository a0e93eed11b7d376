// Entry of the billing slice: bills, payouts, payments, and the profiles that say where clients are paid to.
import type { CreditUnowned } from '../numbers/index.ts'
import { LedgerChecker } from '../ledger/index.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import type { FoundTroubles } from '@tollgate/contract/trouble.ts'
import { forgetOldKeys } from '../platform/http/idempotency.ts'
import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/work/jobs.ts'
import { bindOn, type BoundRoutes } from '../platform/http/handlers.ts'
import { needsSecondPerson, refuseOwnAccount, type MoneyAct, type Person } from './approval/second-person.ts'
import { bindBooksRoutes } from './books/books-routes.ts'
import { bindJournalRoutes } from './books/journal-routes.ts'
import { bindMarginRoutes } from './books/margin-routes.ts'
import { bindRangeEarningsRoutes } from './books/range-earnings.ts'
import { bindAmendmentRoutes } from './amendment-routes.ts'
import { creditUnownedWith } from './adjustments/backdate.ts'
import { checkPayments } from './payments/check-payments.ts'
import { closeDueCycles, closeLeftOut } from './close/close-cycle.ts'
import { CloseGate } from './close/close-gate.ts'
import { sumLines } from './close/line-sums.ts'
import { MoneyGauges } from './watch/measure-money.ts'
import type { BillingOptions, BillingDeps } from './deps.ts'
import { bindBillingRoutes } from './routes.ts'
import { matchRuns } from './runs/match-runs.ts'
import { bindPayableRoutes } from './runs/payable-routes.ts'
import { bindRunRoutes } from './runs/run-routes.ts'
import { remindOverdue } from './runs/remind-overdue.ts'
import { proveWallet } from './reader/prove-wallet.ts'
import { readTreasury } from './reader/read-treasury.ts'
import { signStatements } from './statement/sign-statements.ts'
import { issuePapers } from './papers/issue-papers.ts'
import { bindPaperRoutes } from './papers/paper-routes.ts'
import { defineBillingSettings } from './settings.ts'
import { findCheck } from './watch/park-store.ts'
import { watchLedger } from './watch/watch-ledger.ts'
import { moneyTroubles } from './trouble/money-troubles.ts'
import { measureTransfers } from './transfers/measure-transfers.ts'
import { bindTransferRoutes } from './transfers/transfer-routes.ts'
import { bindTreasuryRoutes } from './treasury-routes.ts'

export { findPeriod } from './bills/period-views.ts'
export { parsePeriodId } from './rules.ts'
export type { BillingOptions } from './deps.ts'

export { readRangeEarnings } from './books/range-earnings.ts'
export { refuseOwnAccount } from './approval/second-person.ts'
export { transferTopic } from './tron/judge-transfer.ts'
export { verifyFile } from './statement/verify-file.ts'
export { verifyAgainst } from './statement/verify-against.ts'

interface Approval {
  /**
   * Whether somebody else must agree before these acts count; those that need nobody are counted for the person's limit of
   * 24 hours. Throws Refusal forbidden for the person's own account.
   */
  needsSecondPerson(tx: Db, acts: readonly MoneyAct[], person: Person): Promise<boolean>
  /** Throws Refusal forbidden when an account is the person's own, or is paid to an address of the person. */
  refuseOwnAccount(tx: Db, acts: readonly MoneyAct[], person: Person): Promise<void>
}

export interface Billing {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Closes every cycle that is due now, for tests and drills; the job does it each second. */
  closeDueCycles(): Promise<void>
  /** Tries again the accounts that a close left out, as the job does each minute. */
  closeLeftOut(): Promise<void>
  /** Checks the ledger once, as the job does every 20 seconds. */
  watchLedger(): Promise<void>
  /** The result of the newest ledger check by any node; undefined before the first check. */
  ledgerState(): Promise<SmppStatus['ledger']>
  /** Makes and signs the statements that are missing, as the job does every five seconds. */
  signStatements(): Promise<void>
  /** Issues the invoices and credit notes that are due, as the job does every five seconds. */
  issuePapers(): Promise<void>
  /** Looks up on the chain the payments that are due for a check, as the job does each second. */
  checkPayments(): Promise<void>
  /** Reads what left our wallets and books it to the payment runs that asked for it, as the job does every 5 seconds. */
  readTreasury(): Promise<void>
  /** Compares wallet and ledger when it is due, as the job does every 30 seconds. */
  proveWallet(): Promise<void>
  /** Mails staff about overdue debts when a week has gone by, as the job does each hour. */
  remindOverdue(): Promise<void>
  /** Credits what numbers received while nobody held them, for numbers that are assigned from an earlier time. */
  readonly creditUnowned: CreditUnowned
  /** What is wrong with money now, or waits for a person. */
  troubles(): Promise<FoundTroubles>
  /** The rule of two persons, for acts on money outside this slice. */
  readonly approval: Approval
}

/** Builds the slice. */
export function createBilling(options: BillingOptions): Billing {
  const deps: BillingDeps = { ...options, settings: defineBillingSettings(options.settings) }
  const checker = new LedgerChecker(deps.db)
  const gauges = new MoneyGauges(deps.db)
  const gate = new CloseGate(deps)
  return {
    routes: [
      ...bindBillingRoutes.map((bind) => bindOn(deps, bind)),
      bindOn(deps, bindTreasuryRoutes),
      bindOn(deps, bindTransferRoutes),
      bindOn(deps, bindPayableRoutes),
      bindOn(deps, bindRunRoutes),
      bindOn(deps, bindAmendmentRoutes),
      bindOn(deps, bindBooksRoutes),
      bindOn(deps, bindJournalRoutes),
      bindOn(deps, bindMarginRoutes),
      bindOn(deps, bindRangeEarningsRoutes),
      bindOn(deps, bindPaperRoutes),
    ],
    jobs: [
      { name: 'close-cycles', everyMs: 1_000, run: (signal) => closeDueCycles(deps, gate, signal) },
      { name: 'close-left-out', everyMs: 60_000, run: () => closeLeftOut(deps) },
      {
        name: 'sum-lines',
        everyMs: 5_000,
        run: (signal) => sumLines(deps.db, { signal, overload: deps.overload }),
      },
      { name: 'check-payments', everyMs: 1_000, run: () => checkPayments(deps) },
      { name: 'read-treasury', everyMs: 5_000, run: (signal) => readAndMatch(deps, signal) },
      { name: 'prove-wallet', everyMs: 30_000, run: (signal) => proveWallet(deps, signal) },
      { name: 'remind-overdue', everyMs: 3_600_000, run: () => remindOverdue(deps) },
      { name: 'check-ledger', everyMs: 20_000, run: () => watchLedger(deps, checker) },
      { name: 'measure-money', everyMs: 10_000, run: () => gauges.run() },
      { name: 'sign-statements', everyMs: 5_000, run: (signal) => signStatements(deps, signal) },
      { name: 'issue-papers', everyMs: 5_000, run: (signal) => issuePapers(deps, signal) },
      { name: 'forget-idempotency-keys', everyMs: 3_600_000, run: () => forgetOldKeys(deps.db) },
    ],
    closeDueCycles: () => closeDueCycles(deps, gate),
    closeLeftOut: () => closeLeftOut(deps),
    watchLedger: () => watchLedger(deps, checker),
    ledgerState: () => ledgerState(deps.db),
    signStatements: () => signStatements(deps),
    issuePapers: () => issuePapers(deps),
    checkPayments: () => checkPayments(deps),
    readTreasury: () => readAndMatch(deps),
    proveWallet: () => proveWallet(deps),
    remindOverdue: () => remindOverdue(deps),
    creditUnowned: creditUnownedWith(deps),
    troubles: () => moneyTroubles(deps),
    approval: {
      needsSecondPerson: (tx, acts, person) => needsSecondPerson(tx, deps, acts, person),
      refuseOwnAccount,
    },
  }
}

async function readAndMatch(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  await readTreasury(deps, signal)
  await matchRuns(deps, signal)
  await measureTransfers(deps)
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
