// Assigns numbers to holders and ends holdings. A wrong holder would be paid for another client's traffic. So every step
// is checked under the traffic gate, and an exclusion constraint in the database refuses overlapping holdings.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { AssignedItem, InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { Caller } from '../../http/handlers.ts'
import { manyObjects } from '../bulk-set.ts'
import { numberObject, type NumbersDeps } from '../deps.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { numberId, unknownNumber } from '../refusals.ts'
import { endHoldings, lockClient, lockNumber, startHoldings, type NumberRow } from '../store.ts'
import { itemIn } from './item.ts'

/** Throws Refusal invalid (unknown account) or wrong_state (not active). */
async function activeClient(tx: Db, userId: number): Promise<{ username: string }> {
  const client = await lockClient(tx, userId)
  if (client === undefined)
    throw new Refusal('invalid', sentence('There is no user with the id {id}.', { id: String(userId) }), {
      fields: { userId: 'No such user' },
    })
  if (client.status !== 'active')
    throw new Refusal(
      'wrong_state',
      sentence('{name} is not active. Activate the account first.', { name: client.username }),
    )
  return client
}

/** Throws Refusal wrong_state or taken when the number cannot be assigned now. */
export function checkAvailable(row: NumberRow): void {
  if (row.status !== 'active')
    throw new Refusal(
      'wrong_state',
      sentence('{number} is suspended. Resume it before assigning it.', { number: `+${row.number}` }),
    )
  if (row.holder_id !== null)
    throw new Refusal(
      'taken',
      sentence('{number} is already assigned. Unassign it first.', { number: `+${row.number}` }),
    )
}

export const heldMeanwhile = () =>
  new Refusal('taken', 'Somebody held this number after that time. Choose a later start.')

interface Assignment {
  readonly userId: number
  readonly from?: Date
  readonly changeId?: string
  /** Numbers go to the caller's own account only as a client takes them, or as they are given back. */
  readonly mayBeOwn?: true
}

/**
 * Assigns available numbers to an active user, in a transaction that has closed the gate. Makes one audit entry. Throws
 * Refusal forbidden for the caller's own account: who sets prices would earn by a price of his own; and wrong_state when the
 * client's terms allow fewer numbers.
 */
export async function assignIn(
  { audit, refuseOwnAccount, terms }: NumbersDeps,
  tx: Db,
  change: CatalogChange,
  found: readonly NumberRow[],
  { userId, from = change.now, changeId, mayBeOwn }: Assignment,
  by: Caller,
): Promise<void> {
  if (mayBeOwn !== true) await refuseOwnAccount(tx, [{ userId }], by.actor)
  for (const row of found) checkAvailable(row)
  const { username } = await activeClient(tx, userId)
  await terms?.checkNumbers(tx, { userId, username }, found.length)
  await refuseWhereBroken('number_holders_no_overlap', heldMeanwhile, () =>
    startHoldings(tx, change, {
      numberIds: found.map(({ id }) => id),
      userId,
      from,
      assignedBy: by.actor.userId,
    }),
  )
  await audit.record(tx, {
    ...by,
    ...manyObjects('number', 'numbers', found),
    action: 'number.assign',
    before: { assignedTo: null },
    after: {
      numbers: found.map((row) => row.number),
      assignedTo: userId,
      username,
      from: from.toISOString(),
      ...(changeId !== undefined && { change: changeId }),
    },
  })
}

export async function assignNumber(
  deps: NumbersDeps,
  idText: string,
  userId: number,
  by: Caller,
): Promise<AssignedItem> {
  const id = numberId(idText)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    await assignIn(deps, tx, change, [row], { userId }, by)
    return { ...(await itemIn(tx, id)), waitingCredit: null }
  })
}

export async function unassignNumber(
  { db, audit }: NumbersDeps,
  idText: string,
  by: Caller,
): Promise<InventoryItem> {
  const id = numberId(idText)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    if (row.holder_id === null) throw new Refusal('wrong_state', 'Nobody holds this number.')
    await endHoldings(tx, change, [id])
    await audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: 'number.unassign',
      before: { assignedTo: row.holder_id, from: row.held_from?.toISOString() ?? null },
      after: { assignedTo: null, to: change.now.toISOString() },
    })
    return itemIn(tx, id)
  })
}
