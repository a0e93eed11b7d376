// Inventory items: numbers with their own price, and whether they accept messages.
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { InventoryItem, inventoryInputSchema } from '@tollgate/contract/numbers/inventory.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import { countryName, withCountry } from '../country.ts'
import type { Caller } from '../../http/handlers.ts'
import { numberObject, type NumbersDeps } from '../deps.ts'
import { checkCountry, fieldsOf } from '../edit-number.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { numberId, numberTaken, unknownNumber } from '../refusals.ts'
import {
  insertNumber,
  lockNumber,
  lockNumberByDigits,
  setStatuses,
  updateNumber,
  type NumberFields,
  type NumberRow,
} from '../store.ts'
import { itemIn } from './item.ts'

type StockInput = z.output<typeof inventoryInputSchema>

/**
 * Adds a number with an own price, or sets the first own price of an existing number. Throws Refusal forbidden for one that
 * the caller holds.
 */
export async function stockNumber(deps: NumbersDeps, input: StockInput, by: Caller): Promise<InventoryItem> {
  checkCountry(input.countryCode)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const existing = await lockNumberByDigits(tx, input.number)
    if (existing !== undefined && (existing.price_micro !== null || input.pricePerSms === ''))
      throw numberTaken(input.number)
    const id =
      existing === undefined
        ? await addPriced(deps, tx, change, input, by)
        : await givePrice(deps, tx, change, existing, input, by)
    const after = await itemIn(tx, id)
    await deps.audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: existing === undefined ? 'number.create' : 'number.set_price',
      after,
    })
    return after
  })
}

async function addPriced(
  { prices }: NumbersDeps,
  tx: Db,
  change: CatalogChange,
  input: StockInput,
  { actor }: Caller,
): Promise<number> {
  const rateMicro = enteredMicro(input.pricePerSms)
  const id = await refuseWhereBroken(
    'numbers_number_key',
    () => numberTaken(input.number),
    () =>
      insertNumber(tx, change, {
        number: input.number,
        description: input.description,
        tariffMicro: enteredMicro(input.rate),
        status: input.status ?? 'active',
        type: input.type ?? 'premium',
        ...withCountry(input.number, input),
        operator: input.operator,
        priceMicro: rateMicro,
      }),
  )
  if (rateMicro === null) return id
  // Valid from 1970: the number never had another price, so a late message from before now is priced by this one too.
  await prices.append(tx, { numberId: id, rateMicro, validFrom: new Date(0), setBy: actor.userId })
  return id
}

/** What was left empty stays as it is. */
function given(kept: NumberFields, input: StockInput): NumberFields {
  return {
    ...kept,
    description: input.description || kept.description,
    tariffMicro: enteredMicro(input.rate) ?? kept.tariffMicro,
    status: input.status ?? kept.status,
    type: input.type ?? kept.type,
    country: input.country === '' ? kept.country : countryName(input.country),
    countryCode: input.countryCode || kept.countryCode,
    operator: input.operator || kept.operator,
  }
}

async function givePrice(
  { prices, refuseOwnAccount }: NumbersDeps,
  tx: Db,
  change: CatalogChange,
  row: NumberRow,
  input: StockInput,
  { actor }: Caller,
): Promise<number> {
  if (row.holder_id !== null) await refuseOwnAccount(tx, [{ userId: row.holder_id }], actor)
  const rateMicro = enteredMicro(input.pricePerSms)
  await updateNumber(tx, change, row.id, {
    ...given(fieldsOf(row), input),
    priceMicro: rateMicro,
  })
  await prices.append(tx, { numberId: row.id, rateMicro, validFrom: change.now, setBy: actor.userId })
  return row.id
}

/**
 * Cancels the price that waits for a number. Throws Refusal not_found when there is no such number or none waits, and forbidden
 * for a number that the caller holds: a lower price may wait.
 */
export async function cancelScheduledPrice(
  { db, audit, prices, refuseOwnAccount }: NumbersDeps,
  idText: string,
  by: Caller,
): Promise<undefined> {
  const id = numberId(idText)
  await transaction(db, async (tx) => {
    await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    if (row.holder_id !== null) await refuseOwnAccount(tx, [{ userId: row.holder_id }], by.actor)
    const { scheduled } = await itemIn(tx, id)
    if (!(await prices.drop(tx, id)))
      throw new Refusal('not_found', 'No rate waits: it has started, or was cancelled.')
    await audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: 'number.cancel_scheduled',
      before: { rate: scheduled?.rate, startsAt: scheduled?.startsAt },
    })
  })
  return undefined
}

/** Suspends or resumes a number. Messages to a suspended one are refused at once; its holder stays. */
export async function setSuspended(
  { db, audit }: NumbersDeps,
  idText: string,
  isSuspended: boolean,
  by: Caller,
): Promise<InventoryItem> {
  const id = numberId(idText)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    const status = isSuspended ? 'suspended' : 'active'
    if (row.status === status)
      throw new Refusal(
        'wrong_state',
        isSuspended ? 'This number is already suspended.' : 'This number is active.',
      )
    await setStatuses(tx, change, new Map([[id, status]]))
    await audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: isSuspended ? 'number.suspend' : 'number.resume',
      before: { status: row.status },
      after: { status },
    })
    return itemIn(tx, id)
  })
}
