import { sql } from 'kysely'
import { preparedRows, rows, type Db } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'
import type { ImportedIds } from './number-copy.ts'

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

/** Who holds those of the numbers that are held: usernames in lower case, by digits. */
export async function holdersOf(db: Db, digits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (digits.length === 0) return new Map()
  const found = await rows<{ number: string; holder: string }>(
    db,
    sql`select number, lower(holder_name) as holder from numbers
        where number = any(${[...digits]}) and deleted_at is null and holder_id is not null`,
  )
  return new Map(found.map(({ number, holder }) => [number, holder]))
}

export interface ImportFacts {
  readonly userId: number
  /** Empty for pasted text. */
  readonly fileName: string
  readonly lineCount: number
  readonly addedCount: number
}

/** Keeps who imported what, and makes the catalogs of all nodes read the imported rows, by their ids. */
export async function publishImport(
  tx: Db,
  change: CatalogChange,
  ids: ImportedIds,
  { userId, fileName, lineCount, addedCount }: ImportFacts,
): Promise<void> {
  await sql`insert into number_imports
      (catalog_version, first_id, last_id, id, user_id, file_name, line_count, added_count, imported_at)
    values (${change.version}, ${ids.firstId}, ${ids.lastId}, ${ids.importId}, ${userId}, ${fileName}, ${lineCount},
      ${addedCount}, ${change.now})`.execute(tx)
}
