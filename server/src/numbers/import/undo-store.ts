// SQL of imports that were made, and of undoing one.
import { sql } from 'kysely'
import type { KeptNumbers, NumberImport, NumberImportDetail } from '@tollgate/contract/numbers/import.ts'
import { toReply } from '../../http/reply.ts'
import { row, rows, type Db, type FoundBy } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'

const imports = (db: Db) =>
  db
    .selectFrom('number_imports as i')
    .innerJoin('users as u', 'u.id', 'i.user_id')
    .leftJoin('users as b', 'b.id', 'i.undone_by')
    .selectAll('i')
    .select(['u.username', 'b.username as undone_by_name'])
    // Null before imports were kept, and those are not read.
    .$narrowType<{ id: number }>()

export type ImportRow = FoundBy<typeof findImport>

export function toImport(found: ImportRow): NumberImport {
  return {
    ...toReply(found),
    id: String(found.id),
    importedBy: found.username,
    importedAt: found.imported_at?.toISOString() ?? '',
    state: found.undone_at !== null ? 'undone' : found.undo_began_at === null ? 'imported' : 'undoing',
    undoneBy: found.undone_by_name ?? '',
  }
}

/** Newest first, those before the import `before`. */
export function listImports(db: Db, limit: number, before: string | undefined) {
  const earlier = sql<number>`${before ?? 2_147_483_647}::bigint`
  return imports(db).where('i.id', '<', earlier).orderBy('i.id', 'desc').limit(limit).execute()
}

export function findImport(db: Db, id: string) {
  return imports(db)
    .where('i.id', '=', sql<number>`${id}::bigint`)
    .executeTakeFirst()
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
  const found = await tx
    .updateTable('number_imports')
    .set({ undo_began_at: sql<Date>`coalesce(undo_began_at, ${now})` })
    .where('id', '=', id)
    .where('undone_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return found !== undefined
}

export async function removeNumbers(
  tx: Db,
  change: CatalogChange,
  importId: number,
  ids: readonly number[],
): Promise<void> {
  await tx
    .updateTable('numbers')
    .set({ deleted_at: change.now, version: sql<number>`version + 1`, catalog_version: change.version })
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .execute()
  await tx
    .updateTable('number_imports')
    .set({ removed_count: sql<number>`removed_count + ${ids.length}` })
    .where('id', '=', importId)
    .execute()
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
