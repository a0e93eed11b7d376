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

/** Confirms or rejects a pending unallocated payment. Throws Refusal not_found and wrong_state. */
export async function decidePayment(
  deps: BillingDeps,
  id: string,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  { actor, ip }: Caller,
): Promise<Payment> {
  return transaction(deps.db, async (tx) => {
    const payment = await lockUnallocatedPayment(tx, id)
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
      await postUnallocated(tx, deps, {
        id,
        userId: payment.user_id,
        amountMicro,
        actorId: actor.userId,
        reason,
      })
    await deps.audit.record(tx, {
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
