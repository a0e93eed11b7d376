// Prices of the past, from the database: for what is priced after it was stored.
import { sql } from 'kysely'
import { rateAt, type Rate } from '../numbers/index.ts'
import { rows, type Db } from '../platform/db.ts'

interface ReadRateRow {
  readonly id: number
  readonly scope: Rate['from']
  readonly rate_micro: number
  readonly valid_from: Date
}

/**
 * What one SMS to this number earns this client, by its time in milliseconds: the number's own price, else the client's own
 * rate, else the global one, as the catalog prices messages when they come.
 */
export async function rateReader(
  db: Db,
  of: { readonly numberId: number; readonly userId: number },
): Promise<(atMs: number) => Rate> {
  const found = await rows<ReadRateRow>(
    db,
    sql`select id, scope, coalesce(rate_micro, 0)::float8 as rate_micro, valid_from from rates
        where scope = 'global' or scope = 'user' and user_id = ${of.userId}
          or scope = 'number' and number_id = ${of.numberId}
        order by id`,
  )
  const historyOf = (from: Rate['from']): Rate[] =>
    found
      .filter(({ scope }) => scope === from)
      .map((row) => ({
        rateId: row.id,
        rateMicro: row.rate_micro,
        validFromMs: row.valid_from.getTime(),
        from,
      }))
  const histories = [historyOf('number'), historyOf('user'), historyOf('global')]
  return (atMs) => {
    for (const history of histories) {
      const rate = rateAt(history, atMs)
      if (rate !== undefined) return rate
    }
    throw new Error('No global rate is in force; the schema begins with one')
  }
}
