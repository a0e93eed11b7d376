// What a person decides about a payment that waits for approval, was not found on the chain, or is of another amount.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import type { PaymentDifference } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../http/handlers.ts'
import { checkSecondPerson, needsSecondPerson } from '../approval/second-person.ts'
import { creditSurplus, takeBack, updateDebtState, waiveRest, waiveSurplus } from './book.ts'
import {
  findUnsentRun,
  isUnderWay,
  lockClientDebts,
  lockDebt,
  type DebtId,
  type DebtRow,
} from '../debts/debt-store.ts'
import { accountOf, objectOf } from './pay.ts'
import { setOffCredit } from '../debts/set-off.ts'
import { decideUnallocated } from './unallocated-payment.ts'
import {
  changePayment,
  debtOf,
  findPaymentRow,
  proposeDecision,
  type PaymentDecision,
  type PaymentRow,
} from './payment-store.ts'

const wrongState = (message: Words) => new Refusal('wrong_state', message)
// The network drops a transaction that is in no block long before a day has passed.
const mayStillComeMs = 86_400_000

export interface DecisionInput {
  readonly action: 'accept' | 'reject'
  /** What becomes of the difference. Default: a rest stays due, and a surplus becomes the client's credit. */
  readonly difference?: PaymentDifference | undefined
  readonly reason: string
}

/**
 * Decides about a payment; null stands for a debt that has none. A rest or a surplus above the limit, and a rejection of
 * what has arrived, need a second person: the first call notes the decision, the same call by somebody else carries it
 * out. Throws Refusal not_found and wrong_state.
 */
export async function decidePayment(
  deps: BillingDeps,
  paymentId: string | null,
  input: DecisionInput,
  by: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    if (paymentId === null) throw noDecision()
    const before = await findPaymentRow(tx, paymentId)
    if (before === undefined) throw new Refusal('not_found', 'There is no such payment.')
    const debtId = debtOf(before)
    if (debtId === undefined) return decideUnallocated(tx, deps, paymentId, input, by)
    await lockClientDebts(tx, before.user_id)
    const debt = await lockDebt(tx, debtId)
    const payment = await findPaymentRow(tx, paymentId)
    if (debt === undefined || payment?.status !== 'pending') throw noDecision()
    const decision = decisionOn(payment, input, deps.clock.now())
    if (decision === 'waive') await refuseOnItsWay(tx, debtId, payment)
    const step = { debtId, debt, payment, decision, reason: input.reason, by }
    const isDone = await agreed(tx, deps, step)
    if (isDone) await carryOut(tx, deps, step)
    await record(tx, deps, step, isDone ? `${decision}_payment` : `propose_${decision}_payment`)
  })
}

const noDecision = () => wrongState('No payment of it waits for a decision.')

/**
 * What is given up may still be sent: by another payment, or by a payment run with its file, whose transfer nothing would book
 * then. Who loses when this is wrong: the platform, which pays what nobody owes any more. A run whose transfer has come sends
 * nothing more, and of a surplus nothing is due.
 */
async function refuseOnItsWay(tx: Db, debtId: DebtId, { verification }: PaymentRow): Promise<void> {
  if (await isUnderWay(tx, debtId))
    throw wrongState('Another payment of it is under way. Wait for the result.')
  if (verification !== 'underpaid') return
  const runId = await findUnsentRun(tx, debtId)
  if (runId !== undefined)
    throw wrongState(
      sentence(
        'It is in payment run {id}, which may send what is due. Wait for its transfer, or end the run first.',
        {
          id: runId,
        },
      ),
    )
}

interface DecisionStep {
  readonly debtId: DebtId
  /** The row, locked by this transaction. */
  readonly debt: DebtRow
  readonly payment: PaymentRow
  readonly decision: PaymentDecision
  readonly reason: string
  readonly by: Caller
}

function decisionOn(payment: PaymentRow, { action, difference }: DecisionInput, now: Date): PaymentDecision {
  const { verification } = payment
  if (action === 'reject') {
    // If a transfer were rejected that is confirmed later, the bill would be paid twice.
    if (verification === 'confirming' && now.getTime() - payment.created_at.getTime() < mayStillComeMs)
      throw wrongState('The transfer may still be confirmed. It can be rejected after 24 hours.')
    return 'reject'
  }
  if (verification === 'underpaid') {
    if (difference === 'credit')
      throw wrongState('Less than the bill arrived: there is nothing to keep as credit.')
    return difference ?? 'owe'
  }
  if (verification !== 'overpaid') throw wrongState('Only a payment of another amount can be accepted.')
  if (difference === 'owe') throw wrongState('More than the bill arrived: nothing stays due.')
  return difference ?? 'credit'
}

/** The surplus that this payment brought: not more than it is itself. */
function surplusOf({ debt, payment }: DecisionStep): bigint {
  const [surplus, received] = [BigInt(debt.surplus_micro), BigInt(payment.received_micro)]
  return surplus < received ? surplus : received
}

/** Whether the decision counts now. If a second person is missing, it is noted instead. */
async function agreed(tx: Db, deps: BillingDeps, step: DecisionStep): Promise<boolean> {
  const { debt, payment, decision, reason, by } = step
  if (payment.proposed_decision === decision) {
    const request = {
      requestedBy: payment.proposed_by,
      ownRequestText: 'You asked for this decision. A second person must agree to it.',
    }
    await checkSecondPerson(tx, request, [accountOf(debt)], by.actor)
    return true
  }
  const amountMicro = {
    owe: 0n,
    waive: payment.verification === 'underpaid' ? BigInt(debt.due_micro) : surplusOf(step),
    credit: surplusOf(step),
    reject: BigInt(payment.received_micro),
  }[decision]
  const act = { ...accountOf(debt), amountMicro, subject: `decision ${payment.id}` }
  if (!(await needsSecondPerson(tx, deps, [act], by.actor))) return true
  await proposeDecision(tx, payment.id, {
    decision,
    by: by.actor.userId,
    reason,
    at: deps.clock.now(),
  })
  return false
}

async function carryOut(tx: Db, deps: BillingDeps, step: DecisionStep): Promise<void> {
  const { debtId, debt, payment, decision, reason, by } = step
  const booking = { debtId, debt, paymentId: payment.id, actorId: by.actor.userId, reason }
  const isRejected = decision === 'reject'
  if (isRejected) await takeBack(tx, deps, { ...booking, receivedMicro: BigInt(payment.received_micro) })
  else if (payment.verification === 'underpaid') {
    if (decision === 'waive') await waiveRest(tx, deps, booking)
  } else if (decision === 'waive') await waiveSurplus(tx, deps, booking, surplusOf(step))
  else await creditSurplus(tx, deps, booking, surplusOf(step))
  await changePayment(tx, payment.id, {
    status: isRejected ? 'failed' : 'confirmed',
    verification: isRejected ? 'rejected' : payment.verification,
    // What was said of a transfer that was meant for something else says nothing of the bill.
    ...(isRejected && { note: '' }),
    decisionReason: reason,
    processedBy: by.actor.userId,
    nextCheckAt: null,
  })
  // A request that nobody approved, and a hash that was replaced, say nothing bad about the bill.
  const isFailed = isRejected && !payment.awaits_approval && payment.replaced_with === null
  await updateDebtState(tx, deps, { debtId, paymentId: debt.payment_id ?? payment.id, isFailed })
  if (decision === 'credit') await setOffCredit(tx, deps, debt.user_id)
}

async function record(tx: Db, deps: BillingDeps, step: DecisionStep, verb: string): Promise<void> {
  const { objectType, objectId } = objectOf(step.debtId)
  await deps.audit.record(tx, {
    actor: step.by.actor,
    ip: step.by.ip,
    action: `${objectType}.${verb}`,
    objectType,
    objectId,
    after: {
      paymentId: step.payment.id,
      transactionHash: step.payment.transaction_hash ?? '',
      reason: step.reason,
    },
  })
}
