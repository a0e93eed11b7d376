// Checks payments against the chain, again and again until there is a clear answer.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { systemActor } from '../../audit/index.ts'
import { toAddress } from '../../rates/index.ts'
import {
  judgeTransfer,
  type Verdict,
  findReceipt,
  findUnsettledBlock,
  lookUp,
  type TransactionReceipt,
} from '../../tron/index.ts'
import { bookReceived, updateDebtState } from './book.ts'
import { lockDebt, type DebtId, type DebtRow } from '../debts/debt-store.ts'
import { expectedTransfer } from './shared-hash.ts'
import type { BillingDeps } from '../deps.ts'
import type { TronSettings } from '../../tron/index.ts'
import {
  changePayment,
  debtOf,
  duePayments,
  endWatch,
  findPaymentRow,
  livePayments,
  lockHash,
  postponeCheck,
  type PaymentRow,
} from './payment-store.ts'
import { noteTransfers, type TransferPart } from './transfer-store.ts'
import { settleUnallocated } from './unallocated-payment.ts'
import { findPark } from '../watch/park-store.ts'

// API specification, Money: checked again within 5 s, then at most every 10 s.
const firstPauseMs = 3_000
const pauseMs = 7_000
// For a hash that was replaced.
const watchPauseMs = 60_000
const askPersonAfterMs = 86_400_000
// A transaction that no block took expires within a day. The rest is for nodes that lag.
const watchMs = 7 * 86_400_000
const checksAtOnce = 20

/** Checks the payments that are due. May run twice at once: the result is written by compare-and-set. */
export async function checkPayments(deps: BillingDeps): Promise<void> {
  const { db, clock, tron } = deps
  if (tron === undefined) return
  const due = await duePayments(db, clock.now(), checksAtOnce)
  await Promise.all(due.map(({ id }) => checkOne(deps, tron, id)))
}

async function checkOne(deps: BillingDeps, tron: TronSettings, id: string): Promise<void> {
  const { db, egress, clock } = deps
  const payment = await findPaymentRow(db, id)
  if (payment?.transaction_hash == null) return
  const debtId = debtOf(payment)
  const receipt = await findReceipt(egress, tron, payment.transaction_hash)
  const verdict = receipt && (await bookByReceipt(deps, tron, { id, debtId, receipt }))
  if (verdict !== undefined && verdict.verification !== 'confirming') return
  if (verdict === undefined && (await hasEndedWatch(deps, tron, payment))) return
  const isFirst = payment.check_count === 0
  const note = verdict?.note ?? (isFirst ? '' : await progressNote(deps, tron, payment))
  const isWatched = payment.replaced_with !== null || createdBefore(payment, clock, watchMs)
  const laterMs = isWatched ? watchPauseMs : pauseMs
  await postponeCheck(db, id, new Date(clock.now().getTime() + (isFirst ? firstPauseMs : laterMs)), note)
}

const createdBefore = ({ created_at: at }: PaymentRow, clock: BillingDeps['clock'], ageMs: number): boolean =>
  clock.now().getTime() - at.getTime() > ageMs

/**
 * Ends the checks of an old payment when nothing depends on it any more and no node knows its transaction. Returns
 * whether it has ended them.
 */
async function hasEndedWatch(
  { db, egress, clock }: BillingDeps,
  tron: TronSettings,
  payment: PaymentRow,
): Promise<boolean> {
  if (!createdBefore(payment, clock, watchMs)) return false
  const lookup = await lookUp(egress, tron, payment.transaction_hash ?? '')
  return lookup === 'unknown' && endWatch(db, payment.id, new Date(clock.now().getTime() - watchMs))
}

/** For the person who waits: whether the network has seen the transfer at all. */
async function progressNote(
  { egress, clock }: BillingDeps,
  tron: TronSettings,
  payment: PaymentRow,
): Promise<string> {
  const block = await findUnsettledBlock(egress, tron, payment.transaction_hash ?? '')
  if (block !== undefined)
    return keptText('Seen on chain in block {block}; waiting until it cannot be undone.', {
      block: String(block),
    })
  if (payment.replaced_with !== null) return 'Its hash was replaced. It is still looked up.'
  return createdBefore(payment, clock, askPersonAfterMs)
    ? 'Not found for 24 hours. Check the hash, and reject the payment if it is wrong.'
    : 'Not seen on chain yet.'
}

interface FoundPayment {
  readonly id: string
  /** Undefined for a payment outside the bills. */
  readonly debtId: DebtId | undefined
  readonly receipt: TransactionReceipt
}

/** Judges the transaction, and books what it brought. Undefined when the payment needs no check any more. */
async function bookByReceipt(
  deps: BillingDeps,
  tron: TronSettings,
  { id, debtId, receipt }: FoundPayment,
): Promise<Verdict | undefined> {
  return transaction(deps.db, async (tx) => {
    const debt = debtId && (await lockDebt(tx, debtId))
    await lockHash(tx, receipt.id)
    const payment = await findPaymentRow(tx, id)
    if (payment?.status !== 'pending' || payment.verification !== 'confirming') return
    const others = (await livePayments(tx, [receipt.id])).filter((other) => other.id !== id)
    const expected = await expectedTransfer(
      tx,
      deps,
      tron,
      {
        hash: receipt.id,
        debtId,
        address: payment.usdt_address,
        amountMicro: BigInt(payment.amount_micro),
        dueMicro: BigInt(debt?.due_micro ?? payment.amount_micro),
      },
      others,
    )
    const verdict = judgeTransfer(receipt, expected)
    if (verdict.verification === 'confirming') return verdict
    if (debtId === undefined && (await waitsParked(tx, payment, verdict)))
      return { verification: 'confirming', note: parkedNote, transfers: [] }
    const parts = await partsOf(tx, deps, tron, receipt, verdict)
    if (debtId === undefined || debt === undefined)
      await settleUnallocated(tx, deps, { payment, verdict, parts })
    else await writeVerdict(tx, deps, { debtId, debt, payment, verdict, parts })
    return verdict
  })
}

const parkedNote = 'Its transfer was found. It counts once payments to this account are no longer stopped.'

/** An unallocated payment would be posted to an account that is paid nothing until its ledger balances. */
async function waitsParked(
  tx: Db,
  { user_id: userId }: PaymentRow,
  { verification }: Verdict,
): Promise<boolean> {
  const isFound = verification === 'verified' || verification === 'unverified'
  return isFound && (await findPark(tx, userId)) !== undefined
}

/** Stores the transfers that pay. Each becomes one part of the payment, with its whole amount. */
async function partsOf(
  tx: Db,
  { clock }: BillingDeps,
  tron: TronSettings,
  receipt: TransactionReceipt,
  { transfers }: Verdict,
): Promise<TransferPart[]> {
  if (transfers.length === 0) return []
  const seen = {
    network: tron.usdtContract,
    txid: receipt.id,
    blockAt: new Date(receipt.blockTimeStamp),
    isFinal: true,
    seenAt: clock.now(),
  }
  const noted = await noteTransfers(
    tx,
    seen,
    transfers.map((transfer) => ({
      ...transfer,
      from: toAddress(transfer.from),
      to: toAddress(transfer.to),
    })),
  )
  return noted.map((transfer) => ({ transferId: transfer.id, amountMicro: BigInt(transfer.amount_micro) }))
}

interface JudgedPayment {
  readonly debtId: DebtId
  readonly debt: DebtRow
  readonly payment: PaymentRow
  readonly verdict: Verdict
  readonly parts: readonly TransferPart[]
}

async function writeVerdict(tx: Db, deps: BillingDeps, judged: JudgedPayment): Promise<void> {
  const { debtId, debt, payment, verdict, parts } = judged
  const { verification, note } = verdict
  const isBad = verification === 'underpaid' || verification === 'overpaid'
  await changePayment(tx, payment.id, {
    status: verification === 'rejected' ? 'failed' : isBad ? 'pending' : 'confirmed',
    verification,
    note,
    processedBy: null,
    nextCheckAt: null,
  })
  const receivedMicro = parts.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
  if (receivedMicro > 0n)
    await bookReceived(tx, deps, { debtId, debt, paymentId: payment.id, receivedMicro, parts })
  // The newest payment stays what the bill shows, also when an older one is found late; but not a hash that was taken for
  // a mistyped one, and was right.
  const isShown = debt.payment_id === payment.id || (payment.replaced_with !== null && receivedMicro > 0n)
  const isFailed = isShown && (isBad || verification === 'rejected')
  const paymentId = isShown ? payment.id : (debt.payment_id ?? payment.id)
  await updateDebtState(tx, deps, { debtId, paymentId, isFailed })
  await deps.audit.record(tx, {
    actor: systemActor,
    ip: '',
    action: 'payment.check',
    objectType: 'payment',
    objectId: payment.id,
    after: {
      transactionHash: payment.transaction_hash ?? '',
      verification,
      note,
      received: formatMicro(receivedMicro, 2),
    },
  })
}
