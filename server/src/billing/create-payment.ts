import { sql } from 'kysely'
import type { z } from 'zod'
import type { Payment, paymentInputSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { brokenConstraint, row } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { addressBytes } from './address.ts'
import type { BillingParts, By } from './parts.ts'
import { insertPayment, userExists } from './payment-store.ts'
import { addressInForce } from './sums.ts'
import { listPayments } from './views.ts'

/** Writes down a payment made outside bills and payouts. Throws Refusal invalid and taken. */
export async function createPayment(
  { db, clock, audit }: BillingParts,
  input: z.output<typeof paymentInputSchema>,
  { actor, ip }: By,
): Promise<Payment> {
  const { userId, usdtAddress = '' } = input
  if (usdtAddress !== '' && addressBytes(usdtAddress) === undefined)
    throw new Refusal('invalid', 'The USDT address is not a TRC20 address.', {
      fields: { usdtAddress: 'Enter a TRC20 address' },
    })
  const work = transaction(db, async (tx) => {
    if (!(await userExists(tx, userId)))
      throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Unknown user' } })
    const at = clock.now()
    const own = await row<{ address: string | null }>(
      tx,
      sql`select ${addressInForce('p', at)} as address from payment_profiles p where user_id = ${userId}`,
    )
    const hash =
      input.transactionHash === undefined || input.transactionHash === '' ? null : input.transactionHash
    const id = await insertPayment(tx, {
      userId,
      amountMicro: parseMicro(input.amount) ?? 0n,
      address: usdtAddress === '' ? (own?.address ?? '') : usdtAddress,
      hash,
      status: input.status,
      verification: null,
      awaitsApproval: false,
      requestedBy: actor.userId,
      notes: input.notes,
      target: undefined,
      nextCheckAt: null,
      at,
    })
    const after = { userId, amount: input.amount, status: input.status, transactionHash: hash ?? '' }
    await audit.record(tx, {
      actor,
      ip,
      action: 'payment.create',
      objectType: 'payment',
      objectId: id,
      after,
    })
    const [made] = (await listPayments(tx, { id }, { limit: 1 })).items
    if (made === undefined) throw new Error('The new payment did not come back')
    return made
  })
  return work.catch((error: unknown) => {
    if (brokenConstraint(error) === 'payments_transaction_hash_key')
      throw new Refusal('taken', 'This transaction hash is used by another payment.', {
        fields: { transactionHash: 'Used already' },
      })
    throw error
  })
}
