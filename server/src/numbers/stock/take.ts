// A client takes an offered number for itself.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { OfferedNumber } from '@tollgate/contract/numbers/stock.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import type { NumbersDeps } from '../deps.ts'
import { assignIn } from '../inventory/assign.ts'
import { numberId, unknownNumber } from '../refusals.ts'
import { lockNumber } from '../store.ts'
import { toComingPrice, viewNumber, type NumberView } from '../views.ts'

/** The condition that a number n is offered. Staff offer a number by giving it a price of its own. */
export const isOffered = sql`n.deleted_at is null and n.status = 'active' and n.holder_id is null
  and n.price_micro is not null`

export function toOffered(view: NumberView): OfferedNumber {
  return {
    id: String(view.id),
    number: view.number,
    country: view.country,
    countryCode: view.country_code,
    operator: view.operator,
    type: view.type,
    pricePerSms: formatMicro(BigInt(view.price_micro ?? 0), 2),
    scheduled: toComingPrice(view),
  }
}

/** How many numbers the client may still take: those of the last 24 hours count. */
export async function takesLeft(
  { stockTakesPerDay }: Pick<NumbersDeps, 'stockTakesPerDay'>,
  db: Db,
  userId: number,
): Promise<number> {
  const taken = await db
    .selectFrom('number_holders')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .whereRef('assigned_by', '=', 'user_id')
    .where('created_at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
    .executeTakeFirst()
  return Math.max(0, ((await stockTakesPerDay?.(db)) ?? 0) - (taken?.count ?? 0))
}

const gone = () =>
  new Refusal(
    'taken',
    'Somebody else has this number by now, or it is not offered any more. Choose another one.',
  )

/** Assigns an offered number to the caller. Of two callers the traffic gate and the number's lock let one through. */
export async function takeNumber(deps: NumbersDeps, idText: string, by: Caller): Promise<OfferedNumber> {
  const id = numberId(idText)
  if (isPermitted(by.actor.role, 'numbersManagement'))
    throw new Refusal(
      'wrong_state',
      'Clients take numbers for themselves. Assign this one in Number Inventory.',
    )
  return transaction(deps.db, async (tx) => {
    if ((await deps.stockOffer?.(tx)) !== 'take')
      throw new Refusal('wrong_state', 'Numbers are not given at once here. Send a request for this one.')
    const change = await changeCatalog(tx)
    const number = await lockNumber(tx, id)
    if (number === undefined) throw unknownNumber()
    if (number.status !== 'active' || number.holder_id !== null || number.price_micro === null) throw gone()
    // Counted under the gate, so that two calls of one client cannot pass together.
    if ((await takesLeft(deps, tx, by.actor.userId)) === 0)
      throw new Refusal(
        'wrong_state',
        'You have taken as many numbers as you may in a day. Request this one instead.',
      )
    await assignIn(deps, tx, change, [number], { userId: by.actor.userId, mayBeOwn: true }, by)
    const view = await viewNumber(tx, id)
    if (view === undefined) throw unknownNumber()
    return toOffered(view)
  })
}
