// Changes of one number: what it is, what its callers pay, and its own price.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { PremiumNumberInput } from '@tollgate/contract/numbers/numbers.ts'
import { labelled, sentence, spoken } from '@tollgate/contract/sentences.ts'
import type { Caller } from '../http/handlers.ts'
import type { Db } from '../platform/db.ts'
import { checkVersion, refuseWhereBroken } from '../platform/refusals.ts'
import { transaction } from '../platform/transaction.ts'
import { enteredMicro } from './amount.ts'
import { changeCatalog, type CatalogChange } from './change-catalog.ts'
import { countryName, diallingCode, isCountryCode } from './country.ts'
import { numberObject, type NumbersDeps } from './deps.ts'
import { numberId, numberTaken, unknownNumber } from './refusals.ts'
import { hasRecords, lockNumber, updateNumber, type NumberFields, type NumberRow } from './store.ts'
import { viewNumber, type NumberView } from './views.ts'

interface PriceEdit {
  readonly operator?: string | undefined
  /** Empty: the number settles by the weekly bill from now on. */
  readonly pricePerSms?: string | undefined
  /** When the price starts, ISO 8601; missing: now. */
  readonly startsAt?: string | undefined
}

/** Fields that are missing stay as they are. */
type NumberEdit = PriceEdit & { readonly [K in keyof PremiumNumberInput]?: PremiumNumberInput[K] | undefined }

export async function readNumber(tx: Db, id: number): Promise<NumberView> {
  const view = await viewNumber(tx, id)
  if (view === undefined) throw unknownNumber()
  return view
}

/** The fields of a stored number. */
export function fieldsOf(row: NumberRow): NumberFields {
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

/** Throws Refusal invalid for letters that are no country: they have no dialling code, so an export could not be imported. */
export function checkCountry(code: string | undefined): void {
  if (code !== undefined && !isCountryCode(code))
    throw new Refusal(
      'invalid',
      sentence('There is no country {code}. Enter one such as GB, or its code.', { code }),
      {
        fields: { countryCode: 'Enter a country such as GB, or its code such as +44' },
      },
    )
}

/**
 * Changes a number from now on; with `startsAt` its price then, and the present one stays until then. `shown` is how the
 * caller's list shows a number. Throws Refusal not_found, stale, invalid, forbidden for the price of a number that the
 * caller holds, and wrong_state for other digits of a number that has records, or when a price that waited starts within
 * seconds.
 */
export async function editNumber<T extends object>(
  deps: NumbersDeps,
  idText: string,
  edit: NumberEdit,
  by: Caller,
  shown: (view: NumberView) => T,
): Promise<T> {
  const id = numberId(idText)
  checkCountry(edit.countryCode)
  return transaction(deps.db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    checkVersion(edit.version, row.version)
    const view = await readNumber(tx, id)
    const fields = editedFields(row, view, edit)
    // Records show the digits of this row, so changed digits would change old records.
    if (fields.number !== row.number && (await hasRecords(tx, id)))
      throw new Refusal(
        'wrong_state',
        'This number has records, so its digits stay. Delete it and add the right one.',
      )
    await refuseWhereBroken(
      'numbers_number_key',
      () => numberTaken(fields.number),
      () => updateNumber(tx, change, id, fields),
    )
    await setPrice(deps, tx, change, row, edit, by)
    const after = shown(await readNumber(tx, id))
    await deps.audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: 'number.edit',
      before: shown(view),
      after,
    })
    return after
  })
}

function editedFields(row: NumberRow, view: NumberView, edit: NumberEdit): NumberFields {
  const kept = fieldsOf(row)
  const { number, description, rate, status, type, country, countryCode, operator } = edit
  // A form sends back what it was shown. A range's tariff that was not edited must not become the number's own tariff.
  const isRateAsShown =
    rate === undefined || parseMicro(rate) === parseMicro(formatMicro(BigInt(view.bill_micro), 2))
  const isCodeAsShown = countryCode === undefined || countryCode === diallingCode(row.country_code)
  return {
    number: number ?? kept.number,
    description: description ?? kept.description,
    tariffMicro: isRateAsShown ? kept.tariffMicro : enteredMicro(rate),
    status: status ?? kept.status,
    type: type ?? kept.type,
    country: country === undefined ? kept.country : countryName(country),
    countryCode: isCodeAsShown ? kept.countryCode : countryCode,
    operator: operator ?? kept.operator,
    priceMicro: edit.startsAt === undefined ? enteredPrice(edit, kept) : kept.priceMicro,
  }
}

/** Notes a changed price in the history of prices, or one that waits for its start. */
async function setPrice(
  deps: NumbersDeps,
  tx: Db,
  change: CatalogChange,
  row: NumberRow,
  edit: PriceEdit,
  { actor }: Caller,
): Promise<void> {
  const { startsAt } = edit
  const present = fieldsOf(row)
  const rateMicro = enteredPrice(edit, present)
  if (startsAt === undefined && rateMicro === present.priceMicro) return
  if (row.holder_id !== null) await deps.refuseOwnAccount(tx, [{ userId: row.holder_id }], actor)
  const price = { numberId: row.id, rateMicro, setBy: actor.userId }
  if (startsAt === undefined) await deps.prices.append(tx, { ...price, validFrom: change.now })
  else await deps.prices.schedule(tx, { ...price, startsAt, now: change.now })
}

/** The price of an edit, else the present one. Throws Refusal invalid for a start without a price. */
function enteredPrice({ pricePerSms, startsAt }: PriceEdit, { priceMicro }: NumberFields): bigint | null {
  if (pricePerSms !== undefined) return enteredMicro(pricePerSms)
  if (startsAt === undefined) return priceMicro
  const fault = spoken('Enter the rate that starts then')
  throw new Refusal('invalid', labelled('pricePerSms', fault), { fields: { pricePerSms: fault } })
}
