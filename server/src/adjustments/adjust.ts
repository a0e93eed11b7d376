// Adjustments: corrections of what a client is owed. Each is a new ledger transaction with a reason and an actor; no
// earlier entry changes.
import type { Adjustment, adjustmentInputSchema } from '@tollgate/contract/adjustments/adjustments.ts'
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { correctionMaxMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { changeCatalog } from '../numbers/index.ts'
import { transaction } from '../platform/transaction.ts'
import { parseMessageId } from '../ingest/index.ts'
import {
  belongsTo,
  findAdjustment,
  insertAdjustment,
  lockAdjustment,
  setAdjustment,
  type AdjustmentSubject,
} from './adjustment-store.ts'
import { carryOut, prepareGrant } from './backdate.ts'
import { releaseRecords } from './backdating-store.ts'
import {
  unbilledCycleOf,
  checkSecondPerson,
  needsSecondPerson,
  type MoneyAct,
  type BillingDeps,
  userExists,
  parsePeriodId,
} from '../billing/index.ts'
import type { Caller } from '../http/handlers.ts'

/** Posts an adjustment; above the limit it waits for a second person first. Throws Refusal invalid and forbidden. */
export async function createAdjustment(
  deps: BillingDeps,
  input: z.output<typeof adjustmentInputSchema>,
  by: Caller,
): Promise<Adjustment> {
  return transaction(deps.db, async (tx) => {
    const { userId, reason } = input
    if (!(await userExists(tx, userId)))
      throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Unknown user' } })
    const amountMicro = parseMicro(input.amount) ?? 0n
    const reference = await checkedReference(tx, userId, input.reference, amountMicro)
    if (absolute(amountMicro) > correctionMaxMicro && !takenBackPattern.test(reference)) throw tooLarge()
    const actorId = by.actor.userId
    const at = deps.clock.now()
    const id = await insertAdjustment(tx, {
      user_id: userId,
      amount_micro: amountMicro,
      reason,
      reference,
      status: 'pending',
      requested_by: actorId,
      created_at: at,
    })
    const needsApproval = await needsSecondPerson(tx, deps, [actOf(id, userId, amountMicro)], by.actor)
    if (!needsApproval)
      await post(tx, deps, { id, userId, amountMicro, reason, actorId, at, decisionReason: '' })
    await record(tx, deps, by, needsApproval ? 'request' : 'post', id, {
      userId,
      amount: input.amount,
      reason,
      ...(reference === '' ? {} : { reference }),
    })
    return readAdjustment(tx, id)
  })
}

const absolute = (micro: bigint) => (micro < 0n ? -micro : micro)

const tooLarge = () =>
  new Refusal('invalid', 'A correction of more than 1,000,000 USDT is a mistake. Check the amount.', {
    fields: { amount: 'At most 1,000,000' },
  })

const actOf = (id: string, userId: number, amountMicro: bigint): MoneyAct => ({
  userId,
  amountMicro: absolute(amountMicro),
  subject: `adjustment ${id}`,
})

/**
 * The reference without a leading #. Throws Refusal invalid when it is not a bill, payout, record or correction of this
 * client; a correction can only be taken back, once and in full.
 */
async function checkedReference(tx: Db, userId: number, typed: string, amountMicro: bigint): Promise<string> {
  const reference = typed.replace(/^#/, '')
  if (reference === '') return ''
  const subject = subjectOf(reference, amountMicro)
  const isOwnBill = subject?.kind !== 'bill' || parsePeriodId(reference)?.userId === userId
  if (subject === undefined || !isOwnBill || !(await belongsTo(tx, userId, subject)))
    throw new Refusal('invalid', 'The reference is no bill, payout, record or correction of this client.', {
      fields: {
        reference:
          'No bill (3-17), payout (payout-5), message ID or correction to take back (correction-8) of this client',
      },
    })
  return reference
}

// A correction that is taken back.
const takenBackPattern = /^correction-(\d{1,18})$/

function subjectOf(reference: string, amountMicro: bigint): AdjustmentSubject | undefined {
  const bill = parsePeriodId(reference)
  if (bill !== undefined) return { kind: 'bill', cycleId: bill.cycleId }
  const [, payout] = /^payout-(\d{1,18})$/.exec(reference) ?? []
  if (payout !== undefined) return { kind: 'payout', id: payout }
  const [, correction] = takenBackPattern.exec(reference) ?? []
  if (correction !== undefined) return { kind: 'correction', id: correction, amountMicro: -amountMicro }
  const key = parseMessageId(reference)
  return key && { kind: 'record', key }
}

/** A second person accepts or rejects an adjustment that waits. Throws Refusal not_found, wrong_state and forbidden. */
export async function decideAdjustment(
  deps: BillingDeps,
  id: string,
  { action, reason: decisionReason }: { action: 'accept' | 'reject'; reason: string },
  by: Caller,
): Promise<Adjustment> {
  const isAccepted = action === 'accept'
  const grant = isAccepted ? await prepareGrant(deps.db, id) : undefined
  return transaction(deps.db, async (tx) => {
    const change = grant && (await changeCatalog(tx))
    const found = await lockAdjustment(tx, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such correction.')
    if (found.status !== 'pending') throw new Refusal('wrong_state', 'This correction is decided already.')
    const actorId = by.actor.userId
    const { user_id: userId, reason } = found
    // The person who asked for the adjustment may withdraw it.
    const requestedBy = isAccepted ? found.requested_by : null
    await checkSecondPerson(
      tx,
      { requestedBy, ownRequestText: 'You asked for this correction. A second person must agree to it.' },
      [{ userId }],
      by.actor,
    )
    const at = deps.clock.now()
    const amountMicro = BigInt(found.amount_micro)
    if (isAccepted) {
      if (grant && change) await carryOut(tx, deps, change, id, grant, { actor: by.actor, ip: by.ip })
      await post(tx, deps, { id, userId, amountMicro, reason, actorId, at, decisionReason })
    } else {
      await setAdjustment(tx, id, {
        status: 'rejected',
        cycleId: null,
        decidedBy: actorId,
        decisionReason,
        at,
      })
      await releaseRecords(tx, id)
    }
    await record(tx, deps, by, action, id, { reason: decisionReason })
    return readAdjustment(tx, id)
  })
}

interface Posting {
  readonly id: string
  readonly userId: number
  readonly amountMicro: bigint
  readonly reason: string
  readonly actorId: number
  readonly at: Date
  readonly decisionReason: string
}

async function post(tx: Db, { ledger }: BillingDeps, posting: Posting): Promise<void> {
  const open = await ledger.holdOpenCycle(tx)
  // A correction for a period that could not be closed goes into that period, because its bill is not made yet.
  const cycleId = (await unbilledCycleOf(tx, posting.userId)) ?? open.id
  const { id, userId, amountMicro, reason, actorId, at, decisionReason } = posting
  const line = { cycleId, kind: 'adjustment', reference: id, actorId, reason }
  await ledger.post(tx, [
    { ...line, userId, account: 'payable', amountMicro },
    { ...line, userId: null, account: 'adjustment', amountMicro: -amountMicro },
  ])
  await setAdjustment(tx, id, { status: 'posted', cycleId, decidedBy: actorId, decisionReason, at })
}

async function readAdjustment(tx: Db, id: string): Promise<Adjustment> {
  const found = await findAdjustment(tx, id)
  if (found === undefined) throw new Error('The correction did not come back')
  return found
}

async function record(tx: Db, deps: BillingDeps, by: Caller, verb: string, id: string, after: object) {
  await deps.audit.record(tx, {
    ...by,
    action: `adjustment.${verb}`,
    objectType: 'adjustment',
    objectId: id,
    after,
  })
}
