// Assigns a number from an earlier time. The money of messages that it received since then, while nobody held it, is not one
// person's to give: it waits as an adjustment, and until a second person accepts it the holding begins now.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { AssignedItem } from '@tollgate/contract/numbers/inventory.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import { numberObject, type BackdatedHolding, type NumbersDeps } from '../deps.ts'
import { numberId, unknownNumber } from '../refusals.ts'
import { isHeldWithin, lockNumber, startHoldingEarlier } from '../store.ts'
import { assignIn, checkAvailable, heldMeanwhile } from './assign.ts'
import { itemIn } from './item.ts'

interface Assignment {
  readonly userId: number
  readonly from: Date
}

/**
 * Assigns an available number, or lets the holding of its holder begin earlier. Throws Refusal forbidden (not an admin),
 * invalid (a future time), taken and wrong_state.
 */
export async function assignFrom(
  deps: NumbersDeps,
  idText: string,
  { userId, from }: Assignment,
  by: Caller,
): Promise<AssignedItem> {
  const id = numberId(idText)
  if (by.actor.role !== 'admin')
    throw new Refusal('forbidden', 'Only an admin may assign a number from an earlier time.')
  const askForCredit = await deps.creditUnowned?.({ numberId: id, from })
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    checkStart(from, change.now)
    const heldSince = row.holder_id === userId ? row.held_from : null
    const isEarlier = heldSince !== null && from < heldSince
    if (!isEarlier) checkAvailable(row)
    const to = isEarlier ? heldSince : change.now
    const holding = { numberId: id, digits: row.number, userId, from, to }
    await refuseHeld(tx, holding)
    const waiting = from < to ? await askForCredit?.(tx, holding, by) : undefined
    if (!isEarlier) {
      const start = waiting === undefined ? from : change.now
      await assignIn(deps, tx, change, [row], { userId, from: start }, by)
    } else if (waiting === undefined) await startEarlier(deps, tx, change, holding, by)
    return { ...(await itemIn(tx, id)), waitingCredit: waiting ?? null }
  })
}

/** Throws Refusal taken when somebody held the number, or a deleted one with its digits, in that time. */
export async function refuseHeld(
  db: Db,
  { digits, from, to }: Omit<BackdatedHolding, 'userId'>,
): Promise<void> {
  if (await isHeldWithin(db, digits, from, to)) throw heldMeanwhile()
}

function checkStart(from: Date, now: Date): void {
  if (from > now)
    throw new Refusal('invalid', 'A number can be assigned from now or from an earlier time.', {
      fields: { from: 'This time has not come yet' },
    })
}

/**
 * Lets a holding begin at `from` instead of at `to`, in a transaction that has closed the gate. Throws Refusal wrong_state
 * when no holding begins there, and taken when somebody else held the number in between.
 */
export async function startEarlier(
  { audit }: Pick<NumbersDeps, 'audit'>,
  tx: Db,
  change: CatalogChange,
  holding: BackdatedHolding,
  by: Caller,
): Promise<void> {
  const isMoved = await refuseWhereBroken('number_holders_no_overlap', heldMeanwhile, () =>
    startHoldingEarlier(tx, change, holding),
  )
  if (!isMoved)
    throw new Refusal(
      'wrong_state',
      sentence('The holding of {number} is not what it was when this was asked for. Backdate it again.', {
        number: `+${holding.digits}`,
      }),
    )
  await audit.record(tx, {
    ...by,
    ...numberObject(holding.numberId),
    action: 'number.backdate',
    before: { assignedTo: holding.userId, from: holding.to.toISOString() },
    after: { assignedTo: holding.userId, from: holding.from.toISOString() },
  })
}
