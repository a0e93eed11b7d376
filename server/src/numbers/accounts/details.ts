// What the page of one number shows besides its row in the list.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { AccountNumber, NumberDetail } from '@tollgate/contract/numbers/numbers.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { NumberView } from '../views.ts'

// A number changes hands some times a year; the newest holdings come first.
const holdingsMax = 200

/** `holderId` limits the holdings to that client's. */
export async function readDetails(
  db: Db,
  view: NumberView,
  holderId: number | undefined,
): Promise<Omit<NumberDetail, keyof AccountNumber | 'usdPerSmsNow'>> {
  const range = await row<{ id: number; name: string }>(
    db,
    sql`select id, range_number as name from ranges
        where deleted_at is null and length(start_number) = length(${view.number}::text)
          and ${view.number} between start_number and end_number
        order by end_number::bigint - start_number::bigint, id limit 1`,
  )
  const holdings = await rows<{ user_id: number; username: string; held_from: Date; held_to: Date | null }>(
    db,
    sql`select h.user_id, u.username, h.held_from, h.held_to from number_holders h join users u on u.id = h.user_id
        where h.number_id = ${view.id} and ${holderId === undefined ? sql`true` : sql`h.user_id = ${holderId}`}
        order by h.held_from desc limit ${holdingsMax}`,
  )
  const { holder_id: id, holder_name: username, held_from: since } = view
  return {
    country: view.country,
    countryCode: view.country_code,
    operator: view.operator,
    pricePerSms: view.price_micro === null ? '' : formatMicro(BigInt(view.price_micro), 2),
    range: range === undefined ? null : { id: String(range.id), rangeNumber: range.name },
    holder: id === null || since === null ? null : { id, username, since: since.toISOString() },
    holdings: holdings.map((held) => ({
      userId: held.user_id,
      username: held.username,
      from: held.held_from.toISOString(),
      to: held.held_to?.toISOString() ?? null,
    })),
    version: view.version,
  }
}
