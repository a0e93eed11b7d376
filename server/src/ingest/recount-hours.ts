// Counts by the hour anew, for records of past weeks that were all stored within one hour.
import { sql } from 'kysely'
import { changed, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { recordFlags } from './message.ts'

/** Counts the hours since `since` by the times of the records, as if each had been stored when it was received; tests are no traffic. */
export async function recountHours(db: Db, since: Date): Promise<void> {
  await transaction(db, async (tx) => {
    await changed(tx, sql`delete from traffic_hours`)
    await changed(
      tx,
      sql`insert into traffic_hours (hour, kind, item_id, record_count)
          select date_trunc('hour', r.created_at, 'UTC'), c.kind, c.item_id, count(*)
          from records r cross join lateral (
            values ('gateway', r.gateway_id), ('range', coalesce(r.range_id, 0))
          ) c (kind, item_id)
          where r.created_at >= ${since} and r.flags & ${recordFlags.test} = 0 group by 1, 2, 3`,
    )
  })
}
