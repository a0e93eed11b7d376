// Finds available numbers that fit a number request.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { diallingCode } from '../country.ts'
import { viewNumbers, type NumberView } from '../views.ts'
import type { RequestRow } from './store.ts'

const offersMax = 50

// An international number has at least so many digits (E.164); a short code has no leading digits that mean anything.
const internationalDigitsMin = 8

/**
 * Available numbers for a request, best first: the requested number, then those with the same leading digits unless it is a
 * short code, then the other numbers of the preferred country. A request without number and country fits any number.
 */
export async function offersFor(db: Db, request: RequestRow): Promise<NumberView[]> {
  const { requested_number: requested, preferred_country: country, country_code: code } = request
  const alike = requested.length < internationalDigitsMin ? requested : `${requested.slice(0, -4)}%`
  const dialling = diallingCode(code).replace('+', '')
  const found = await rows<{ id: number }>(
    db,
    sql`select id from numbers
        where deleted_at is null and status = 'active' and holder_id is null and (
          (${requested} <> '' and number like ${alike})
          or (${dialling} <> '' and number like ${`${dialling}%`})
          or (${country} <> '' and lower(country) = lower(${country}))
          or (${requested} = '' and ${dialling} = '' and ${country} = ''))
        order by (number = ${requested}) desc, (${requested} <> '' and number like ${alike}) desc, number
        limit ${offersMax}`,
  )
  return viewNumbers(
    db,
    found.map(({ id }) => id),
  )
}
