// The writers' side of the traffic gate: no batch of messages is priced while numbers, holders, ranges or rates change.
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'
import { closeTrafficGate } from '../platform/locks/traffic-gate.ts'

/** One change of the catalog: rows that it touches get `version`, and the new values are valid from `now` on. */
export interface CatalogChange {
  readonly version: bigint
  readonly now: Date
}

/**
 * Closes the traffic gate until this transaction ends and starts a new catalog version. Call it first in every
 * transaction that changes numbers, holders, ranges or rates.
 *
 * `now` is in whole milliseconds, as the receipt times of messages are. It is rounded up, because a message of the same
 * millisecond may be committed already with the old price. It is later than every earlier change, so that no holding
 * and no rate has an empty time span. If the clock was set back by more than a minute, `now` follows the clock anyway:
 * otherwise changes would become valid only when the clock catches up.
 */
export async function changeCatalog(tx: Db): Promise<CatalogChange> {
  await closeTrafficGate(tx)
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
