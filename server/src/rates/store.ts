// SQL on the price history. Rows are only added, so the rate of an old record can always be read.
import { sql, type RawBuilder } from 'kysely'
import type { Db, FoundBy } from '../platform/db.ts'

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
function isOf(scope: RateScope): RawBuilder<boolean> {
  if (scope.scope === 'global') return sql<boolean>`r.scope = 'global'`
  return scope.scope === 'user'
    ? sql<boolean>`r.scope = 'user' and r.user_id = ${scope.userId}`
    : sql<boolean>`r.scope = 'number' and r.number_id = ${scope.numberId}`
}

/** Adds a rate from `validFrom` on; null ends an own rate. The caller has closed the traffic gate. */
export async function appendRate(
  tx: Db,
  scope: RateScope,
  rate: { rateMicro: bigint | null; validFrom: Date; setBy: number },
): Promise<void> {
  const { userId, numberId } = scopeIds(scope)
  await tx
    .insertInto('rates')
    .values({
      scope: scope.scope,
      user_id: userId,
      number_id: numberId,
      rate_micro: rate.rateMicro,
      valid_from: rate.validFrom,
      set_by: rate.setBy,
    })
    .execute()
}

// The newest rates come first.
const ratesOf = (db: Db, scope: RateScope) =>
  db
    .selectFrom('rates as r')
    .leftJoin('users as u', 'u.id', 'r.set_by')
    .select(['r.id', 'r.rate_micro', 'r.valid_from', 'u.username as set_by'])
    .where(isOf(scope))
    .orderBy('r.id', 'desc')

// Enough for one page.
const historyMax = 500

/** The history of a scope: newest first. */
export function rateHistory(db: Db, scope: RateScope) {
  return ratesOf(db, scope).limit(historyMax).execute()
}

/** The newest entry of a scope; undefined when there never was one. */
export function latestRate(db: Db, scope: RateScope) {
  return ratesOf(db, scope).limit(1).executeTakeFirst()
}

export type RateRow = FoundBy<typeof latestRate>
