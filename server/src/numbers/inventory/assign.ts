// Who holds a number from when to when. A wrong holder is paid for somebody else's traffic, so every step is checked
// under the traffic gate, and the database's constraint has the last word.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { InventoryItem } from '@tollgate/contract/inventory.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import type { By, NumbersDeps } from '../deps.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { numberId, unknownNumber } from '../refusals.ts'
import { endHolding, lockClient, lockNumber, lockNumbers, startHoldings, type NumberRow } from '../store.ts'
import { itemIn } from './item.ts'

/** Throws Refusal invalid (unknown account) or wrong_state (not active). */
async function activeClient(tx: Db, userId: number): Promise<{ username: string }> {
  const client = await lockClient(tx, userId)
  if (client === undefined)
    throw new Refusal('invalid', `There is no user with the id ${userId}.`, {
      fields: { userId: 'No such user' },
    })
  if (client.status !== 'active')
    throw new Refusal('wrong_state', `${client.username} is not active. Activate the account first.`)
  return client
}

/** Whether the number can be given to somebody now. Throws Refusal wrong_state or taken. */
export function checkAvailable(row: NumberRow): void {
  if (row.status !== 'active')
    throw new Refusal('wrong_state', `+${row.number} is suspended. Resume it before assigning it.`)
  if (row.holder_id !== null)
    throw new Refusal('taken', `+${row.number} is already assigned. Unassign it first.`)
}

/** Gives available numbers to an active user, inside a transaction that has the gate. One click, one audit entry. */
export async function assignIn(
  { audit }: NumbersDeps,
  tx: Db,
  change: CatalogChange,
  found: readonly NumberRow[],
  assignment: { userId: number; from?: Date },
  by: By,
): Promise<void> {
  for (const row of found) checkAvailable(row)
  const { userId, from = change.now } = assignment
  const { username } = await activeClient(tx, userId)
  await refuseWhereBroken(
    'number_holders_no_overlap',
    () => new Refusal('taken', 'Somebody else held this number after that time. Choose a later start.'),
    () =>
      startHoldings(tx, change, {
        numberIds: found.map(({ id }) => id),
        userId,
        from,
        assignedBy: by.actor.userId,
      }),
  )
  await audit.record(tx, {
    ...by,
    action: 'number.assign',
    objectType: 'number',
    objectId: found.length === 1 ? String(found[0]?.id) : `${found.length} numbers`,
    before: { assignedTo: null },
    after: {
      numbers: found.map((row) => row.number),
      assignedTo: userId,
      username,
      from: from.toISOString(),
    },
  })
}

/** An admin may say since when; nobody may say a time to come. */
function checkStart(from: Date, now: Date, { actor }: By): void {
  if (actor.role !== 'admin')
    throw new Refusal('forbidden', 'Only an admin may assign a number from an earlier time.')
  if (from > now)
    throw new Refusal('invalid', 'A number can be assigned from now or from an earlier time.', {
      fields: { from: 'This time has not come yet' },
    })
}

export async function assignNumber(
  deps: NumbersDeps,
  idText: string,
  { userId, from }: { userId: number; from?: string | undefined },
  by: By,
): Promise<InventoryItem> {
  const id = numberId(idText)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    const start = from === undefined ? undefined : new Date(from)
    if (start !== undefined) checkStart(start, change.now, by)
    await assignIn(deps, tx, change, [row], { userId, ...(start && { from: start }) }, by)
    return itemIn(tx, id)
  })
}

/** All or none. */
export async function assignNumbers(
  deps: NumbersDeps,
  idTexts: readonly string[],
  userId: number,
  by: By,
): Promise<number> {
  const ids = [...new Set(idTexts.map((id) => numberId(id)))]
  await transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const found = await lockNumbers(tx, ids)
    if (found.length < ids.length) throw unknownNumber()
    await assignIn(deps, tx, change, found, { userId }, by)
  })
  return ids.length
}

export async function unassignNumber(
  { db, audit }: NumbersDeps,
  idText: string,
  by: By,
): Promise<InventoryItem> {
  const id = numberId(idText)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    if (row.holder_id === null) throw new Refusal('wrong_state', 'Nobody holds this number.')
    await endHolding(tx, change, id)
    await audit.record(tx, {
      ...by,
      action: 'number.unassign',
      objectType: 'number',
      objectId: String(id),
      before: { assignedTo: row.holder_id, from: row.held_from?.toISOString() ?? null },
      after: { assignedTo: null, to: change.now.toISOString() },
    })
    return itemIn(tx, id)
  })
}
