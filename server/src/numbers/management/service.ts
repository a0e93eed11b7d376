// Premium numbers: adding and deleting.
import { formatMicro } from '@tollgate/contract/money.ts'
import type { PremiumNumber, PremiumNumberInput } from '@tollgate/contract/numbers/numbers.ts'
import { transaction } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog } from '../change-catalog.ts'
import { diallingCode, withCountry } from '../country.ts'
import type { Caller } from '../../http/handlers.ts'
import { numberObject, type NumbersDeps } from '../deps.ts'
import { readNumber } from '../edit-number.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { numberId, numberTaken, unknownNumber } from '../refusals.ts'
import { endHoldings, insertNumber, lockNumber, markDeleted } from '../store.ts'
import { toScheduledPrice, type NumberView } from '../views.ts'

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
