// Looks up payments that wait for the chain, again and again until there is a clear answer.
import { transaction } from '../platform/transaction.ts'
import { systemActor } from '../audit/index.ts'
import { judgeTransfer, type Verdict } from './judge-transfer.ts'
import { settle } from './pay.ts'
import { expectedOf } from './share-hash.ts'
import type { BillingParts, TronSettings } from './parts.ts'
import {
  changePayment,
  claimTransfers,
  duePayments,
  findPayment,
  livePayments,
  lockDebt,
  lockHash,
  postponeCheck,
  type PaymentRow,
  type Target,
} from './payment-store.ts'
import { findReceipt, findUnsettledBlock, type TransactionReceipt } from './tron-node.ts'

// Outside contract, Money: looked at again within 5 s, then at most every 10 s.
const firstPauseMs = 3_000
const pauseMs = 7_000
const askPersonAfterMs = 86_400_000
const atOnce = 20

/** Checks the payments that are due. Harmless when run twice: the result is written compare-and-set. */
export async function checkPayments(parts: BillingParts): Promise<void> {
  const { db, clock, tron } = parts
  if (tron === undefined) return
  const due = await duePayments(db, clock.now(), atOnce)
  await Promise.all(due.map(({ id }) => checkOne(parts, tron, id)))
}

async function checkOne(parts: BillingParts, tron: TronSettings, id: string): Promise<void> {
  const { db, egress, clock } = parts
  const payment = await findPayment(db, id)
  if (payment?.transaction_hash == null) return
  const target: Target =
    payment.payout_id === null
      ? { kind: 'period', cycleId: payment.cycle_id ?? 0, userId: payment.user_id }
      : { kind: 'payout', id: payment.payout_id }
  const receipt = await findReceipt(egress, tron, payment.transaction_hash)
  const verdict = receipt && (await conclude(parts, tron, { payment, target, receipt }))
  if (verdict !== undefined && verdict.verification !== 'confirming') return
  const isFirst = payment.check_count === 0
  const note = verdict?.note ?? (isFirst ? '' : await whileWaiting(parts, tron, payment))
  await postponeCheck(db, id, new Date(clock.now().getTime() + (isFirst ? firstPauseMs : pauseMs)), note)
}

/** For whoever waits: whether the network has seen the transfer at all. */
async function whileWaiting(
  { egress, clock }: BillingParts,
  tron: TronSettings,
  payment: PaymentRow,
): Promise<string> {
  const block = await findUnsettledBlock(egress, tron, payment.transaction_hash ?? '')
  if (block !== undefined) return `Seen on chain in block ${block}; waiting until it cannot be undone.`
  return clock.now().getTime() - payment.created_at.getTime() > askPersonAfterMs
    ? 'Not found for 24 hours. Check the hash, and reject the payment if it is wrong.'
    : 'Not seen on chain yet.'
}

interface Seen {
  readonly payment: PaymentRow
  readonly target: Target
  readonly receipt: TransactionReceipt
}

/** Judges the transaction and writes the outcome, unless there is none yet or the payment is another's by now. */
async function conclude(
  parts: BillingParts,
  tron: TronSettings,
  { payment, target, receipt }: Seen,
): Promise<Verdict> {
  return transaction(parts.db, async (tx) => {
    const debt = await lockDebt(tx, target)
    const hash = payment.transaction_hash ?? ''
    await lockHash(tx, hash)
    const others = (await livePayments(tx, [hash])).filter(({ id }) => id !== payment.id)
    const [address, amountMicro] = [payment.usdt_address, BigInt(payment.amount_micro)]
    const due = { hash, target, address, amountMicro }
    const verdict = judgeTransfer(receipt, await expectedOf(tx, parts, tron, due, others))
    if (verdict.verification === 'confirming' || debt?.payment_id !== payment.id) return verdict
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
    await settle(tx, parts, {
      target,
      debt,
      paymentId: payment.id,
      isPaid,
      isBad: !isPaid,
      now: parts.clock.now(),
    })
    await parts.audit.record(tx, {
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
