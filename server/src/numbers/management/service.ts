// Premium numbers: adding, changing and deleting.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { PremiumNumber, PremiumNumberInput } from '@tollgate/contract/numbers/numbers.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog } from '../change-catalog.ts'
import { countryName, diallingCode, withCountry } from '../country.ts'
import type { Caller } from '../../http/handlers.ts'
import { numberObject, type NumbersDeps } from '../deps.ts'
import { checkVersion, refuseWhereBroken } from '../../platform/refusals.ts'
import { numberId, numberTaken, unknownNumber } from '../refusals.ts'
import {
  endHoldings,
  hasRecords,
  insertNumber,
  lockNumber,
  markDeleted,
  updateNumber,
  type NumberFields,
  type NumberRow,
} from '../store.ts'
import { toScheduledPrice, viewNumber, type NumberView } from '../views.ts'

export function toPremiumNumber(view: NumberView): PremiumNumber {
  return {
    id: String(view.id),
    number: view.number,
    description: view.description,
    rate: formatMicro(BigInt(view.bill_micro), 2),
    status: view.status,
    country: view.country,
    countryCode: diallingCode(view.country_code),
    type: view.type,
    createdAt: view.created_at.toISOString(),
    version: view.version,
  }
}

async function readNumber(tx: Db, id: number): Promise<NumberView> {
  const view = await viewNumber(tx, id)
  if (view === undefined) throw unknownNumber()
  return view
}

export async function createPremiumNumber(
  { db, audit }: NumbersDeps,
  input: PremiumNumberInput,
  by: Caller,
): Promise<PremiumNumber> {
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const fields = {
      number: input.number,
      description: input.description,
      tariffMicro: enteredMicro(input.rate),
      status: input.status,
      type: input.type,
      ...withCountry(input.number, input),
      operator: '',
      priceMicro: null,
    }
    const id = await refuseWhereBroken(
      'numbers_number_key',
      () => numberTaken(input.number),
      () => insertNumber(tx, change, fields),
    )
    const after = toPremiumNumber(await readNumber(tx, id))
    await audit.record(tx, { ...by, ...numberObject(id), action: 'number.create', after })
    return after
  })
}

/** Fields that are missing stay as they are. */
type PremiumNumberEdit = {
  readonly [K in keyof PremiumNumberInput]?: PremiumNumberInput[K] | undefined
}

export async function editPremiumNumber(
  { db, audit }: NumbersDeps,
  idText: string,
  edit: PremiumNumberEdit,
  by: Caller,
): Promise<PremiumNumber> {
  const id = numberId(idText)
  return transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    const row = await lockNumber(tx, id)
    if (row === undefined) throw unknownNumber()
    checkVersion(edit.version, row.version)
    const before = toPremiumNumber(await readNumber(tx, id))
    const fields = editedFields(row, before, edit)
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
    const after = toPremiumNumber(await readNumber(tx, id))
    await audit.record(tx, { ...by, ...numberObject(id), action: 'number.edit', before, after })
    return after
  })
}

function editedFields(row: NumberRow, shown: PremiumNumber, edit: PremiumNumberEdit): NumberFields {
  // A form sends back what it was shown. A range's tariff that was not edited must not become the number's own tariff.
  const isRateAsShown = edit.rate !== undefined && parseMicro(edit.rate) === parseMicro(shown.rate)
  const isCodeAsShown = edit.countryCode === undefined || edit.countryCode === shown.countryCode
  return {
    number: edit.number ?? row.number,
    description: edit.description ?? row.description,
    tariffMicro:
      edit.rate === undefined || isRateAsShown
        ? row.tariff_micro === null
          ? null
          : BigInt(row.tariff_micro)
        : enteredMicro(edit.rate),
    status: edit.status ?? row.status,
    type: edit.type ?? row.type,
    country: edit.country === undefined ? row.country : countryName(edit.country),
    countryCode: isCodeAsShown ? row.country_code : (edit.countryCode ?? row.country_code),
    operator: row.operator,
    priceMicro: row.price_micro === null ? null : BigInt(row.price_micro),
  }
}

/** Marks the number as deleted and ends its holding; a price that waits will not start. The row stays, because records, bills and payouts refer to it. */
export async function deletePremiumNumber(
  { db, audit, prices }: NumbersDeps,
  idText: string,
  by: Caller,
): Promise<void> {
  const id = numberId(idText)
  await transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    if ((await lockNumber(tx, id)) === undefined) throw unknownNumber()
    const before = await readNumber(tx, id)
    await endHoldings(tx, change, [id])
    await markDeleted(tx, change, id)
    const scheduled = toScheduledPrice(before)
    await prices.drop(tx, id)
    await audit.record(tx, {
      ...by,
      ...numberObject(id),
      action: 'number.delete',
      before: {
        ...toPremiumNumber(before),
        assignedTo: before.holder_id,
        ...(scheduled && { scheduled }),
      },
    })
  })
}
