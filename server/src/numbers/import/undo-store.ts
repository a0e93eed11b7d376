// SQL of imports that were made, and of undoing one.
import { sql } from 'kysely'
import type { KeptNumbers, NumberImport, NumberImportDetail } from '@tollgate/contract/numbers/import.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'

export interface ImportRow {
  readonly id: number
  readonly first_id: number
  readonly last_id: number
  readonly file_name: string
  readonly username: string
  /** Null before imports were kept, and those are not read. */
  readonly imported_at: Date | null
  readonly line_count: number
  readonly added_count: number
  readonly undo_began_at: Date | null
  readonly undone_at: Date | null
  readonly undone_by_name: string | null
  readonly removed_count: number
}

const columns = sql`i.id, i.first_id, i.last_id, i.file_name, u.username, i.imported_at, i.line_count, i.added_count,
  i.undo_began_at, i.undone_at, b.username as undone_by_name, i.removed_count`
const source = sql`number_imports i join users u on u.id = i.user_id left join users b on b.id = i.undone_by`

export function toImport(found: ImportRow): NumberImport {
  return {
    id: String(found.id),
    fileName: found.file_name,
    importedBy: found.username,
    importedAt: found.imported_at?.toISOString() ?? '',
    lineCount: found.line_count,
    addedCount: found.added_count,
    state: found.undone_at !== null ? 'undone' : found.undo_began_at === null ? 'imported' : 'undoing',
    undoneBy: found.undone_by_name ?? '',
    undoneAt: found.undone_at?.toISOString() ?? null,
    removedCount: found.removed_count,
  }
}

/** Newest first, those before the import `before`. */
export function listImports(db: Db, limit: number, before: string | undefined): Promise<ImportRow[]> {
  return rows<ImportRow>(
    db,
    sql`select ${columns} from ${source} where i.id < ${before ?? 2_147_483_647}::bigint
        order by i.id desc limit ${limit}`,
  )
}

export function findImport(db: Db, id: string): Promise<ImportRow | undefined> {
  return row<ImportRow>(db, sql`select ${columns} from ${source} where i.id = ${id}::bigint`)
}

// A search index that is further behind says nothing about the newest records.
const batchesBehindMax = 200
const keptNumbersMax = 20

interface Judged {
  readonly reason: 'free' | KeptNumbers['reason']
  readonly count: number
  readonly numbers: string[]
}

/**
 * What undoing would remove, and what stays with the first reason that fits. Each number of the import is counted once. A
 * number without a change has version 1, and assigning one is a change too.
 */
export async function countUntouched(
  db: Db,
  { id, first_id: first, last_id: last, removed_count: removedCount }: ImportRow,
): Promise<Pick<NumberImportDetail, 'removableCount' | 'kept'>> {
  const found = await rows<Judged>(
    db,
    sql`
      with behind as materialized (select distinct number_id from numbers_behind(${batchesBehindMax})),
      judged as (
        select n.id, n.number, case
            when n.deleted_at is not null then 'deleted'
            when exists (select from number_holders h where h.number_id = n.id) then 'assigned'
            when exists (select from record_numbers r where r.number_id = n.id)
              or n.id in (select number_id from behind) then 'traffic'
            when n.version > 1 then 'changed'
            else 'free' end as reason
        from numbers n where n.id between ${first} and ${last} and n.import_id = ${id})
      select reason, count(*)::int as count,
        coalesce((array_agg(number order by id) filter (where reason <> 'free'))[1:${keptNumbersMax}], '{}') as numbers
      from judged group by reason`,
  )
  const kept = found.flatMap(({ reason, count, numbers }): KeptNumbers[] => {
    if (reason === 'free') return []
    // Numbers that undoing has removed are deleted too; which of the deleted ones they are is not told.
    if (reason !== 'deleted') return [{ reason, count, numbers }]
    return count > removedCount ? [{ reason, count: count - removedCount, numbers: [] }] : []
  })
  return { removableCount: found.find(({ reason }) => reason === 'free')?.count ?? 0, kept }
}

/** The ids of the next numbers, after the id `after`, that nothing seems to have happened to. */
export async function nextUntouched(
  db: Db,
  { id, last_id: last }: ImportRow,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select n.id from numbers n
        where n.id > ${after} and n.id <= ${last} and n.import_id = ${id} and n.deleted_at is null and n.version = 1
        order by n.id limit ${limit}`,
  )
  return found.map((number) => number.id)
}

/** Which of the numbers have records; undefined when the search index is too far behind to know. */
export async function withRecords(tx: Db, ids: readonly number[]): Promise<ReadonlySet<number> | undefined> {
  const found = await rows<{ id: number | null }>(
    tx,
    sql`select id from numbers_with_records(${[...ids]}::int[], ${batchesBehindMax}) as found (id)`,
  )
  const known = found.flatMap(({ id }) => id ?? [])
  return known.length < found.length ? undefined : new Set(known)
}

/** Locks the import and notes that undoing has begun. False when it is undone already. */
export async function lockUndoing(tx: Db, id: number, now: Date): Promise<boolean> {
  const found = await row<{ id: number }>(
    tx,
    sql`update number_imports set undo_began_at = coalesce(undo_began_at, ${now})
        where id = ${id} and undone_at is null returning id`,
  )
  return found !== undefined
}

export async function removeNumbers(
  tx: Db,
  change: CatalogChange,
  importId: number,
  ids: readonly number[],
): Promise<void> {
  await sql`update numbers set deleted_at = ${change.now}, version = version + 1, catalog_version = ${change.version}
    where id = any(${[...ids]}::int[])`.execute(tx)
  await sql`update number_imports set removed_count = removed_count + ${ids.length} where id = ${importId}`.execute(
    tx,
  )
}

/** Marks the import as undone. False when somebody else did it meanwhile. */
export async function finishUndoing(tx: Db, id: number, userId: number): Promise<boolean> {
  const found = await row<{ id: number }>(
    tx,
    sql`update number_imports set undo_began_at = coalesce(undo_began_at, clock_timestamp()),
          undone_at = clock_timestamp(), undone_by = ${userId}
        where id = ${id} and undone_at is null returning id`,
  )
  return found !== undefined
}
