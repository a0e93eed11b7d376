import { sql } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'

export interface KnownNumber {
  readonly number: string
  readonly description: string
  readonly tariff_micro: string | null
  readonly status: string
  readonly country: string
  readonly country_code: string
}

/**
 * Those of the numbers that are there already. Each is looked up by itself: while the table has no statistics, as before
 * a first import, PostgreSQL takes a thousand numbers for all that there are and reads the whole table.
 */
export function knownNumbers(db: Db, digits: readonly string[]): Promise<KnownNumber[]> {
  return preparedRows<KnownNumber>(
    db,
    sql`select known.* from unnest(${[...digits]}::text[]) as asked (number) cross join lateral (
          select number, description, tariff_micro, status, country, country_code from numbers
          where number = asked.number and deleted_at is null offset 0) as known`,
  )
}

export interface NewNumber {
  readonly number: string
  readonly description: string
  readonly tariff_micro: string | null
  readonly status: string
  readonly country: string
  readonly country_code: string
}

/**
 * Adds numbers that do not count yet: version 0, until {@link makeCount}. `numbers` is an array of {@link NewNumber} as
 * JSON. Gives their first and last id.
 */
export async function addNumbers(tx: Db, numbers: string): Promise<{ firstId: number; lastId: number }> {
  const [added] = await preparedRows<{ first_id: number; last_id: number }>(
    tx,
    sql`with added as (
          insert into numbers
            (number, description, tariff_micro, status, type, country, country_code, catalog_version)
          select number, description, tariff_micro, status, 'premium', country, country_code, 0
          from json_to_recordset(${numbers}::json) as line
            (number text, description text, tariff_micro bigint, status text, country text, country_code text)
          returning id)
        select min(id) as first_id, max(id) as last_id from added`,
  )
  if (added === undefined) throw new Error('No number was added')
  return { firstId: added.first_id, lastId: added.last_id }
}

/** Sorts what was added into the search indexes, so that no search has to look through it first. */
export async function settleSearch(tx: Db): Promise<void> {
  await sql`select gin_clean_pending_list(i.indexrelid) from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where i.indrelid = 'numbers'::regclass and a.amname = 'gin'`.execute(tx)
}

/** Tells the catalogs of all nodes which rows came with this change. */
export async function makeCount(
  tx: Db,
  change: CatalogChange,
  ids: { firstId: number; lastId: number },
): Promise<void> {
  await sql`insert into number_imports (catalog_version, first_id, last_id)
    values (${change.version}, ${ids.firstId}, ${ids.lastId})`.execute(tx)
}
