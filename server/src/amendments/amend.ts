// Amendments: what is done about a bill before it is paid. What moves money counts for the rule of two persons; where
// somebody else must agree, the amendment waits until then. The bill is locked, so that it is not paid meanwhile.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { AmendmentKind } from '@tollgate/contract/vocabulary.ts'
import type { AuditActor } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import {
  checkSecondPerson,
  needsSecondPerson,
  refuseOwnAccount,
  type BillingDeps,
  announceChange,
  mailAmendment,
  lockDebt,
  type DebtRow,
  type BillId,
} from '../billing/index.ts'
import {
  findAmendment,
  hasPending,
  insertAmendment,
  setDecision,
  type AmendmentRow,
} from './amendment-store.ts'
import { amendmentKindOf, type AmendmentInput, type Draft } from './kinds.ts'

/**
 * Carries an amendment out, or notes it for a second person. Returns its id. Throws Refusal not_found, wrong_state (paid,
 * a payment under way, another amendment waits), invalid and forbidden (the caller's own account).
 */
export async function amend(
  deps: BillingDeps,
  bill: BillId,
  input: AmendmentInput,
  by: Caller,
): Promise<string> {
  return transaction(deps.db, async (tx) => {
    const debt = await lockBill(tx, bill)
    await refuseOwnAccount(tx, [{ userId: bill.userId, address: debt.usdt_address ?? undefined }], by.actor)
    if (await hasPending(tx, bill))
      throw new Refusal(
        'wrong_state',
        'An amendment of this bill waits for a second person. Decide on it first.',
      )
    const kind = amendmentKindOf(input.kind)
    const draft = await kind.check(tx, deps, { bill, debt, ...input })
    const now = deps.clock.now()
    const id = await insertAmendment(tx, {
      cycle_id: bill.cycleId,
      user_id: bill.userId,
      kind: input.kind,
      amount_micro: draft.amountMicro ?? null,
      message_ids: input.messageIds ?? [],
      usdt_address: draft.address ?? null,
      former_address: draft.address === undefined ? null : debt.usdt_address,
      reason: input.reason,
      client_reason: input.clientReason,
      requested_by: by.actor.userId,
      requested_at: now,
      acceptable_from: draft.acceptableFrom ?? now,
    })
    const waits = await mustWait(tx, deps, { bill, id, draft }, by)
    if (waits) await record(tx, deps, bill, await amendmentOf(tx, id), by, 'request')
    else await carryOut(tx, deps, { bill, debt, id, decisionReason: '' }, by)
    if (waits && input.kind === 'readdress') await mailAmendment(tx, deps, id)
    return id
  })
}

async function mustWait(
  tx: Db,
  deps: BillingDeps,
  { bill, id, draft }: { bill: BillId; id: string; draft: Draft },
  by: Caller,
): Promise<boolean> {
  if (draft.takesTwo === true) return true
  const { amountMicro } = draft
  if (amountMicro === undefined) return false
  return needsSecondPerson(
    tx,
    deps,
    [{ userId: bill.userId, amountMicro, subject: `amendment ${id}` }],
    by.actor,
  )
}

/**
 * A second person accepts or rejects an amendment that waits, or whoever asked takes it back. Throws Refusal not_found,
 * wrong_state and forbidden.
 */
export async function decideAmendment(
  deps: BillingDeps,
  id: string,
  { action, reason }: { action: 'accept' | 'reject'; reason: string },
  by: Caller,
): Promise<void> {
  await transaction(deps.db, async (tx) => {
    const found = await findAmendment(tx, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such amendment.')
    const bill = { cycleId: found.cycle_id, userId: found.user_id }
    const debt = await lockBill(tx, bill)
    const amendment = await amendmentOf(tx, id)
    if (amendment.status !== 'pending') throw new Refusal('wrong_state', 'This amendment is decided already.')
    if (amendment.case_id !== null)
      throw new Refusal('wrong_state', 'Messages of this bill are being held. Decide on their case.')
    const isAccepted = action === 'accept'
    const requestedBy = isAccepted ? amendment.requested_by : null
    const account = { userId: bill.userId, address: amendment.usdt_address ?? debt.usdt_address ?? undefined }
    await checkSecondPerson(
      tx,
      { requestedBy, ownRequestText: 'You asked for this amendment. A second person must agree to it.' },
      [account],
      by.actor,
    )
    if (!isAccepted) {
      await setDecision(tx, id, { status: 'rejected', by: by.actor.userId, at: deps.clock.now(), reason })
      return record(tx, deps, bill, await amendmentOf(tx, id), by, 'reject')
    }
    if (amendment.acceptable_from > deps.clock.now())
      throw new Refusal(
        'wrong_state',
        sentence('The waiting time of addresses ends at {at}. Accept it after that.', {
          at: { at: amendment.acceptable_from.toISOString() },
        }),
      )
    await carryOut(tx, deps, { bill, debt, id, decisionReason: reason }, by)
  })
}

interface CarriedOut {
  readonly bill: BillId
  /** The row, locked by this transaction. */
  readonly debt: DebtRow
  readonly id: string
  readonly decisionReason: string
}

/** Checks again, because the bill may have changed while the amendment waited. */
async function carryOut(
  tx: Db,
  deps: BillingDeps,
  { bill, debt, id, decisionReason }: CarriedOut,
  by: Caller,
) {
  const amendment = await amendmentOf(tx, id)
  const kind = amendmentKindOf(amendment.kind)
  const draft = await kind.check(tx, deps, { bill, debt, ...inputOf(amendment) })
  checkSame(draft, amendment)
  await setDecision(tx, id, {
    status: 'done',
    by: by.actor.userId,
    at: deps.clock.now(),
    reason: decisionReason,
  })
  await kind.carryOut(tx, deps, { bill, debt, amendment, draft, by })
  await record(tx, deps, bill, await amendmentOf(tx, id), by, 'do')
  await mailAmendment(tx, deps, id)
  await announceChange(tx, deps, { kind: 'period', ...bill })
}

function inputOf({ kind, reason, client_reason, amount_micro, message_ids }: AmendmentRow): AmendmentInput {
  const isOfMessages = message_ids.length > 0
  return {
    kind,
    reason,
    clientReason: client_reason,
    amountMicro: amount_micro === null || isOfMessages ? undefined : BigInt(amount_micro),
    messageIds: isOfMessages ? message_ids : undefined,
  }
}

function checkSame({ amountMicro, address }: Draft, amendment: AmendmentRow): void {
  const isSameAmount = (amountMicro ?? null) === (amendment.amount_micro && BigInt(amendment.amount_micro))
  if (!isSameAmount || (address ?? null) !== amendment.usdt_address)
    throw new Refusal(
      'wrong_state',
      'The bill has changed since this was asked for. Reject it, and ask again.',
    )
}

async function lockBill(tx: Db, { cycleId, userId }: BillId): Promise<DebtRow> {
  const debt = await lockDebt(tx, { kind: 'period', cycleId, userId })
  if (debt === undefined) throw new Refusal('not_found', 'There is no such bill.')
  return debt
}

export async function amendmentOf(tx: Db, id: string): Promise<AmendmentRow> {
  const found = await findAmendment(tx, id)
  if (found === undefined) throw new Error('The amendment did not come back')
  return found
}

/** A person, or the gateway itself. */
interface AuditedBy {
  readonly actor: AuditActor
  readonly ip: string
}

const verbs: Readonly<Record<AmendmentKind, string>> = {
  withhold: 'withhold',
  resume: 'resume',
  void: 'void',
  credit_note: 'credit',
  readdress: 'readdress',
}

export async function record(
  tx: Db,
  deps: BillingDeps,
  bill: BillId,
  amendment: AmendmentRow,
  by: AuditedBy,
  step: 'request' | 'do' | 'reject',
): Promise<void> {
  const verb = verbs[amendment.kind]
  await deps.audit.record(tx, {
    ...by,
    action: `billing_period.${step === 'do' ? verb : `${step}_${verb}`}`,
    objectType: 'billing_period',
    objectId: `${bill.cycleId}-${bill.userId}`,
    ...(amendment.former_address !== null && { before: { usdtAddress: amendment.former_address } }),
    after: {
      amendment: amendment.id,
      reason: amendment.reason,
      requestedBy: amendment.requester ?? '',
      ...(amendment.amount_micro !== null && { amount: formatMicro(BigInt(amendment.amount_micro), 2) }),
      ...(amendment.usdt_address !== null && { usdtAddress: amendment.usdt_address }),
      ...(amendment.message_ids.length > 0 && { messages: amendment.message_ids.length }),
      ...(amendment.decision_reason !== '' && { decisionReason: amendment.decision_reason }),
    },
  })
}
