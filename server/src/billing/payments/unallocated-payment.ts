// Unallocated payments: payments that belong to no bill and no payout. They are in the ledger once they are confirmed.
import type { z } from 'zod'
import type { Payment, paymentInputSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { addressBytes } from '../../rates/index.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import {
  changePayment,
  findAddress,
  insertPayment,
  lockUnallocatedPayment,
  setReceived,
  userExists,
} from './payment-store.ts'
import { findPayment } from './payment-views.ts'
import { usedHash } from './shared-hash.ts'
import { refuseParked } from '../watch/watch-ledger.ts'

/** Records an unallocated payment. Throws Refusal invalid and taken. */
export async function createPayment(
  deps: BillingDeps,
  input: z.output<typeof paymentInputSchema>,
  { actor, ip }: Caller,
): Promise<Payment> {
  const { db, clock, audit } = deps
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
      receivedMicro: input.status === 'confirmed' ? amountMicro : 0n,
      address: usdtAddress === '' ? ((await findAddress(tx, userId, at)) ?? '') : usdtAddress,
      hash,
      status: input.status,
      verification: null,
      awaitsApproval: false,
      requestedBy: actor.userId,
      notes: input.notes,
      debtId: undefined,
      hashPlace: 0,
      nextCheckAt: null,
      at,
    })
    if (input.status === 'confirmed')
      await postUnallocated(tx, deps, { id, userId, amountMicro, actorId: actor.userId, reason: input.notes })
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
      throw usedHash('Check which transfer paid this one.')
    throw error
  })
}

/** Confirms or rejects a pending unallocated payment. Throws Refusal wrong_state. */
export async function decideUnallocated(
  tx: Db,
  deps: BillingDeps,
  id: string,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  { actor, ip }: Caller,
): Promise<void> {
  const payment = await lockUnallocatedPayment(tx, id)
  const isAccepted = action === 'accept'
  const isChanged = await changePayment(tx, id, {
    status: isAccepted ? 'confirmed' : 'failed',
    verification: null,
    note: reason,
    processedBy: actor.userId,
    nextCheckAt: null,
  })
  if (payment === undefined || !isChanged)
    throw new Refusal('wrong_state', 'This payment is decided already.')
  if (isAccepted) {
    const { user_id: userId, amount_micro: amount } = payment
    await setReceived(tx, id, BigInt(amount))
    await postUnallocated(tx, deps, {
      id,
      userId,
      amountMicro: BigInt(amount),
      actorId: actor.userId,
      reason,
    })
  }
  const entry = { action: `payment.${action}`, objectType: 'payment', objectId: id, after: { reason } }
  await deps.audit.record(tx, { actor, ip, ...entry })
}

interface UnallocatedPayment {
  readonly id: string
  readonly userId: number
  readonly amountMicro: bigint
  readonly actorId: number
  readonly reason: string
}

/**
 * Posts money that was paid without a bill: the client's `paid` account grows, and the platform's clearing account takes
 * the other side, because no earnings match it yet. It changes no bill. To deduct it from earnings, make an adjustment.
 */
async function postUnallocated(tx: Db, { ledger }: BillingDeps, payment: UnallocatedPayment): Promise<void> {
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
