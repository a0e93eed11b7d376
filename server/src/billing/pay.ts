// Paying bills and payouts: one payment each, one transfer each, a second person above the limit.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { settlementCode, type LedgerLine } from '../ledger/index.ts'
import { brokenConstraint, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { mailPaidBill, mailPaidPayout } from './mail-bills.ts'
import type { BillingParts, By } from './parts.ts'
import {
  changePayment,
  findPayment,
  insertPayment,
  lockDebt,
  releaseTransfers,
  setDebt,
  type DebtRow,
  type PaymentRow,
  type Target,
} from './payment-store.ts'
import { placeUnder, type SharedReceipts } from './share-hash.ts'
import { refuseParked } from './watch-ledger.ts'

const wrongState = (message: string) => new Refusal('wrong_state', message)
const usedHash = () =>
  new Refusal(
    'taken',
    'This transaction hash is used by another payment. Check which transfer paid this one.',
    {
      fields: { transactionHash: 'Used already' },
    },
  )

const objectOf = (target: Target) =>
  target.kind === 'period'
    ? { objectType: 'billing_period', objectId: `${target.cycleId}-${target.userId}` }
    : { objectType: 'payout', objectId: target.id }

/**
 * Pays a bill or a payout. `hash` is in lower case; without one (payouts only) nothing can be checked. `receipts` come
 * from {@link readShared}: without the one of a hash that is in use it is refused. Throws Refusal not_found, wrong_state (paid, under way, not payable yet), taken (hash used) and unprocessable (no address).
 */
export async function pay(
  parts: BillingParts,
  target: Target,
  hash: string | undefined,
  by: By,
  receipts: SharedReceipts,
): Promise<void> {
  try {
    await transaction(parts.db, (tx) => payWithin(tx, parts, { target, hash, by, receipts }))
  } catch (error) {
    if (brokenConstraint(error) === 'payments_transaction_hash_key') throw usedHash()
    throw error
  }
}

interface Wish {
  readonly target: Target
  readonly hash: string | undefined
  readonly by: By
  readonly receipts: SharedReceipts
}

async function payWithin(tx: Db, parts: BillingParts, { target, hash, by, receipts }: Wish): Promise<void> {
  const debt = await lockDebt(tx, target)
  if (debt === undefined) throw new Refusal('not_found', `There is no such ${nounOf(target)}.`)
  const now = parts.clock.now()
  checkPayable(debt, target, now)
  await refuseParked(tx, debt.user_id)
  const current = debt.payment_id === null ? undefined : await findPayment(tx, debt.payment_id)
  if (current?.awaits_approval === true) return approve(tx, parts, { target, debt, current, hash, by, now })
  if (current?.status === 'pending' && current.verification === 'confirming')
    throw wrongState('A payment of it is being verified. Wait for the result.')
  await beginPayment(tx, parts, debt, { target, hash, by, receipts })
}

/** Writes a new payment, and settles at once what can be. */
async function beginPayment(
  tx: Db,
  parts: BillingParts,
  debt: DebtRow,
  { target, hash, by, receipts }: Wish,
): Promise<void> {
  const now = parts.clock.now()
  const [amountMicro, address] = [BigInt(debt.amount_micro), debt.usdt_address ?? '']
  const due = hash === undefined ? undefined : { hash, target, address, amountMicro }
  const hashPlace = due === undefined ? 0 : await placeUnder(tx, parts, due, receipts)
  const limitMicro = await parts.settings.secondPersonAboveMicro.get(tx)
  const awaitsApproval = amountMicro > limitMicro
  const start = awaitsApproval ? undefined : startOf(parts, hash)
  const paymentId = await insertPayment(tx, {
    userId: debt.user_id,
    amountMicro,
    address,
    hash: hash ?? null,
    status: start === 'unverified' ? 'confirmed' : 'pending',
    verification: start ?? null,
    awaitsApproval,
    requestedBy: by.actor.userId,
    notes: '',
    target,
    hashPlace,
    nextCheckAt: start === 'confirming' ? now : null,
    at: now,
  })
  await settle(tx, parts, {
    target,
    debt,
    paymentId,
    isPaid: start === 'unverified',
    now,
    actorId: by.actor.userId,
  })
  await record(tx, parts, target, by, awaitsApproval ? 'request_payment' : 'pay', hash)
}

const nounOf = (target: Target) => (target.kind === 'period' ? 'billing period' : 'payout')

function checkPayable(debt: DebtRow, target: Target, now: Date): void {
  if (debt.status === 'paid' || debt.status === 'completed')
    throw wrongState(`This ${nounOf(target)} is paid already.`)
  if (debt.payable_from !== null && debt.payable_from > now)
    throw wrongState(`This bill may be paid from ${debt.payable_from.toISOString()}.`)
  if (target.kind === 'period' && debt.usdt_address === null)
    throw new Refusal('unprocessable', 'The client has not given a USDT address yet. Ask for it first.', {
      fields: { usdtAddress: 'Missing' },
    })
}

/** Without a node, or without a hash, there is nothing to look up: it counts at once and says so. */
function startOf({ tron }: BillingParts, hash: string | undefined): PaymentVerification {
  return tron === undefined || hash === undefined ? 'unverified' : 'confirming'
}

interface Approval {
  readonly target: Target
  readonly debt: DebtRow
  readonly current: PaymentRow
  readonly hash: string | undefined
  readonly by: By
  readonly now: Date
}

async function approve(tx: Db, parts: BillingParts, { target, debt, current, hash, by, now }: Approval) {
  if (current.requested_by === by.actor.userId)
    throw wrongState('You asked for this payment. A second person must approve it.')
  if ((hash ?? null) !== current.transaction_hash)
    throw wrongState('Another transaction hash waits for approval. Give the same one, or reject it first.')
  const start = startOf(parts, hash)
  await changePayment(tx, current.id, {
    status: start === 'unverified' ? 'confirmed' : 'pending',
    verification: start,
    note: '',
    processedBy: by.actor.userId,
    nextCheckAt: start === 'confirming' ? now : null,
  })
  const isPaid = start === 'unverified'
  await settle(tx, parts, { target, debt, paymentId: current.id, isPaid, now, actorId: by.actor.userId })
  await record(tx, parts, target, by, 'approve_payment', hash)
}

interface Settlement {
  readonly target: Target
  readonly debt: DebtRow
  readonly paymentId: string
  readonly isPaid: boolean
  /** The payment was found bad. */
  readonly isBad?: boolean
  readonly now: Date
  readonly actorId?: number
}

/** Sets the state of the bill or payout; billed → paid in the ledger once it is paid. */
export async function settle(tx: Db, parts: BillingParts, given: Settlement): Promise<void> {
  const { target, debt, paymentId, isPaid, now } = given
  const unpaid = target.kind === 'payout' ? 'pending' : given.isBad === true ? 'failed' : 'sent_to_support'
  const paid = target.kind === 'payout' ? 'completed' : 'paid'
  await setDebt(tx, target, paymentId, isPaid ? paid : unpaid, isPaid ? now : null)
  if (!isPaid) return
  const line = (account: 'billed' | 'paid', amountMicro: bigint): LedgerLine => ({
    cycleId: debt.cycle_id,
    userId: debt.user_id,
    account,
    amountMicro,
    settlement: settlementCode(target.kind === 'period' ? 'bill' : 'payout'),
    kind: 'payment',
    reference: paymentId,
    ...(given.actorId === undefined ? {} : { actorId: given.actorId }),
  })
  const amountMicro = BigInt(debt.amount_micro)
  await parts.ledger.post(tx, [line('billed', -amountMicro), line('paid', amountMicro)])
  if (target.kind === 'period') await mailPaidBill(tx, parts, paymentId)
  else await mailPaidPayout(tx, parts, debt.user_id, paymentId)
}

async function record(
  tx: Db,
  parts: BillingParts,
  target: Target,
  by: By,
  verb: string,
  hash: string | undefined,
) {
  const { objectType, objectId } = objectOf(target)
  await parts.audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: `${objectType}.${verb}`,
    objectType,
    objectId,
    after: { transactionHash: hash ?? '' },
  })
}

/** A person's word on a payment that waits for approval, is not found, or differs. Throws Refusal not_found, wrong_state. */
export async function decide(
  parts: BillingParts,
  target: Target,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  by: By,
): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const debt = await lockDebt(tx, target)
    if (debt === undefined) throw new Refusal('not_found', `There is no such ${nounOf(target)}.`)
    const current = debt.payment_id === null ? undefined : await findPayment(tx, debt.payment_id)
    if (current?.status !== 'pending') throw wrongState('No payment of it waits for a decision.')
    const isAccepted = action === 'accept'
    const differs = current.verification === 'underpaid' || current.verification === 'overpaid'
    if (isAccepted && !differs) throw wrongState('Only a payment of another amount can be accepted.')
    const now = parts.clock.now()
    // A transfer may still be on its way; rejecting it too early would have the bill paid twice.
    if (current.verification === 'confirming' && now.getTime() - current.created_at.getTime() < 86_400_000)
      throw wrongState('The transfer may still be confirmed. It can be rejected after 24 hours.')
    await changePayment(tx, current.id, {
      status: isAccepted ? 'confirmed' : 'failed',
      verification: isAccepted ? current.verification : 'rejected',
      note: reason,
      processedBy: by.actor.userId,
      nextCheckAt: null,
    })
    if (!isAccepted) await releaseTransfers(tx, current.id)
    const settled = { target, debt, paymentId: current.id, isPaid: isAccepted, now, actorId: by.actor.userId }
    await settle(tx, parts, { ...settled, isBad: !current.awaits_approval })
    await record(tx, parts, target, by, `${action}_payment`, current.transaction_hash ?? undefined)
  })
}
