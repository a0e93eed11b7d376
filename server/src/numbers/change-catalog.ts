// The writers' side of the traffic gate: no batch of messages is priced while numbers, holders, ranges or rates change.
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'

/** Key of the advisory lock. Batches of messages take it shared, changes and the cycle's close exclusively. */
export const trafficGateKey = 7001

/** One change of the catalog: rows it touches get `version`, and what it sets holds from `now` on. */
export interface CatalogChange {
  readonly version: bigint
  readonly now: Date
}

/**
 * Closes the traffic gate until this transaction ends and starts a new catalog version. Call it first in every
 * transaction that changes numbers, holders, ranges or rates.
 *
 * `now` is in whole milliseconds, as receipt times are, and rounded up: a message of this very millisecond may be
 * committed already, with the price before. It is later than every earlier change, so that no holding or
 * rate lasts zero time. A clock that is set back by more than a minute is believed all the same: otherwise changes
 * would start to hold only when it catches up.
 */
export async function changeCatalog(tx: Db): Promise<CatalogChange> {
  await sql`select pg_advisory_xact_lock(${trafficGateKey})`.execute(tx)
  const change = await row<{ version: string; now: Date }>(
    tx,
    sql`
      update catalog set version = version + 1, changed_at = case
        when changed_at >= clock.now and changed_at < clock.now + interval '1 minute'
          then changed_at + interval '1 millisecond'
        else clock.now end
      from (select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as now) clock
      returning version, changed_at as now`,
  )
  if (change === undefined) throw new Error('The catalog row is missing')
  return { version: BigInt(change.version), now: change.now }
}
