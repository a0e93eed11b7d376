// Keeps the lists' order by tariff true after changes of ranges, which no number's own trigger sees.
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'

// Some twenty milliseconds: a change of one of these numbers waits for no longer.
const portionIds = 2_000

/**
 * Brings sort_tariff_micro of all numbers up to the ranges as they are, after an import of those that it brought; does
 * nothing when no range and no import came since the last time. Takes no traffic gate: nothing is priced by that column.
 * Harmless when run twice or cut off.
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
    for (let from = firstId; from <= lastId; from += portionIds) {
      if (signal.aborted) return
      await sql`update numbers set sort_tariff_micro = coalesce(range_tariff_micro(number), 0)
        where id between ${from} and ${Math.min(from + portionIds - 1, lastId)}
          and deleted_at is null and tariff_micro is null
          and sort_tariff_micro <> coalesce(range_tariff_micro(number), 0)`.execute(db)
    }
  await sql`update number_tariff_position set catalog_version = ${due.version}
    where catalog_version < ${due.version}`.execute(db)
}
