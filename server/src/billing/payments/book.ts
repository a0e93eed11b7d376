// Books what arrived, never what was asked for. Each function posts one ledger transaction and changes the debt with it.
// The caller has locked the debt.
//
//   received          billed ─► paid, and beyond the debt payout_clearing ─► paid, until a person decides
//   surplus credited  credit ─► payout_clearing       surplus given up   adjustment ─► payout_clearing
//   rest waived       billed ─► adjustment
import { sql } from 'kysely'
import { settlementCode, type LedgerLine } from '../../ledger/index.ts'
import type { Db } from '../../platform/db.ts'
import { mailPaidBill, mailPaidPayout } from '../mails/mail-bills.ts'
import type { BillingDeps } from '../deps.ts'
import { announceChange, announcePayment } from '../events/announce.ts'
import {
  changeDebt,
  isSettled,
  lockDebt,
  setDebtState,
  type DebtId,
  type DebtRow,
} from '../debts/debt-store.ts'
import { confirmUnderpaid, hasSurplus, setReceived } from './payment-store.ts'
import { bookParts, releaseParts, type TransferPart } from './transfer-store.ts'

/** What booking works with. */
export type BookingDeps = Pick<BillingDeps, 'announce' | 'audit' | 'clock' | 'consoleUrl' | 'ledger' | 'mail'>

/** What an entry in the ledger is about. */
export interface Booking {
  readonly debtId: DebtId
  readonly debt: DebtRow
  readonly paymentId: string
  /** Undefined: the gateway itself. */
  readonly actorId?: number | undefined
  readonly reason?: string
}

/** Books what a payment brought: `receivedMicro`, as the parts of transfers say, or as a person says without any. */
export async function bookReceived(
  tx: Db,
  deps: BookingDeps,
  booking: Booking & { readonly receivedMicro: bigint; readonly parts: readonly TransferPart[] },
): Promise<void> {
  const { debtId, debt, paymentId, receivedMicro, parts } = booking
  const dueMicro = BigInt(debt.due_micro)
  const appliedMicro = receivedMicro < dueMicro ? receivedMicro : dueMicro
  await bookParts(tx, paymentId, parts)
  await setReceived(tx, paymentId, receivedMicro)
  await changeDebt(tx, debtId, { receivedMicro })
  await post(tx, deps, booking, 'payment', [
    ['billed', -appliedMicro],
    ['payout_clearing', appliedMicro - receivedMicro],
    ['paid', receivedMicro],
  ])
}

/** Takes a booking back, because the transfer was meant for something else. */
export async function takeBack(
  tx: Db,
  deps: BookingDeps,
  booking: Booking & { readonly receivedMicro: bigint },
): Promise<void> {
  const { debtId, debt, paymentId, receivedMicro } = booking
  if (receivedMicro === 0n) return
  await releaseParts(tx, paymentId)
  await setReceived(tx, paymentId, 0n)
  await changeDebt(tx, debtId, { receivedMicro: -receivedMicro })
  const dueMicro = BigInt((await lockDebt(tx, debtId))?.due_micro ?? 0)
  const appliedMicro = dueMicro - BigInt(debt.due_micro)
  await post(tx, deps, booking, 'payment', [
    ['billed', appliedMicro],
    ['payout_clearing', receivedMicro - appliedMicro],
    ['paid', -receivedMicro],
  ])
}

/** The client gives up what is still due. */
export async function waiveRest(tx: Db, deps: BookingDeps, booking: Booking): Promise<void> {
  const restMicro = BigInt(booking.debt.due_micro)
  await changeDebt(tx, booking.debtId, { reducedMicro: restMicro })
  await post(tx, deps, booking, 'waiver', [
    ['billed', -restMicro],
    ['adjustment', restMicro],
  ])
}

/** The platform gives up what it paid beyond the debt. */
export async function waiveSurplus(
  tx: Db,
  deps: BookingDeps,
  booking: Booking,
  surplusMicro: bigint,
): Promise<void> {
  await changeDebt(tx, booking.debtId, { excessMicro: surplusMicro })
  await post(tx, deps, booking, 'waiver', [
    ['adjustment', -surplusMicro],
    ['payout_clearing', surplusMicro],
  ])
}

/** What was paid beyond the debt becomes the client's credit, which is set off against later debts. */
export async function creditSurplus(
  tx: Db,
  deps: BookingDeps,
  booking: Booking,
  surplusMicro: bigint,
): Promise<void> {
  await changeDebt(tx, booking.debtId, { excessMicro: surplusMicro })
  await tx
    .insertInto('client_credits')
    .values({ user_id: booking.debt.user_id, amount_micro: surplusMicro })
    .onConflict((oc) =>
      oc
        .column('user_id')
        .doUpdateSet({ amount_micro: sql<string>`client_credits.amount_micro + excluded.amount_micro` }),
    )
    .execute()
  await post(tx, deps, booking, 'credit', [
    ['credit', -surplusMicro],
    ['payout_clearing', surplusMicro],
  ])
}

/**
 * Sets the state of the debt that follows from what is due, and its newest payment. Once nothing is due and no surplus
 * waits for a decision, it is paid for good, and the client gets a mail.
 */
export async function updateDebtState(
  tx: Db,
  deps: BookingDeps,
  { debtId, paymentId, isFailed = false }: { debtId: DebtId; paymentId: string; isFailed?: boolean },
): Promise<void> {
  const debt = await lockDebt(tx, debtId)
  if (debt === undefined || isSettled(debt)) return
  const isDecisionOpen = await hasSurplus(tx, debtId)
  const isPaid = debt.due_micro === '0' && !isDecisionOpen
  await setDebtState(tx, debtId, {
    paymentId,
    isFailed: isFailed || isDecisionOpen,
    settledAt: isPaid ? deps.clock.now() : null,
  })
  await announceChange(tx, deps, debtId)
  if (!isPaid) return
  await confirmUnderpaid(tx, debtId)
  await announcePayment(tx, deps, paymentId)
  if (debtId.kind === 'period') await mailPaidBill(tx, deps, paymentId)
  else await mailPaidPayout(tx, deps, debt.user_id, paymentId)
}

const platformAccounts: ReadonlySet<LedgerLine['account']> = new Set(['payout_clearing', 'adjustment'])

async function post(
  tx: Db,
  { ledger }: BookingDeps,
  { debtId, debt, paymentId, actorId, reason }: Booking,
  kind: 'payment' | 'waiver' | 'credit',
  amounts: readonly (readonly [LedgerLine['account'], bigint])[],
): Promise<void> {
  const lines = amounts
    .filter(([, amountMicro]) => amountMicro !== 0n)
    .map(([account, amountMicro]): LedgerLine => ({
      cycleId: debt.cycle_id,
      userId: platformAccounts.has(account) ? null : debt.user_id,
      account,
      amountMicro,
      settlement: settlementCode(debtId.kind === 'period' ? 'bill' : 'payout'),
      kind,
      reference: paymentId,
      ...(actorId === undefined ? {} : { actorId }),
      ...(reason === undefined ? {} : { reason }),
    }))
  if (lines.length > 0) await ledger.post(tx, lines)
}
