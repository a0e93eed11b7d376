// Inventory items: numbers with their own price, and whether they accept messages.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { z } from 'zod'
import type { InventoryItem, inventoryInputSchema } from '@tollgate/contract/numbers/inventory.ts'
import { labelled, sentence, spoken } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog, type CatalogChange } from '../change-catalog.ts'
import { isCountryCode, withCountry } from '../country.ts'
import type { Caller } from '../../http/handlers.ts'
import { numberObject, type NumbersDeps } from '../deps.ts'
import { checkVersion, refuseWhereBroken } from '../../platform/refusals.ts'
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

function fieldsOf(row: NumberRow): NumberFields {
  return {
    number: row.number,
    description: row.description,
    tariffMicro: row.tariff_micro === null ? null : BigInt(row.tariff_micro),
    status: row.status,
    type: row.type,
    country: row.country,
    countryCode: row.country_code,
    operator: row.operator,
    priceMicro: row.price_micro === null ? null : BigInt(row.price_micro),
  }
}

/**
 * Adds a number with an own price, or sets the first own price of an existing number. Throws Refusal forbidden for one that
 * the caller holds.
 */
export async function stockNumber(deps: NumbersDeps, input: StockInput, by: Caller): Promise<InventoryItem> {
  checkCountry(input.countryCode)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const existing = await lockNumberByDigits(tx, input.number)
    if (existing !== undefined && existing.price_micro !== null) throw numberTaken(input.number)
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

/** Throws Refusal invalid for letters that are no country: they have no dialling code, so an export could not be imported. */
function checkCountry(code: string | undefined): void {
  if (code !== undefined && !isCountryCode(code))
    throw new Refusal(
      'invalid',
      sentence('There is no country {code}. Enter one such as GB, or its code.', { code }),
      {
        fields: { countryCode: 'Enter a country such as GB, or its code such as +44' },
      },
    )
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
        description: '',
        tariffMicro: null,
        status: 'active',
        type: 'premium',
        ...withCountry(input.number, { country: '', countryCode: input.countryCode }),
        operator: input.operator,
        priceMicro: rateMicro,
      }),
  )
  // Valid from 1970: the number never had another price, so a late message from before now is priced by this one too.
  await prices.append(tx, { numberId: id, rateMicro, validFrom: new Date(0), setBy: actor.userId })
  return id
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
    ...fieldsOf(row),
    countryCode: input.countryCode === '' ? row.country_code : input.countryCode,
    operator: input.operator === '' ? row.operator : input.operator,
    priceMicro: rateMicro,
  })
  await prices.append(tx, { numberId: row.id, rateMicro, validFrom: change.now, setBy: actor.userId })
  return row.id
}

interface StockEdit {
  readonly countryCode?: string | undefined
  readonly operator?: string | undefined
  /** Empty: the number settles by the weekly bill from now on. */
  readonly pricePerSms?: string | undefined
  /** When the price starts, ISO 8601; missing: now. */
  readonly startsAt?: string | undefined
  readonly version?: number | undefined
}

/**
 * Changes a number from now on; with `startsAt` its price then, and the present one stays until then. Throws Refusal
 * not_found, stale, invalid, forbidden for the price of a number that the caller holds, and wrong_state when a price that
 * waited starts within seconds.
 */
export async function editStock(
  deps: NumbersDeps,
  idText: string,
  edit: StockEdit,
  by: Caller,
): Promise<InventoryItem> {
  const id = numberId(idText)
  checkCountry(edit.countryCode)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    checkVersion(edit.version, row.version)
    const before = await itemIn(tx, id)
    const fields = fieldsOf(row)
    const entered = enteredPrice(edit, fields)
    const priceMicro = edit.startsAt === undefined ? entered : fields.priceMicro
    await updateNumber(tx, change, id, {
      ...fields,
      countryCode: edit.countryCode ?? row.country_code,
      operator: edit.operator ?? row.operator,
      priceMicro,
    })
    const { startsAt } = edit
    if (startsAt !== undefined || priceMicro !== fields.priceMicro) {
      if (row.holder_id !== null) await deps.refuseOwnAccount(tx, [{ userId: row.holder_id }], by.actor)
      const price = { numberId: id, rateMicro: entered, setBy: by.actor.userId }
      if (startsAt === undefined) await deps.prices.append(tx, { ...price, validFrom: change.now })
      else await deps.prices.schedule(tx, { ...price, startsAt, now: change.now })
    }
    const after = await itemIn(tx, id)
    await deps.audit.record(tx, { ...by, ...numberObject(id), action: 'number.edit', before, after })
    return after
  })
}

/** The price of an edit, else the present one. Throws Refusal invalid for a start without a price. */
function enteredPrice({ pricePerSms, startsAt }: StockEdit, { priceMicro }: NumberFields): bigint | null {
  if (pricePerSms !== undefined) return enteredMicro(pricePerSms)
  if (startsAt === undefined) return priceMicro
  const fault = spoken('Enter the rate that starts then')
  throw new Refusal('invalid', labelled('pricePerSms', fault), { fields: { pricePerSms: fault } })
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
