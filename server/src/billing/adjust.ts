// Corrections of what a client is owed. Each is a ledger entry of its own with reason and actor; nothing old changes.
import type { z } from 'zod'
import type { Adjustment, adjustmentInputSchema } from '@tollgate/contract/treasury.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { parseMessageId } from '../records/index.ts'
import {
  findAdjustment,
  insertAdjustment,
  isOwn,
  lockAdjustment,
  setAdjustment,
  type AdjustmentRow,
  type Referred,
} from './adjustment-store.ts'
import type { BillingParts, By } from './parts.ts'
import { userExists } from './payment-store.ts'
import { parsePeriodId } from './rules.ts'

export function toAdjustment(row: AdjustmentRow): Adjustment {
  return {
    id: row.id,
    userId: row.user_id,
    userName: row.username,
    amount: formatMicro(BigInt(row.amount_micro), 2),
    reason: row.reason,
    reference: row.reference,
    status: row.status,
    requestedBy: row.requested_by,
    decidedBy: row.decided_by ?? '',
    decisionReason: row.decision_reason,
    periodId: row.cycle_id === null ? null : `${row.cycle_id}-${row.user_id}`,
    createdAt: row.created_at.toISOString(),
    decidedAt: row.decided_at?.toISOString() ?? null,
  }
}

/** Posts a correction, or has it wait for a second person above the limit. Throws Refusal invalid. */
export async function createAdjustment(
  parts: BillingParts,
  input: z.output<typeof adjustmentInputSchema>,
  by: By,
): Promise<Adjustment> {
  return transaction(parts.db, async (tx) => {
    const { userId, reason } = input
    if (!(await userExists(tx, userId)))
      throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Unknown user' } })
    const reference = await ownReference(tx, userId, input.reference)
    const amountMicro = parseMicro(input.amount) ?? 0n
    const limitMicro = await parts.settings.secondPersonAboveMicro.get(tx)
    const waits = (amountMicro < 0n ? -amountMicro : amountMicro) > limitMicro
    const actorId = by.actor.userId
    const at = parts.clock.now()
    const id = await insertAdjustment(tx, {
      userId,
      amountMicro,
      reason,
      reference,
      requestedBy: actorId,
      at,
    })
    if (!waits) await post(tx, parts, { id, userId, amountMicro, reason, actorId, at, decisionReason: '' })
    await record(tx, parts, by, waits ? 'request' : 'post', id, {
      userId,
      amount: input.amount,
      reason,
      ...(reference === '' ? {} : { reference }),
    })
    return shown(tx, id)
  })
}

/** The reference as it is kept. Throws Refusal invalid for what is not this client's: nobody could follow it later. */
async function ownReference(tx: Db, userId: number, given: string): Promise<string> {
  const reference = given.replace(/^#/, '')
  if (reference === '') return ''
  const of = referredBy(reference)
  const isMine = of !== undefined && (of.kind !== 'bill' || parsePeriodId(reference)?.userId === userId)
  if (!isMine || !(await isOwn(tx, userId, of)))
    throw new Refusal('invalid', 'The reference is no bill, payout or record of this client.', {
      fields: { reference: 'No bill (3-17), payout (payout-5) or message ID of this client' },
    })
  return reference
}

function referredBy(reference: string): Referred | undefined {
  const bill = parsePeriodId(reference)
  if (bill !== undefined) return { kind: 'bill', cycleId: bill.cycleId }
  const [, payout] = /^payout-(\d{1,18})$/.exec(reference) ?? []
  if (payout !== undefined) return { kind: 'payout', id: payout }
  const key = parseMessageId(reference)
  return key && { kind: 'record', key }
}

/** A second person's word on a correction that waits. Throws Refusal not_found and wrong_state. */
export async function decideAdjustment(
  parts: BillingParts,
  id: string,
  { action, reason: decisionReason }: { action: 'accept' | 'reject'; reason: string },
  by: By,
): Promise<Adjustment> {
  return transaction(parts.db, async (tx) => {
    const found = await lockAdjustment(tx, id)
    if (found === undefined) throw new Refusal('not_found', 'There is no such correction.')
    if (found.status !== 'pending') throw new Refusal('wrong_state', 'This correction is decided already.')
    const actorId = by.actor.userId
    if (action === 'accept' && found.requested_by === actorId)
      throw new Refusal('wrong_state', 'You asked for this correction. A second person must accept it.')
    const { user_id: userId, reason } = found
    const at = parts.clock.now()
    const amountMicro = BigInt(found.amount_micro)
    if (action === 'accept')
      await post(tx, parts, { id, userId, amountMicro, reason, actorId, at, decisionReason })
    else
      await setAdjustment(tx, id, {
        status: 'rejected',
        cycleId: null,
        decidedBy: actorId,
        decisionReason,
        at,
      })
    await record(tx, parts, by, action, id, { reason: decisionReason })
    return shown(tx, id)
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

async function post(tx: Db, { ledger }: BillingParts, posting: Posting): Promise<void> {
  const { id: cycleId } = await ledger.holdOpenCycle(tx)
  const { id, userId, amountMicro, reason, actorId, at, decisionReason } = posting
  const line = { cycleId, kind: 'adjustment', reference: id, actorId, reason }
  await ledger.post(tx, [
    { ...line, userId, account: 'payable', amountMicro },
    { ...line, userId: null, account: 'adjustment', amountMicro: -amountMicro },
  ])
  await setAdjustment(tx, id, { status: 'posted', cycleId, decidedBy: actorId, decisionReason, at })
}

async function shown(tx: Db, id: string): Promise<Adjustment> {
  const found = await findAdjustment(tx, id)
  if (found === undefined) throw new Error('The correction did not come back')
  return toAdjustment(found)
}

async function record(tx: Db, parts: BillingParts, by: By, verb: string, id: string, after: object) {
  await parts.audit.record(tx, {
    actor: by.actor,
    ip: by.ip,
    action: `adjustment.${verb}`,
    objectType: 'adjustment',
    objectId: id,
    after,
  })
}
