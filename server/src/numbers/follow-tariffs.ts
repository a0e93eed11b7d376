// Updates the column by which lists are sorted by tariff after a range has changed. A trigger does it when a number
// itself changes, but triggers on numbers do not see changes of ranges.
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'

// One update takes about 20 ms. A change of one of these numbers waits no longer than that.
const idsPerUpdate = 2_000

/**
 * Updates sort_tariff_micro: of all numbers after a range has changed, of the imported numbers after an import, of none
 * otherwise. Needs no traffic gate, because nothing is priced by that column. May run twice or be interrupted.
 */
export async function followTariffs(db: Db, signal: AbortSignal): Promise<void> {
  const due = await row<{ version: string; spans: [firstId: number, lastId: number][] }>(
    db,
    sql`select c.version, case
          when exists (select from ranges where catalog_version > p.catalog_version)
            then json_build_array(json_build_array(1, coalesce((select max(id) from numbers), 0)))
          else (select json_agg(json_build_array(first_id, last_id)) from number_imports
                where catalog_version > p.catalog_version)
          end as spans
        from catalog c, number_tariff_position p
        where exists (select from ranges where catalog_version > p.catalog_version)
          or exists (select from number_imports where catalog_version > p.catalog_version)`,
  )
  if (due === undefined) return
  for (const [firstId, lastId] of due.spans)
    for (let from = firstId; from <= lastId; from += idsPerUpdate) {
      if (signal.aborted) return
      await sql`update numbers set sort_tariff_micro = coalesce(range_tariff_micro(number), 0)
        where id between ${from} and ${Math.min(from + idsPerUpdate - 1, lastId)}
          and deleted_at is null and tariff_micro is null
          and sort_tariff_micro <> coalesce(range_tariff_micro(number), 0)`.execute(db)
    }
  await sql`update number_tariff_position set catalog_version = ${due.version}
    where catalog_version < ${due.version}`.execute(db)
}
