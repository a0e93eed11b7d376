// Payments made outside bills and payouts: written down, and in the ledger once they are confirmed.
import type { z } from 'zod'
import type { Payment, paymentInputSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { brokenConstraint, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { addressBytes } from './address.ts'
import type { BillingParts, By } from './parts.ts'
import { changePayment, findAddress, insertPayment, lockLoosePayment, userExists } from './payment-store.ts'
import { findPayment } from './payment-views.ts'
import { refuseParked } from './watch-ledger.ts'

/** Writes down a payment made outside bills and payouts. Throws Refusal invalid and taken. */
export async function createPayment(
  parts: BillingParts,
  input: z.output<typeof paymentInputSchema>,
  { actor, ip }: By,
): Promise<Payment> {
  const { db, clock, audit } = parts
  const { userId, usdtAddress = '' } = input
  if (usdtAddress !== '' && addressBytes(usdtAddress) === undefined)
    throw new Refusal('invalid', 'The USDT address is not a TRC20 address.', {
      fields: { usdtAddress: 'Enter a TRC20 address' },
    })
  const work = transaction(db, async (tx) => {
    if (!(await userExists(tx, userId)))
      throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Unknown user' } })
    const at = clock.now()
    const hash = input.transactionHash === '' ? null : (input.transactionHash ?? null)
    const amountMicro = parseMicro(input.amount) ?? 0n
    const id = await insertPayment(tx, {
      userId,
      amountMicro,
      address: usdtAddress === '' ? ((await findAddress(tx, userId, at)) ?? '') : usdtAddress,
      hash,
      status: input.status,
      verification: null,
      awaitsApproval: false,
      requestedBy: actor.userId,
      notes: input.notes,
      target: undefined,
      hashPlace: 0,
      nextCheckAt: null,
      at,
    })
    if (input.status === 'confirmed')
      await postLoose(tx, parts, { id, userId, amountMicro, actorId: actor.userId, reason: input.notes })
    const after = { userId, amount: input.amount, status: input.status, transactionHash: hash ?? '' }
    await audit.record(tx, {
      actor,
      ip,
      action: 'payment.create',
      objectType: 'payment',
      objectId: id,
      after,
    })
    return paymentOf(tx, id)
  })
  return work.catch((error: unknown) => {
    if (brokenConstraint(error) === 'payments_transaction_hash_key')
      throw new Refusal('taken', 'This transaction hash is used by another payment.', {
        fields: { transactionHash: 'Used already' },
      })
    throw error
  })
}

/** Confirms or rejects a pending payment made outside bills and payouts. Throws Refusal not_found, wrong_state. */
export async function decidePayment(
  parts: BillingParts,
  id: string,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  { actor, ip }: By,
): Promise<Payment> {
  return transaction(parts.db, async (tx) => {
    const payment = await lockLoosePayment(tx, id)
    if (payment === undefined)
      throw new Refusal('not_found', 'There is no such payment outside the bills. Decide on the bill itself.')
    const isAccepted = action === 'accept'
    const isChanged = await changePayment(tx, id, {
      status: isAccepted ? 'confirmed' : 'failed',
      verification: null,
      note: reason,
      processedBy: actor.userId,
      nextCheckAt: null,
    })
    if (!isChanged) throw new Refusal('wrong_state', 'This payment is decided already.')
    const amountMicro = BigInt(payment.amount_micro)
    if (isAccepted)
      await postLoose(tx, parts, { id, userId: payment.user_id, amountMicro, actorId: actor.userId, reason })
    await parts.audit.record(tx, {
      actor,
      ip,
      action: `payment.${action}`,
      objectType: 'payment',
      objectId: id,
      after: { reason },
    })
    return paymentOf(tx, id)
  })
}

interface LoosePayment {
  readonly id: string
  readonly userId: number
  readonly amountMicro: bigint
  readonly actorId: number
  readonly reason: string
}

/**
 * Money that left without a bill: the client has been paid, and the platform's clearing account says that nothing
 * stands behind it yet. It changes no bill; what is to be set off against earnings is an adjustment.
 */
async function postLoose(tx: Db, { ledger }: BillingParts, payment: LoosePayment): Promise<void> {
  const { userId, amountMicro, actorId, reason } = payment
  await refuseParked(tx, userId)
  const { id: cycleId } = await ledger.holdOpenCycle(tx)
  const line = { cycleId, kind: 'payment', reference: payment.id, actorId, ...(reason !== '' && { reason }) }
  await ledger.post(tx, [
    { ...line, userId, account: 'paid', amountMicro },
    { ...line, userId: null, account: 'payout_clearing', amountMicro: -amountMicro },
  ])
}

async function paymentOf(tx: Db, id: string): Promise<Payment> {
  const found = await findPayment(tx, id)
  if (found === undefined) throw new Error('The payment did not come back')
  return found
}
