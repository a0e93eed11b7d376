// Enters payments of bills and payouts. Above a limit a second person must approve one before it counts.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import type { PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../http/handlers.ts'
import { checkSecondPerson, needsSecondPerson, refuseOwnAccount } from '../approval/second-person.ts'
import { bookReceived, updateDebtState } from './book.ts'
import { findLiveRun, isSettled, lockDebt, type DebtId, type DebtRow } from '../debts/debt-store.ts'
import { changePayment, findPaymentRow, insertPayment, type PaymentRow } from './payment-store.ts'
import { asUsedHash, nextHashPlace, type SharedReceipts } from './shared-hash.ts'
import { refuseParked } from '../watch/watch-ledger.ts'

const wrongState = (message: Words) => new Refusal('wrong_state', message)

/** What a person enters. */
export interface PaymentEntry {
  readonly debtId: DebtId
  /** In lower case; only a payout may be paid without one, and then nothing can be looked up. */
  readonly hash: string | undefined
  /** Why there is no hash; required for a payout when a node is configured. */
  readonly reason?: string | undefined
  readonly by: Caller
}

/**
 * Pays what is due of a bill or a payout. `receipts` come from {@link withSharedReceipts}: a hash that is in use is
 * refused unless its receipt is there. Throws Refusal not_found, wrong_state (paid, under way, not payable yet), taken
 * (hash used), invalid (no hash, no reason) and unprocessable (no address).
 */
export async function pay(deps: BillingDeps, entry: PaymentEntry, receipts: SharedReceipts): Promise<void> {
  try {
    await transaction(deps.db, (tx) => payWithin(tx, deps, entry, receipts))
  } catch (error) {
    throw asUsedHash(error)
  }
}

async function payWithin(
  tx: Db,
  deps: BillingDeps,
  entry: PaymentEntry,
  receipts: SharedReceipts,
): Promise<void> {
  const { debtId, hash } = entry
  const debt = await lockDebt(tx, debtId)
  if (debt === undefined) throw noDebt(debtId)
  await refuseOwnAccount(tx, [accountOf(debt)], entry.by.actor)
  checkPayable(debt, entry, deps)
  await refuseParked(tx, debt.user_id)
  await refuseInRun(tx, debtId)
  const current = debt.payment_id === null ? undefined : await findPaymentRow(tx, debt.payment_id)
  if (current?.awaits_approval === true) return approve(tx, deps, { ...entry, debt, current })
  if (current?.status === 'pending' && current.verification === 'confirming')
    throw wrongState('A payment of it is being verified. Wait for the result.')
  if (debt.due_micro === '0')
    throw wrongState('Nothing is due any more. Decide about what was paid beyond it.')
  if (hash === undefined && deps.tron !== undefined && (entry.reason ?? '') === '')
    throw new Refusal('invalid', 'Enter the hash of the transfer, or the reason why there is none.', {
      fields: { transactionHash: 'Missing' },
    })
  await beginPayment(tx, deps, { ...entry, debt }, receipts)
}

/** A run pays it: by hand it would be paid twice. */
async function refuseInRun(tx: Db, debtId: DebtId): Promise<void> {
  const runId = await findLiveRun(tx, debtId)
  if (runId !== undefined)
    throw wrongState(
      sentence('It is in payment run {id}. Enter the hash there, or end the run first.', { id: runId }),
    )
}

interface PaymentStep extends PaymentEntry {
  /** The row, locked by this transaction. */
  readonly debt: DebtRow
}

/** Writes a new payment, and books it at once when nothing has to be looked up or approved. */
async function beginPayment(tx: Db, deps: BillingDeps, step: PaymentStep, receipts: SharedReceipts) {
  const { debtId, debt, hash, reason, by } = step
  const now = deps.clock.now()
  const [amountMicro, address] = [BigInt(debt.due_micro), debt.usdt_address ?? '']
  const hashPlace =
    hash === undefined ? 0 : await nextHashPlace(tx, deps, { hash, debtId, address, amountMicro }, receipts)
  const act = { ...accountOf(debt), amountMicro, subject: subjectOf(debtId) }
  // Where transfers can be looked up, nobody pays by his word alone.
  const isByWord = deps.tron !== undefined && hash === undefined
  const awaitsApproval = isByWord || (await needsSecondPerson(tx, deps, [act], by.actor))
  const verification = awaitsApproval ? null : initialVerification(deps, hash)
  const paymentId = await insertPayment(tx, debtId, {
    user_id: debt.user_id,
    amount_micro: amountMicro,
    usdt_address: address,
    transaction_hash: hash ?? null,
    status: verification === 'unverified' ? 'confirmed' : 'pending',
    verification,
    awaits_approval: awaitsApproval,
    requested_by: by.actor.userId,
    notes: reason ?? '',
    hash_place: hashPlace,
    next_check_at: verification === 'confirming' ? now : null,
    created_at: now,
  })
  await bookIfUnverified(tx, deps, step, paymentId, amountMicro, verification)
  await record(tx, deps, step, awaitsApproval ? 'request_payment' : 'pay')
}

const noDebt = (debtId: DebtId) =>
  new Refusal(
    'not_found',
    debtId.kind === 'period' ? 'There is no such billing period.' : 'There is no such payout.',
  )

/** Whose account the debt is, and where it is paid to. */
export const accountOf = (debt: Pick<DebtRow, 'user_id' | 'usdt_address'>) => ({
  userId: debt.user_id,
  address: debt.usdt_address ?? undefined,
})

/** How the rule of two persons names a debt. */
export const subjectOf = (debtId: DebtId): string => {
  const { objectType, objectId } = objectOf(debtId)
  return `${objectType} ${objectId}`
}

function checkPayable(debt: DebtRow, { debtId, hash }: PaymentEntry, { clock, tron }: BillingDeps): void {
  if (debt.status === 'void') throw wrongState('This bill is void: nothing is paid for it.')
  if (isSettled(debt))
    throw wrongState(
      debtId.kind === 'period' ? 'This billing period is paid already.' : 'This payout is paid already.',
    )
  if (debt.withheld_at !== null)
    throw wrongState('This bill is withheld for review. It can be paid once that ends.')
  if (debt.awaits_amendment)
    throw wrongState('An amendment of this bill waits for a second person. Decide on it first.')
  if (debt.is_being_held)
    throw wrongState(
      'Messages of this client are being held for review. Look at its cases, or again in a minute.',
    )
  if (debt.payable_from > clock.now()) {
    const at = { at: debt.payable_from.toISOString() }
    throw wrongState(
      debtId.kind === 'period'
        ? sentence('This bill may be paid from {at}.', { at })
        : sentence('This payout may be paid from {at}.', { at }),
    )
  }
  // A transfer cannot be found without knowing where it went.
  const needsAddress = debtId.kind === 'period' || (tron !== undefined && hash !== undefined)
  if (needsAddress && debt.usdt_address === null)
    throw new Refusal('unprocessable', 'The client has not given a USDT address yet. Ask for it first.', {
      fields: { usdtAddress: 'Missing' },
    })
}

/** Without a node or a hash nothing can be looked up: the payment counts at once, and is marked as unverified. */
function initialVerification({ tron }: BillingDeps, hash: string | undefined): PaymentVerification {
  return tron === undefined || hash === undefined ? 'unverified' : 'confirming'
}

/** What nobody looks up is booked as received, by the word of whoever entered it. */
async function bookIfUnverified(
  tx: Db,
  deps: BillingDeps,
  { debtId, debt, by }: PaymentStep,
  paymentId: string,
  receivedMicro: bigint,
  verification: PaymentVerification | null,
): Promise<void> {
  const { userId: actorId } = by.actor
  if (verification === 'unverified')
    await bookReceived(tx, deps, { debtId, debt, paymentId, receivedMicro, parts: [], actorId })
  await updateDebtState(tx, deps, { debtId, paymentId })
}

async function approve(
  tx: Db,
  deps: BillingDeps,
  step: PaymentStep & { readonly current: PaymentRow },
): Promise<void> {
  const { current, debt, hash, by } = step
  const request = {
    requestedBy: current.requested_by,
    ownRequestText: 'You asked for this payment. A second person must agree to it.',
  }
  await checkSecondPerson(tx, request, [accountOf(debt)], by.actor)
  if ((hash ?? null) !== current.transaction_hash)
    throw wrongState('Another transaction hash waits for approval. Give the same one, or reject it first.')
  const verification = initialVerification(deps, hash)
  const isPaid = verification === 'unverified'
  await changePayment(tx, current.id, {
    status: isPaid ? 'confirmed' : 'pending',
    verification,
    note: '',
    processedBy: by.actor.userId,
    nextCheckAt: isPaid ? null : deps.clock.now(),
  })
  await bookIfUnverified(tx, deps, step, current.id, BigInt(debt.due_micro), verification)
  await record(tx, deps, step, 'approve_payment')
}

/** How the audit log names a debt. */
export const objectOf = (debtId: DebtId) =>
  debtId.kind === 'period'
    ? { objectType: 'billing_period', objectId: `${debtId.cycleId}-${debtId.userId}` }
    : { objectType: 'payout', objectId: debtId.id }

async function record(tx: Db, deps: BillingDeps, { debtId, hash, reason, by }: PaymentEntry, verb: string) {
  const { objectType, objectId } = objectOf(debtId)
  await deps.audit.record(tx, {
    ...by,
    action: `${objectType}.${verb}`,
    objectType,
    objectId,
    after: { transactionHash: hash ?? '', ...(reason === undefined ? {} : { reason }) },
  })
}
