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

/** Those of the numbers that are in the list already. */
export function knownNumbers(db: Db, digits: readonly string[]): Promise<KnownNumber[]> {
  return preparedRows<KnownNumber>(db, sql`select * from known_numbers(${[...digits]})`)
}

/** Makes the catalogs of all nodes read the imported rows, by their ids. */
export async function publishImport(
  tx: Db,
  change: CatalogChange,
  ids: { firstId: number; lastId: number },
): Promise<void> {
  await sql`insert into number_imports (catalog_version, first_id, last_id)
    values (${change.version}, ${ids.firstId}, ${ids.lastId})`.execute(tx)
}
