// SQL on the price history. Rows are only added, so the rate of an old record can always be read.
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

/** Whose rate it is. */
export type RateScope =
  | { readonly scope: 'global' }
  | { readonly scope: 'user'; readonly userId: number }
  | { readonly scope: 'number'; readonly numberId: number }

export const globalScope: RateScope = { scope: 'global' }

/** The columns of a scope; the global rate has neither. */
export function scopeIds(scope: RateScope): { userId: number | null; numberId: number | null } {
  return {
    userId: scope.scope === 'user' ? scope.userId : null,
    numberId: scope.scope === 'number' ? scope.numberId : null,
  }
}

/** The condition of the scope's own rates r. */
function isOf(scope: RateScope): RawBuilder<unknown> {
  if (scope.scope === 'global') return sql`r.scope = 'global'`
  return scope.scope === 'user'
    ? sql`r.scope = 'user' and r.user_id = ${scope.userId}`
    : sql`r.scope = 'number' and r.number_id = ${scope.numberId}`
}

/** Adds a rate from `validFrom` on; null ends an own rate. The caller has closed the traffic gate. */
export async function appendRate(
  tx: Db,
  scope: RateScope,
  rate: { rateMicro: bigint | null; validFrom: Date; setBy: number },
): Promise<void> {
  const { userId, numberId } = scopeIds(scope)
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

/** The history of a scope: newest first. */
export function rateHistory(db: Db, scope: RateScope): Promise<RateRow[]> {
  return rows<RateRow>(
    db,
    sql`select r.id, r.rate_micro, r.valid_from, u.username as set_by
        from rates r left join users u on u.id = r.set_by
        where ${isOf(scope)} order by r.id desc limit ${historyMax}`,
  )
}

/** The newest entry of a scope; undefined when there never was one. */
export function latestRate(db: Db, scope: RateScope): Promise<Omit<RateRow, 'id'> | undefined> {
  return row(
    db,
    sql`select r.rate_micro, r.valid_from, u.username as set_by
        from rates r left join users u on u.id = r.set_by where ${isOf(scope)} order by r.id desc limit 1`,
  )
}
