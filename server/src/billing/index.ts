// Entry of the billing slice: bills, payouts, payments, and the profiles that say where clients are paid to.
import { LedgerChecker } from '../ledger/index.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { forgetOldKeys } from '../http/idempotency.ts'
import type { Db } from '../platform/db.ts'
import type { Job } from '../platform/work/jobs.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import { needsSecondPerson, refuseOwnAccount, type MoneyAct, type Person } from './approval/second-person.ts'
import { bindCloseRoutes } from './close-routes.ts'
import { checkPayments } from './payments/check-payments.ts'
import { closeDueCycles, closeLeftOut } from './close/close-cycle.ts'
import { CloseGate } from './close/close-gate.ts'
import { releaseReserves } from './close/reserves.ts'
import { sumLines } from './close/line-sums.ts'
import { MoneyGauges } from './watch/measure-money.ts'
import type { BillingOptions, BillingDeps } from './deps.ts'
import { bindBillingRoutes } from './routes.ts'
import { defineBillingSettings } from './settings.ts'
import { findCheck } from './watch/park-store.ts'
import { watchLedger } from './watch/watch-ledger.ts'

export { findPeriod } from './bills/period-views.ts'
export {
  inExportedRun,
  setAddress,
  setPaid,
  setPayoutCompleted,
  setVoid,
  setWithheld,
  type BillId,
} from './bills/amend-bill.ts'
export { parsePeriodId, recordsUrl } from './rules.ts'
export type { BillingOptions } from './deps.ts'
export { refuseOwnAccount } from './approval/second-person.ts'
export { unbilledCycleOf } from './close/left-out.ts'
export {
  checkSecondPerson,
  needsSecondPerson,
  refuseOwnAddress,
  type MoneyAct,
} from './approval/second-person.ts'
export type { BillingDeps } from './deps.ts'
export { userExists, insertPayment, wakeChecks, livePayments, lockHash } from './payments/payment-store.ts'
export { correctionUrl, parseReference, type AccountSpan } from './rules.ts'
export { announceChange } from './events/announce.ts'
export { mailAmendment } from './mails/mail-amendments.ts'
export {
  lockDebt,
  changeDebt,
  isUnderWay,
  lockDebts,
  underWay,
  type DebtRow,
  type DebtId,
} from './debts/debt-store.ts'
export { debtsWithState, stepAt } from './debts/next-step.ts'
export { addressInForce, findPaymentProfile } from './profile/profile-store.ts'
export { refusedAddress } from './profile/refused-address.ts'
export { listLines } from './bills/bill-lines.ts'
export { noMessages } from './bills/adjustment-lines.ts'
export { setOffCredit } from './debts/set-off.ts'
export { findLookAlikes, type LookAlike } from './profile/address-check.ts'
export { bookReceived, updateDebtState } from './payments/book.ts'
export { usedHash } from './payments/shared-hash.ts'
export { bookTransfer, type DebtPart } from './payments/book-transfer.ts'
export { debtColumns } from './debts/reply-fields.ts'
export { keptReserves } from './close/reserves.ts'
export { isLeftOutOfBill } from './close/insert-bills.ts'
export { holdSigning, setInvoices, setSigned, unsetInvoices } from './close/store.ts'
export { findWait } from './close/gate-store.ts'
export { listParks } from './watch/park-store.ts'
export { noteTransfers, lockTransfer, type SeenTransfer } from './payments/transfer-store.ts'

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
  /** What the slices beside this one are built from. */
  readonly deps: BillingDeps
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /** Closes every cycle that is due now, for tests and drills; the job does it each second. */
  closeDueCycles(): Promise<void>
  /** Tries again the accounts that a close left out, as the job does each minute. */
  closeLeftOut(): Promise<void>
  /** Releases the reserves whose time has come, as the job does each minute. */
  releaseReserves(): Promise<void>
  /** Checks the ledger once, as the job does every 20 seconds. */
  watchLedger(): Promise<void>
  /** The result of the newest ledger check by any node; undefined before the first check. */
  ledgerState(): Promise<SmppStatus['ledger']>
  /** Looks up on the chain the payments that are due for a check, as the job does each second. */
  checkPayments(): Promise<void>
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
    deps,
    routes: [...bindBillingRoutes.map((bind) => bindOn(deps, bind)), bindOn(deps, bindCloseRoutes)],
    jobs: [
      { name: 'close-cycles', everyMs: 1_000, run: (signal) => closeDueCycles(deps, gate, signal) },
      { name: 'release-reserves', everyMs: 60_000, run: (signal) => releaseReserves(deps, signal) },
      { name: 'close-left-out', everyMs: 60_000, run: () => closeLeftOut(deps) },
      {
        name: 'sum-lines',
        everyMs: 5_000,
        run: (signal) => sumLines(deps.db, { signal, overload: deps.overload }),
      },
      { name: 'check-payments', everyMs: 1_000, run: () => checkPayments(deps) },
      { name: 'check-ledger', everyMs: 20_000, run: () => watchLedger(deps, checker) },
      { name: 'measure-money', everyMs: 10_000, run: () => gauges.run() },
      { name: 'forget-idempotency-keys', everyMs: 3_600_000, run: () => forgetOldKeys(deps.db) },
    ],
    closeDueCycles: () => closeDueCycles(deps, gate),
    closeLeftOut: () => closeLeftOut(deps),
    releaseReserves: () => releaseReserves(deps),
    watchLedger: () => watchLedger(deps, checker),
    ledgerState: () => ledgerState(deps.db),
    checkPayments: () => checkPayments(deps),
    approval: {
      needsSecondPerson: (tx, acts, person) => needsSecondPerson(tx, deps, acts, person),
      refuseOwnAccount,
    },
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
