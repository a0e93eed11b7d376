// Reads the records that were received in a part of a week, oldest first, a page at a time, with their names.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { nameColumns, nameJoins, type NamedRow } from './names.ts'
import { RecordsGone } from './read-range.ts'
import { recordColumns } from './record-row.ts'

/** From one time to before another, in one week from Monday to Monday, UTC. */
export interface ReceivedTime {
  readonly createdFrom: Date
  readonly createdTo: Date
}

/**
 * Pages of up to `rowsMax`. Each page's sum of the times of last change, in microseconds, is told: whoever compares the whole
 * with a later one finds a record that has changed. Throws RecordsGone when the week is not stored any more.
 */
export async function* readTime(
  db: Db,
  { createdFrom, createdTo }: ReceivedTime,
  rowsMax: number,
  onUpdated: (sumUs: bigint) => void,
): AsyncGenerator<readonly NamedRow[]> {
  let after = { at: createdFrom, id: '-1' }
  for (;;) {
    const page = await rows<NamedRow & { readonly updated_us: string }>(
      db,
      sql`select ${recordColumns}, ${nameColumns}, (extract(epoch from r.updated_at) * 1000000)::bigint as updated_us
          from records r ${nameJoins}
          where r.created_at >= ${after.at} and r.created_at < ${createdTo}
            and (r.created_at, r.id) > (${after.at}, ${after.id}::bigint)
          order by r.created_at, r.id limit ${rowsMax}`,
    )
    onUpdated(page.reduce((sum, { updated_us: us }) => sum + BigInt(us), 0n))
    const last = page.at(-1)
    if (last !== undefined) yield page
    if (last === undefined || page.length < rowsMax) break
    after = { at: last.created_at, id: last.id }
  }
  // Its rows go all at once, so what was read before the end was whole if it is still there.
  const week = await row<{ isStored: boolean }>(
    db,
    sql`select to_regclass('records_' || to_char(date_trunc('week', ${createdFrom}::timestamptz at time zone 'UTC'),
          'YYYYMMDD')) is not null as "isStored"`,
  )
  if (week?.isStored !== true) throw new RecordsGone('The week is gone')
}
