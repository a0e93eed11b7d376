// Backdating a holding gives the holder what the number received while nobody held it: an adjustment that names its messages,
// and that a second person accepts whatever its amount. Until then nothing changes.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { startEarlier, type CatalogChange, type CreditUnowned, type WaitingCredit } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { insertAdjustment } from './adjustment-store.ts'
import { refuseOwnAccount, type BillingDeps } from '../billing/index.ts'
import {
  creditedIds,
  findBackdating,
  findWaiting,
  insertCredited,
  type Backdating,
} from './backdating-store.ts'
import { completeBacklog, priceBacklog, readBacklog, sumOfCredits, type Backlog } from './backlog.ts'

/** For the numbers slice, which assigns: see {@link CreditUnowned}. */
export function creditUnownedWith(deps: Pick<BillingDeps, 'db' | 'clock' | 'audit'>): CreditUnowned {
  return async (of) => {
    const backlog = await readBacklog(deps.db, of)
    return (tx, holding, by) => askForCredit(tx, deps, { holding, backlog }, by)
  }
}

/** Throws Refusal wrong_state when such an adjustment waits already, and forbidden for the person's own account. */
async function askForCredit(
  tx: Db,
  { audit, clock }: Pick<BillingDeps, 'clock' | 'audit'>,
  { holding, backlog }: { holding: Backdating; backlog: Backlog },
  by: Caller,
): Promise<WaitingCredit | undefined> {
  const { digits, userId } = holding
  const waiting = await findWaiting(tx, holding.numberId)
  if (waiting !== undefined)
    throw new Refusal(
      'wrong_state',
      sentence('Adjustment {id} backdates {number} and waits for a second person. Decide on it first.', {
        id: waiting,
        number: `+${digits}`,
      }),
    )
  const records = await priceBacklog(tx, holding, await completeBacklog(tx, holding, backlog))
  if (records.length === 0) return undefined
  await refuseOwnAccount(tx, [{ userId }], by.actor)
  const amountMicro = sumOfCredits(records)
  const reason = reasonOf(holding, records.length)
  const id = await insertAdjustment(tx, {
    user_id: userId,
    amount_micro: amountMicro,
    reason,
    status: 'pending',
    requested_by: by.actor.userId,
    created_at: clock.now(),
    number_id: holding.numberId,
    held_from: holding.from,
    held_to: holding.to,
    record_count: records.length,
  })
  await insertCredited(tx, id, records)
  const amount = formatMicro(amountMicro, 2)
  await audit.record(tx, {
    ...by,
    action: 'adjustment.request',
    objectType: 'adjustment',
    objectId: id,
    after: { userId, amount, reason },
  })
  return { adjustmentId: id, smsCount: records.length, amount }
}

/** What the client reads on the bill. */
function reasonOf({ digits, from, to }: Backdating, count: number): string {
  const minute = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ')
  return `${count} SMS to +${digits}, held from ${minute(from)} instead of ${minute(to)} UTC`
}

/** An adjustment that backdates a holding, ready to be accepted. */
export interface Grant {
  readonly holding: Backdating
  readonly backlog: Backlog
}

/** What {@link carryOut} needs, read before the traffic gate is closed; undefined for every other adjustment. */
export async function prepareGrant(db: Db, adjustmentId: string): Promise<Grant | undefined> {
  const holding = await findBackdating(db, adjustmentId)
  return holding && { holding, backlog: await readBacklog(db, holding) }
}

/**
 * Lets the holding begin earlier, in a transaction that has closed the gate. Throws Refusal wrong_state when the messages or
 * the holding are not what was asked for any more, and taken when somebody else held the number.
 */
export async function carryOut(
  tx: Db,
  deps: Pick<BillingDeps, 'audit'>,
  change: CatalogChange,
  adjustmentId: string,
  { holding, backlog }: Grant,
  by: Caller,
): Promise<void> {
  const known = new Set(await creditedIds(tx, adjustmentId))
  const now = (await completeBacklog(tx, holding, backlog)).filter(({ createdAt }) => createdAt < holding.to)
  const addedCount = now.filter(({ id }) => !known.has(id)).length
  if (addedCount > 0)
    throw new Refusal(
      'wrong_state',
      sentence(
        '{count} more SMS came late to {number} since this was asked for. Reject it, and backdate the number again.',
        { count: addedCount, number: `+${holding.digits}` },
      ),
    )
  await startEarlier(deps, tx, change, holding, by)
}
