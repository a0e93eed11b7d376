// Replaces a mistyped transaction hash. The payment with the old hash is looked up as before, because the hash may have been
// right: a transfer that turns up under it is booked like any other, and what is too much then waits for a decision. Who
// loses when this is wrong: nobody, as long as only transfers that the chain shows are booked.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { needsSecondPerson, refuseOwnAccount, type MoneyAct } from '../approval/second-person.ts'
import type { BillingDeps } from '../deps.ts'
import { lockDebt, type DebtId, type DebtRow } from '../debts/debt-store.ts'
import { lookUp, type Lookup } from '../../tron/index.ts'
import { updateDebtState } from './book.ts'
import { subjectOf } from './pay.ts'
import {
  changePayment,
  debtOf,
  findPaymentRow,
  insertPayment,
  livePayments,
  lockUnallocatedPayment,
  setHashByWord,
  setReplacedWith,
  type PaymentRow,
} from './payment-store.ts'
import { asUsedHash, nextHashPlace, usedHash, type SharedReceipts } from './shared-hash.ts'

/** How long whoever entered a hash waits before replacing it alone: a transfer that was just sent is in no block yet. */
const aloneAfterMs = 600_000

const wrongState = (message: Words) => new Refusal('wrong_state', message)

interface Replacement {
  readonly paymentId: string
  /** In lower case. */
  readonly hash: string
  readonly reason: string
  readonly by: Caller
}

/** What is asked of the node before the transaction begins, because a node may take seconds. */
export interface ReplacementFacts {
  /** From {@link withSharedReceipts}. */
  readonly receipts: SharedReceipts
  /** Whether a block has the transaction of the old hash. */
  readonly lookup: Lookup
}

/** What the nodes say of the hash that the payment has now. `unclear` without a node. */
export async function lookUpOldHash(
  { db, egress, tron }: Pick<BillingDeps, 'db' | 'egress' | 'tron'>,
  paymentId: string,
): Promise<Lookup> {
  const hash = (await findPaymentRow(db, paymentId))?.transaction_hash
  return tron === undefined || hash == null ? 'unclear' : lookUp(egress, tron, hash)
}

/**
 * Gives a payment another hash: at once by anybody but the one who entered it, by him after ten minutes if no block has the
 * old one. Returns the id of the payment with the new hash. Throws Refusal not_found, wrong_state (found already, replaced
 * already, too early), taken, invalid and forbidden (the caller's own account).
 */
export async function replaceHash(
  deps: BillingDeps,
  replacement: Replacement,
  facts: ReplacementFacts,
): Promise<string> {
  try {
    return await transaction(deps.db, (tx) => replaceWithin(tx, deps, replacement, facts))
  } catch (error) {
    throw asUsedHash(error)
  }
}

interface ReplacementStep extends Replacement {
  readonly debtId: DebtId | undefined
  /** The row, locked by this transaction; undefined for a payment outside the bills. */
  readonly debt: DebtRow | undefined
  readonly payment: PaymentRow
  readonly oldHash: string
}

async function replaceWithin(
  tx: Db,
  deps: BillingDeps,
  replacement: Replacement,
  facts: ReplacementFacts,
): Promise<string> {
  const { paymentId, hash, by } = replacement
  const before = await findPaymentRow(tx, paymentId)
  const debtId = before && debtOf(before)
  const debt = debtId && (await lockDebt(tx, debtId))
  if (debtId === undefined) await lockUnallocatedPayment(tx, paymentId)
  const payment = await findPaymentRow(tx, paymentId)
  if (payment === undefined) throw new Refusal('not_found', 'There is no such payment.')
  await refuseOwnAccount(tx, [accountOf(payment)], by.actor)
  const oldHash = payment.transaction_hash
  if (oldHash === null) throw wrongState('This payment has no hash. Reject it, and enter it anew.')
  if (oldHash === hash)
    throw new Refusal('invalid', 'This is the hash that it has.', {
      fields: { transactionHash: 'The same as before' },
    })
  const step = { ...replacement, debtId, debt, payment, oldHash }
  if (payment.status === 'confirmed' && payment.verification === 'unverified') return correct(tx, deps, step)
  if (payment.awaits_approval) return replaceUnapproved(tx, deps, step, facts)
  return replaceLookedUp(tx, deps, step, facts)
}

const accountOf = ({ user_id: userId, usdt_address: address }: PaymentRow) => ({ userId, address })

const notesOf = ({ payment, oldHash, reason }: ReplacementStep): string =>
  [payment.notes, `Instead of ${oldHash}: ${reason}`].filter((text) => text !== '').join('\n')

/** Corrects the hash of a payment that counts by somebody's word and has no known transfer. It takes two persons. */
async function correct(tx: Db, deps: BillingDeps, step: ReplacementStep): Promise<string> {
  const { payment, hash, by } = step
  if (payment.requested_by === by.actor.userId)
    throw wrongState('Nobody can look this payment up. A second person must replace its hash.')
  if ((await livePayments(tx, [hash])).length > 0) throw usedHash('Check which transfer paid this one.')
  await setHashByWord(tx, payment.id, hash, notesOf(step))
  await record(tx, deps, step, payment.id)
  return payment.id
}

/** Nothing is looked up yet. Whoever gives the new hash asks for the payment from now on, and somebody else approves. */
async function replaceUnapproved(
  tx: Db,
  deps: BillingDeps,
  step: ReplacementStep,
  { receipts }: ReplacementFacts,
): Promise<string> {
  await changePayment(tx, step.payment.id, {
    status: 'failed',
    verification: null,
    note: 'Its hash was replaced before it was approved.',
    processedBy: null,
    nextCheckAt: null,
  })
  return insertSuccessor(tx, deps, step, receipts, true)
}

async function replaceLookedUp(
  tx: Db,
  deps: BillingDeps,
  step: ReplacementStep,
  { receipts, lookup }: ReplacementFacts,
): Promise<string> {
  const { payment, by } = step
  if (payment.replaced_with !== null) throw wrongState('This hash was replaced already.')
  if (payment.status !== 'pending' || payment.verification !== 'confirming')
    throw wrongState('This payment is not being looked up: its transfer was found, or it was decided on.')
  const isAlone = payment.requested_by === by.actor.userId
  if (isAlone) refuseAlone(payment, lookup, deps.clock.now())
  // Two persons have dealt with it when somebody else gives the new hash.
  const waits = isAlone && (await needsSecondPerson(tx, deps, [actOf(step)], by.actor))
  return insertSuccessor(tx, deps, step, receipts, waits)
}

const actOf = ({ payment, debtId }: ReplacementStep): MoneyAct => ({
  ...accountOf(payment),
  amountMicro: BigInt(payment.amount_micro),
  subject: debtId === undefined ? `payment ${payment.id}` : subjectOf(debtId),
})

const orSecond = sentence('A second person can replace it at once.')

function refuseAlone(payment: PaymentRow, lookup: Lookup, now: Date): void {
  if (now.getTime() - payment.created_at.getTime() < aloneAfterMs)
    throw wrongState([sentence('You entered this hash. You can replace it after ten minutes.'), orSecond])
  if (lookup === 'known')
    throw wrongState([
      sentence('The network has seen the transaction of this hash. Wait for the result.'),
      orSecond,
    ])
  if (lookup === 'unclear')
    throw wrongState([
      sentence('The node does not say whether it knows this hash. Try again later.'),
      orSecond,
    ])
}

async function insertSuccessor(
  tx: Db,
  deps: BillingDeps,
  step: ReplacementStep,
  receipts: SharedReceipts,
  awaitsApproval: boolean,
): Promise<string> {
  const { debtId, debt, payment, hash, by } = step
  const now = deps.clock.now()
  const amountMicro = BigInt(debt?.due_micro ?? payment.amount_micro)
  if (amountMicro === 0n) throw wrongState('Nothing is due any more.')
  const { user_id: userId, usdt_address: address } = payment
  const id = await insertPayment(tx, debtId, {
    user_id: userId,
    amount_micro: amountMicro,
    usdt_address: address,
    transaction_hash: hash,
    status: 'pending',
    verification: awaitsApproval ? null : 'confirming',
    awaits_approval: awaitsApproval,
    requested_by: by.actor.userId,
    notes: notesOf(step),
    hash_place: await nextHashPlace(tx, deps, { hash, debtId, address, amountMicro }, receipts),
    next_check_at: awaitsApproval ? null : now,
    created_at: now,
  })
  await setReplacedWith(tx, payment.id, id)
  if (debtId !== undefined) await updateDebtState(tx, deps, { debtId, paymentId: id })
  await record(tx, deps, step, id)
  return id
}

async function record(tx: Db, deps: BillingDeps, step: ReplacementStep, successorId: string): Promise<void> {
  await deps.audit.record(tx, {
    actor: step.by.actor,
    ip: step.by.ip,
    action: 'payment.replace_hash',
    objectType: 'payment',
    objectId: step.payment.id,
    before: { transactionHash: step.oldHash },
    after: { transactionHash: step.hash, payment: successorId, reason: step.reason },
  })
}
