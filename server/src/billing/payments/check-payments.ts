// Checks payments against the chain, again and again until there is a clear answer.
import { transaction } from '../../platform/transaction.ts'
import { systemActor } from '../../audit/index.ts'
import { judgeTransfer, type Verdict } from '../tron/judge-transfer.ts'
import { settle } from './pay.ts'
import { expectedTransfer } from './shared-hash.ts'
import type { BillingDeps, TronSettings } from '../deps.ts'
import {
  changePayment,
  claimTransfers,
  duePayments,
  findPayment,
  livePayments,
  lockOwed,
  lockHash,
  postponeCheck,
  type PaymentRow,
  type PaymentTarget,
} from './payment-store.ts'
import { findReceipt, findUnsettledBlock, type TransactionReceipt } from '../tron/tron-node.ts'

// API contract, Money: checked again within 5 s, then at most every 10 s.
const firstPauseMs = 3_000
const pauseMs = 7_000
const askPersonAfterMs = 86_400_000
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
  const payment = await findPayment(db, id)
  if (payment?.transaction_hash == null) return
  const target: PaymentTarget =
    payment.payout_id === null
      ? { kind: 'period', cycleId: payment.cycle_id ?? 0, userId: payment.user_id }
      : { kind: 'payout', id: payment.payout_id }
  const receipt = await findReceipt(egress, tron, payment.transaction_hash)
  const verdict = receipt && (await settleByReceipt(deps, tron, { payment, target, receipt }))
  if (verdict !== undefined && verdict.verification !== 'confirming') return
  const isFirst = payment.check_count === 0
  const note = verdict?.note ?? (isFirst ? '' : await progressNote(deps, tron, payment))
  await postponeCheck(db, id, new Date(clock.now().getTime() + (isFirst ? firstPauseMs : pauseMs)), note)
}

/** For the person who waits: whether the network has seen the transfer at all. */
async function progressNote(
  { egress, clock }: BillingDeps,
  tron: TronSettings,
  payment: PaymentRow,
): Promise<string> {
  const block = await findUnsettledBlock(egress, tron, payment.transaction_hash ?? '')
  if (block !== undefined) return `Seen on chain in block ${block}; waiting until it cannot be undone.`
  return clock.now().getTime() - payment.created_at.getTime() > askPersonAfterMs
    ? 'Not found for 24 hours. Check the hash, and reject the payment if it is wrong.'
    : 'Not seen on chain yet.'
}

interface FoundPayment {
  readonly payment: PaymentRow
  readonly target: PaymentTarget
  readonly receipt: TransactionReceipt
}

/** Judges the transaction and writes the verdict, unless it is not clear yet or the bill has another payment by now. */
async function settleByReceipt(
  deps: BillingDeps,
  tron: TronSettings,
  { payment, target, receipt }: FoundPayment,
): Promise<Verdict> {
  return transaction(deps.db, async (tx) => {
    const owed = await lockOwed(tx, target)
    const hash = payment.transaction_hash ?? ''
    await lockHash(tx, hash)
    const others = (await livePayments(tx, [hash])).filter(({ id }) => id !== payment.id)
    const [address, amountMicro] = [payment.usdt_address, BigInt(payment.amount_micro)]
    const expected = await expectedTransfer(tx, deps, tron, { hash, target, address, amountMicro }, others)
    const verdict = judgeTransfer(receipt, expected)
    if (verdict.verification === 'confirming' || owed?.payment_id !== payment.id) return verdict
    const isPaid = verdict.verification === 'verified'
    const isChanged = await changePayment(tx, payment.id, {
      status: isPaid ? 'confirmed' : verdict.verification === 'rejected' ? 'failed' : 'pending',
      verification: verdict.verification,
      note: verdict.note,
      processedBy: null,
      nextCheckAt: null,
    })
    if (!isChanged) return verdict
    if (verdict.verification !== 'rejected')
      await claimTransfers(tx, tron.usdtContract, hash, verdict.logIndexes, payment.id)
    await settle(tx, deps, {
      target,
      owed,
      paymentId: payment.id,
      isPaid,
      isBad: !isPaid,
      now: deps.clock.now(),
    })
    await deps.audit.record(tx, {
      actor: systemActor,
      ip: '',
      action: 'payment.check',
      objectType: 'payment',
      objectId: payment.id,
      after: { transactionHash: hash, verification: verdict.verification, note: verdict.note },
    })
    return verdict
  })
}
