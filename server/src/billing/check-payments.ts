// Looks up payments that wait for the chain, again and again until there is a clear answer.
import { transaction } from '../platform/transaction.ts'
import { systemActor } from '../audit/index.ts'
import { addressBytes } from './address.ts'
import { judgeTransfer, type Verdict } from './judge-transfer.ts'
import { settle } from './pay.ts'
import type { BillingParts, TronSettings } from './parts.ts'
import {
  changePayment,
  claimTransfers,
  debtSince,
  duePayments,
  findPayment,
  lockDebt,
  postponeCheck,
  type PaymentRow,
  type Target,
} from './payment-store.ts'
import { findReceipt, findUnsettledBlock } from './tron-node.ts'

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
  const verdict: Verdict | undefined =
    receipt &&
    judgeTransfer(receipt, {
      contract: addressBytes(tron.usdtContract) ?? '',
      to: addressBytes(payment.usdt_address) ?? '',
      from: (await parts.treasuryAddresses.get(db)).map((address) => addressBytes(address) ?? ''),
      amountMicro: BigInt(payment.amount_micro),
      notBefore: await debtSince(db, target),
    })
  if (verdict === undefined || verdict.verification === 'confirming') {
    const isFirst = payment.check_count === 0
    const note = verdict?.note ?? (isFirst ? '' : await whileWaiting(parts, tron, payment))
    await postponeCheck(db, id, new Date(clock.now().getTime() + (isFirst ? firstPauseMs : pauseMs)), note)
  } else await conclude(parts, tron, { payment, target, verdict })
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

async function conclude(
  parts: BillingParts,
  tron: TronSettings,
  { payment, target, verdict: found }: { payment: PaymentRow; target: Target; verdict: Verdict },
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const debt = await lockDebt(tx, target)
    if (debt === undefined || debt.payment_id !== payment.id) return
    const hash = payment.transaction_hash ?? ''
    const isClaimed =
      found.verification === 'rejected' ||
      (await claimTransfers(tx, tron.usdtContract, hash, found.logIndexes, payment.id))
    const verdict: Verdict = isClaimed
      ? found
      : { verification: 'rejected', note: 'The transfer has paid something else.', logIndexes: [] }
    const isPaid = verdict.verification === 'verified'
    const isChanged = await changePayment(tx, payment.id, {
      status: isPaid ? 'confirmed' : verdict.verification === 'rejected' ? 'failed' : 'pending',
      verification: verdict.verification,
      note: verdict.note,
      processedBy: null,
      nextCheckAt: null,
    })
    if (!isChanged) return
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
  })
}
