// Which numbers of the stock fit a request.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { diallingCode } from '../country.ts'
import { viewNumbers, type NumberView } from '../views.ts'
import type { RequestRow } from './store.ts'

const offersMax = 50

/**
 * Available numbers for a request, best first: the very one, then its neighbours (same leading digits), then the rest
 * of the country asked for. A request that names neither fits any number.
 */
export async function offersFor(db: Db, request: RequestRow): Promise<NumberView[]> {
  const { requested_number: wish, preferred_country: country, country_code: code } = request
  const prefix = `${wish.slice(0, -4)}%`
  const dialling = diallingCode(code).replace('+', '')
  const found = await rows<{ id: number }>(
    db,
    sql`select id from numbers
        where deleted_at is null and status = 'active' and holder_id is null and (
          (${wish} <> '' and number like ${prefix})
          or (${dialling} <> '' and number like ${`${dialling}%`})
          or (${country} <> '' and lower(country) = lower(${country}))
          or (${wish} = '' and ${dialling} = '' and ${country} = ''))
        order by (number = ${wish}) desc, (${wish} <> '' and number like ${prefix}) desc, number
        limit ${offersMax}`,
  )
  return viewNumbers(
    db,
    found.map(({ id }) => id),
  )
}
