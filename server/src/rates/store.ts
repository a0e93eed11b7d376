// SQL on the price history. Rows are only added, so the rate of an old record can always be read.
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

type RateScope =
  | { readonly scope: 'global' }
  | { readonly scope: 'user'; readonly userId: number }
  | { readonly scope: 'number'; readonly numberId: number }

/** Adds a rate from `validFrom` on; null ends an own rate. The caller has closed the traffic gate. */
export async function appendRate(
  tx: Db,
  scope: RateScope,
  rate: { rateMicro: bigint | null; validFrom: Date; setBy: number },
): Promise<void> {
  const userId = scope.scope === 'user' ? scope.userId : null
  const numberId = scope.scope === 'number' ? scope.numberId : null
  await sql`insert into rates (scope, user_id, number_id, rate_micro, valid_from, set_by)
    values (${scope.scope}, ${userId}, ${numberId}, ${rate.rateMicro}, ${rate.validFrom}, ${rate.setBy})`.execute(
    tx,
  )
}

export interface RateRow {
  readonly id: number
  readonly rate_micro: string | null
  readonly valid_from: Date
  readonly set_by: string | null
}

// Enough for one page; the newest rates come first.
const historyMax = 500

/** The history of the global rate, or of one user's own: newest first. */
export function rateHistory(db: Db, userId?: number): Promise<RateRow[]> {
  const scope =
    userId === undefined ? sql`r.scope = 'global'` : sql`r.scope = 'user' and r.user_id = ${userId}`
  return rows<RateRow>(
    db,
    sql`select r.id, r.rate_micro, r.valid_from, u.username as set_by
        from rates r left join users u on u.id = r.set_by
        where ${scope} order by r.id desc limit ${historyMax}`,
  )
}

/** The newest entry of the global rate, or of one user's own rate; undefined when there never was one. */
export function latestRate(db: Db, userId?: number): Promise<Omit<RateRow, 'id'> | undefined> {
  const scope =
    userId === undefined ? sql`r.scope = 'global'` : sql`r.scope = 'user' and r.user_id = ${userId}`
  return row(
    db,
    sql`select r.rate_micro, r.valid_from, u.username as set_by
        from rates r left join users u on u.id = r.set_by where ${scope} order by r.id desc limit 1`,
  )
}
