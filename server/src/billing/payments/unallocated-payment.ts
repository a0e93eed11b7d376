// Unallocated payments: payments that belong to no bill and no payout. They are in the ledger once they are confirmed.
import type { z } from 'zod'
import type { Payment, paymentInputSchema } from '@tollgate/contract/billing/payments.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { systemActor } from '../../audit/index.ts'
import { refusedAddress } from '../profile/refused-address.ts'
import { checkSecondPerson, needsSecondPerson, refuseOwnAccount } from '../approval/second-person.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../http/handlers.ts'
import type { Verdict } from '../../tron/index.ts'
import {
  changePayment,
  findAddress,
  insertPayment,
  lockUnallocatedPayment,
  setAwaitsApproval,
  setReceived,
  userExists,
  type PaymentRow,
} from './payment-store.ts'
import { findPayment } from './payment-views.ts'
import { bookParts, type TransferPart } from './transfer-store.ts'
import { asUsedHash } from './shared-hash.ts'
import { refuseParked } from '../watch/watch-ledger.ts'

/**
 * Records an unallocated payment. One that counts (status confirmed) follows the rules of all payments: two persons above
 * the limit, and with a node its transfer is looked up; without a hash it takes a reason and a second person then. Throws
 * Refusal invalid, taken and forbidden (the caller's own account).
 */
export async function createPayment(
  deps: BillingDeps,
  input: z.output<typeof paymentInputSchema>,
  by: Caller,
): Promise<Payment> {
  const { userId } = input
  const work = transaction(deps.db, async (tx) => {
    if (!(await userExists(tx, userId)))
      throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Unknown user' } })
    const id = await enter(tx, deps, input, by)
    return paymentOf(tx, id)
  })
  return work.catch((error: unknown) => {
    throw asUsedHash(error)
  })
}

async function enter(
  tx: Db,
  deps: BillingDeps,
  input: z.output<typeof paymentInputSchema>,
  by: Caller,
): Promise<string> {
  const { userId, notes } = input
  const at = deps.clock.now()
  const hash = input.transactionHash || null
  const amountMicro = parseMicro(input.amount) ?? 0n
  const address = await addressOf(tx, deps, input, at)
  await refuseOwnAccount(tx, [{ userId, address }], by.actor)
  const counts = input.status === 'confirmed'
  if (counts && deps.tron !== undefined) checkFindable({ hash, notes, address })
  const id = await insertPayment(tx, undefined, {
    user_id: userId,
    amount_micro: amountMicro,
    usdt_address: address,
    transaction_hash: hash,
    status: input.status === 'failed' ? 'failed' : 'pending',
    requested_by: by.actor.userId,
    notes,
    created_at: at,
  })
  const act = { userId, address, amountMicro, subject: `payment ${id}` }
  const isByWord = deps.tron !== undefined && hash === null
  const waits = counts && (isByWord || (await needsSecondPerson(tx, deps, [act], by.actor)))
  if (waits) await setAwaitsApproval(tx, id)
  else if (counts) await count(tx, deps, { id, userId, amountMicro, hash, reason: notes }, by.actor.userId)
  const after = { userId, amount: input.amount, status: input.status, transactionHash: hash ?? '' }
  const action = waits ? 'payment.request' : 'payment.create'
  await deps.audit.record(tx, {
    ...by,
    action,
    objectType: 'payment',
    objectId: id,
    after,
  })
  return id
}

/** The address that was entered, else the client's own; '' without one. Throws Refusal invalid. */
async function addressOf(
  tx: Db,
  deps: BillingDeps,
  { userId, usdtAddress = '' }: z.output<typeof paymentInputSchema>,
  at: Date,
): Promise<string> {
  const address = usdtAddress === '' ? ((await findAddress(tx, userId, at)) ?? '') : usdtAddress
  const refused = address === '' ? undefined : await refusedAddress(deps, tx, address)
  if (refused !== undefined) throw new Refusal('invalid', refused, { fields: { usdtAddress: refused } })
  return address
}

/** Where transfers are looked up, a hash needs an address, and no hash needs a reason. */
function checkFindable({
  hash,
  notes,
  address,
}: {
  hash: string | null
  notes: string
  address: string
}): void {
  if (hash === null && notes === '')
    throw new Refusal('invalid', 'Enter the hash of the transfer, or the reason why there is none.', {
      fields: { transactionHash: 'Missing', notes: 'Enter the reason' },
    })
  if (hash !== null && address === '')
    throw new Refusal('invalid', 'Without an address the transfer cannot be found.', {
      fields: { usdtAddress: 'Missing' },
    })
}

interface Counted {
  readonly id: string
  readonly userId: number
  readonly amountMicro: bigint
  readonly hash: string | null
  readonly reason: string
}

/** Everybody who must has agreed: the transfer is looked up, or, where it cannot be, the money is in the ledger at once. */
async function count(tx: Db, deps: BillingDeps, payment: Counted, actorId: number): Promise<void> {
  const { id, userId, amountMicro, hash, reason } = payment
  const isLookedUp = deps.tron !== undefined && hash !== null
  const isChanged = await changePayment(tx, id, {
    status: isLookedUp ? 'pending' : 'confirmed',
    verification: isLookedUp ? 'confirming' : 'unverified',
    ...(isLookedUp ? { note: '' } : { decisionReason: reason }),
    processedBy: actorId,
    nextCheckAt: isLookedUp ? deps.clock.now() : null,
  })
  if (!isChanged) throw decided()
  if (isLookedUp) return
  await setReceived(tx, id, amountMicro)
  await postUnallocated(tx, deps, { id, userId, amountMicro, actorId, reason })
}

const decided = () => new Refusal('wrong_state', 'This payment is decided already.')

/**
 * Accepts or rejects a pending unallocated payment. Accepted, it is looked up on the chain where that is possible. Throws
 * Refusal wrong_state and forbidden.
 */
export async function decideUnallocated(
  tx: Db,
  deps: BillingDeps,
  id: string,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  by: Caller,
): Promise<void> {
  const payment = await lockUnallocatedPayment(tx, id)
  if (payment?.status !== 'pending') throw decided()
  await agree(tx, deps, payment, action, by)
  if (action === 'accept') {
    const { user_id: userId, transaction_hash: hash } = payment
    const amountMicro = BigInt(payment.amount_micro)
    await count(tx, deps, { id, userId, amountMicro, hash, reason }, by.actor.userId)
  } else
    await changePayment(tx, id, {
      status: 'failed',
      verification: null,
      decisionReason: reason,
      processedBy: by.actor.userId,
      nextCheckAt: null,
    })
  const entry = { action: `payment.${action}`, objectType: 'payment', objectId: id, after: { reason } }
  await deps.audit.record(tx, { actor: by.actor, ip: by.ip, ...entry })
}

/** Throws unless this person may decide. */
async function agree(
  tx: Db,
  deps: BillingDeps,
  payment: PaymentRow,
  action: 'accept' | 'reject',
  { actor }: Caller,
): Promise<void> {
  const account = { userId: payment.user_id, address: payment.usdt_address }
  if (payment.verification === 'confirming') {
    await refuseOwnAccount(tx, [account], actor)
    refuseWhileChecked(payment, action, deps.clock.now())
    // Its transfer may have been found, and counts only once the account is paid again.
    await refuseParked(tx, payment.user_id)
  }
  const isAsker = payment.requested_by === actor.userId
  const requestedBy = action === 'accept' && payment.awaits_approval ? payment.requested_by : null
  await checkSecondPerson(
    tx,
    { requestedBy, ownRequestText: 'You asked for this payment. A second person must agree to it.' },
    [account],
    actor,
  )
  // The person who noted the payment may accept it alone up to the limit. Anybody else is the second person.
  if (action === 'reject' || !isAsker) return
  const act = { ...account, amountMicro: BigInt(payment.amount_micro), subject: `payment ${payment.id}` }
  const isByWord = deps.tron !== undefined && payment.transaction_hash === null
  if (isByWord || (await needsSecondPerson(tx, deps, [act], actor)))
    throw new Refusal(
      'wrong_state',
      'You entered this payment. Above the limit, or where its transfer is not looked up, somebody else must accept it.',
    )
}

// If a transfer were rejected that is confirmed later, nobody would see it.
const mayStillComeMs = 86_400_000

function refuseWhileChecked(payment: PaymentRow, action: 'accept' | 'reject', now: Date): void {
  if (action === 'accept')
    throw new Refusal('wrong_state', 'The transfer is being looked up. It counts once it is found.')
  if (now.getTime() - payment.created_at.getTime() < mayStillComeMs)
    throw new Refusal(
      'wrong_state',
      'The transfer may still be confirmed. It can be rejected after 24 hours.',
    )
}

interface JudgedPayment {
  readonly payment: PaymentRow
  readonly verdict: Verdict
  readonly parts: readonly TransferPart[]
}

/** Writes what the chain says. An amount that was mistyped is entered again: nothing else says what it should be. */
export async function settleUnallocated(
  tx: Db,
  deps: BillingDeps,
  { payment, verdict, parts }: JudgedPayment,
): Promise<void> {
  const { id, user_id: userId, notes: reason } = payment
  const isFound = verdict.verification === 'verified' || verdict.verification === 'unverified'
  await changePayment(tx, id, {
    status: isFound ? 'confirmed' : 'failed',
    verification: isFound ? verdict.verification : 'rejected',
    note: verdict.note,
    processedBy: null,
    nextCheckAt: null,
  })
  if (isFound) {
    const amountMicro = BigInt(payment.amount_micro)
    await bookParts(tx, id, parts)
    await setReceived(tx, id, amountMicro)
    await postUnallocated(tx, deps, { id, userId, amountMicro, reason })
  }
  await deps.audit.record(tx, {
    actor: systemActor,
    ip: '',
    action: 'payment.check',
    objectType: 'payment',
    objectId: id,
    after: {
      transactionHash: payment.transaction_hash ?? '',
      verification: verdict.verification,
      note: verdict.note,
    },
  })
}

interface UnallocatedPayment {
  readonly id: string
  readonly userId: number
  readonly amountMicro: bigint
  /** Undefined: the gateway itself. */
  readonly actorId?: number | undefined
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
  const line = {
    cycleId,
    kind: 'payment',
    reference: payment.id,
    ...(actorId !== undefined && { actorId }),
    ...(reason !== '' && { reason }),
  }
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
