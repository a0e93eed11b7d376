// Pays bills and payouts. Each has one payment and one transfer; above a limit a second person must approve. `owed` is
// the bill or payout, locked.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { settlementCode, type LedgerLine } from '../../ledger/index.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { mailPaidBill, mailPaidPayout } from '../mails/mail-bills.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import {
  changePayment,
  findPayment,
  insertPayment,
  lockOwed,
  releaseTransfers,
  setOwedStatus,
  type OwedRow,
  type PaymentRow,
  type PaymentTarget,
} from './payment-store.ts'
import { nextHashPlace, usedHash, type SharedReceipts } from './shared-hash.ts'
import { refuseParked } from '../watch/watch-ledger.ts'

const wrongState = (message: string) => new Refusal('wrong_state', message)

const objectOf = (target: PaymentTarget) =>
  target.kind === 'period'
    ? { objectType: 'billing_period', objectId: `${target.cycleId}-${target.userId}` }
    : { objectType: 'payout', objectId: target.id }

/**
 * Pays a bill or a payout. `hash` is in lower case; a payout may be paid without one, and then nothing can be checked.
 * `receipts` come from {@link readSharedReceipts}: a hash that is in use is refused unless its receipt is there. Throws
 * Refusal not_found, wrong_state (paid, under way, not payable yet), taken (hash used) and unprocessable (no address).
 */
export async function pay(
  deps: BillingDeps,
  target: PaymentTarget,
  hash: string | undefined,
  by: Caller,
  receipts: SharedReceipts,
): Promise<void> {
  try {
    await transaction(deps.db, (tx) => payWithin(tx, deps, { target, hash, by, receipts }))
  } catch (error) {
    if (brokenConstraint(error) === 'payments_transaction_hash_key')
      throw usedHash('Check which transfer paid this one.')
    throw error
  }
}

interface PaymentRequest {
  readonly target: PaymentTarget
  readonly hash: string | undefined
  readonly by: Caller
  readonly receipts: SharedReceipts
}

async function payWithin(tx: Db, deps: BillingDeps, request: PaymentRequest): Promise<void> {
  const { target, hash, by } = request
  const owed = await lockOwed(tx, target)
  if (owed === undefined) throw new Refusal('not_found', `There is no such ${nounOf(target)}.`)
  const now = deps.clock.now()
  checkPayable(owed, target, now)
  await refuseParked(tx, owed.user_id)
  const current = owed.payment_id === null ? undefined : await findPayment(tx, owed.payment_id)
  if (current?.awaits_approval === true) return approve(tx, deps, { target, owed, current, hash, by, now })
  if (current?.status === 'pending' && current.verification === 'confirming')
    throw wrongState('A payment of it is being verified. Wait for the result.')
  await beginPayment(tx, deps, owed, request)
}

/** Writes a new payment, and settles it at once when nothing has to be checked or approved. */
async function beginPayment(
  tx: Db,
  deps: BillingDeps,
  owed: OwedRow,
  { target, hash, by, receipts }: PaymentRequest,
): Promise<void> {
  const now = deps.clock.now()
  const [amountMicro, address] = [BigInt(owed.amount_micro), owed.usdt_address ?? '']
  const hashPlace =
    hash === undefined ? 0 : await nextHashPlace(tx, deps, { hash, target, address, amountMicro }, receipts)
  const limitMicro = await deps.settings.secondPersonAboveMicro.get(tx)
  const awaitsApproval = amountMicro > limitMicro
  const verification = awaitsApproval ? null : initialVerification(deps, hash)
  const paymentId = await insertPayment(tx, {
    userId: owed.user_id,
    amountMicro,
    address,
    hash: hash ?? null,
    status: verification === 'unverified' ? 'confirmed' : 'pending',
    verification,
    awaitsApproval,
    requestedBy: by.actor.userId,
    notes: '',
    target,
    hashPlace,
    nextCheckAt: verification === 'confirming' ? now : null,
    at: now,
  })
  await settle(tx, deps, {
    target,
    owed,
    paymentId,
    isPaid: verification === 'unverified',
    now,
    actorId: by.actor.userId,
  })
  await record(tx, deps, target, by, awaitsApproval ? 'request_payment' : 'pay', hash)
}

const nounOf = (target: PaymentTarget) => (target.kind === 'period' ? 'billing period' : 'payout')

function checkPayable(owed: OwedRow, target: PaymentTarget, now: Date): void {
  if (owed.status === 'paid' || owed.status === 'completed')
    throw wrongState(`This ${nounOf(target)} is paid already.`)
  if (owed.payable_from !== null && owed.payable_from > now)
    throw wrongState(`This bill may be paid from ${owed.payable_from.toISOString()}.`)
  if (target.kind === 'period' && owed.usdt_address === null)
    throw new Refusal('unprocessable', 'The client has not given a USDT address yet. Ask for it first.', {
      fields: { usdtAddress: 'Missing' },
    })
}

/** Without a node or a hash nothing can be looked up: the payment counts at once, and is marked as unverified. */
function initialVerification({ tron }: BillingDeps, hash: string | undefined): PaymentVerification {
  return tron === undefined || hash === undefined ? 'unverified' : 'confirming'
}

interface Approval {
  readonly target: PaymentTarget
  readonly owed: OwedRow
  readonly current: PaymentRow
  readonly hash: string | undefined
  readonly by: Caller
  readonly now: Date
}

async function approve(tx: Db, deps: BillingDeps, { target, owed, current, hash, by, now }: Approval) {
  if (current.requested_by === by.actor.userId)
    throw wrongState('You asked for this payment. A second person must approve it.')
  if ((hash ?? null) !== current.transaction_hash)
    throw wrongState('Another transaction hash waits for approval. Give the same one, or reject it first.')
  const verification = initialVerification(deps, hash)
  const isPaid = verification === 'unverified'
  await changePayment(tx, current.id, {
    status: isPaid ? 'confirmed' : 'pending',
    verification,
    note: '',
    processedBy: by.actor.userId,
    nextCheckAt: isPaid ? null : now,
  })
  await settle(tx, deps, { target, owed, paymentId: current.id, isPaid, now, actorId: by.actor.userId })
  await record(tx, deps, target, by, 'approve_payment', hash)
}

interface PaymentResult {
  readonly target: PaymentTarget
  readonly owed: OwedRow
  readonly paymentId: string
  readonly isPaid: boolean
  /** The payment failed; the bill shows that. */
  readonly isBad?: boolean
  readonly now: Date
  readonly actorId?: number
}

/** Sets the status of the bill or payout. Once it is paid, posts billed → paid to the ledger and mails the client. */
export async function settle(
  tx: Db,
  deps: BillingDeps,
  { target, owed, paymentId, isPaid, isBad = false, now, actorId }: PaymentResult,
): Promise<void> {
  const unpaid = target.kind === 'payout' ? 'pending' : isBad ? 'failed' : 'sent_to_support'
  const paid = target.kind === 'payout' ? 'completed' : 'paid'
  await setOwedStatus(tx, target, paymentId, isPaid ? paid : unpaid, isPaid ? now : null)
  if (!isPaid) return
  const line = (account: 'billed' | 'paid', amountMicro: bigint): LedgerLine => ({
    cycleId: owed.cycle_id,
    userId: owed.user_id,
    account,
    amountMicro,
    settlement: settlementCode(target.kind === 'period' ? 'bill' : 'payout'),
    kind: 'payment',
    reference: paymentId,
    ...(actorId === undefined ? {} : { actorId }),
  })
  const amountMicro = BigInt(owed.amount_micro)
  await deps.ledger.post(tx, [line('billed', -amountMicro), line('paid', amountMicro)])
  if (target.kind === 'period') await mailPaidBill(tx, deps, paymentId)
  else await mailPaidPayout(tx, deps, owed.user_id, paymentId)
}

async function record(
  tx: Db,
  deps: BillingDeps,
  target: PaymentTarget,
  by: Caller,
  verb: string,
  hash: string | undefined,
) {
  const { objectType, objectId } = objectOf(target)
  await deps.audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: `${objectType}.${verb}`,
    objectType,
    objectId,
    after: { transactionHash: hash ?? '' },
  })
}

/**
 * A person accepts or rejects a payment that waits for approval, was not found on the chain, or has another amount.
 * Throws Refusal not_found and wrong_state.
 */
export async function decide(
  deps: BillingDeps,
  target: PaymentTarget,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  by: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const owed = await lockOwed(tx, target)
    if (owed === undefined) throw new Refusal('not_found', `There is no such ${nounOf(target)}.`)
    const current = owed.payment_id === null ? undefined : await findPayment(tx, owed.payment_id)
    if (current?.status !== 'pending') throw wrongState('No payment of it waits for a decision.')
    const isAccepted = action === 'accept'
    const differs = current.verification === 'underpaid' || current.verification === 'overpaid'
    if (isAccepted && !differs) throw wrongState('Only a payment of another amount can be accepted.')
    const now = deps.clock.now()
    // A transfer may still be confirmed. If it were rejected too early, the bill would be paid twice.
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
    const settled = { target, owed, paymentId: current.id, isPaid: isAccepted, now, actorId: by.actor.userId }
    await settle(tx, deps, { ...settled, isBad: !current.awaits_approval })
    await record(tx, deps, target, by, `${action}_payment`, current.transaction_hash ?? undefined)
  })
}
