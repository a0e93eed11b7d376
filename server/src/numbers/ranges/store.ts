import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { NumberRange, rangeSorts } from '@tollgate/contract/numbers/ranges.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, row, rows, type Db, type Row } from '../../platform/db.ts'
import type { CatalogChange } from '../change-catalog.ts'
import { sortedRows, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'

export interface RangeRow extends Row<'ranges'> {
  /** Who set the tariff that starts later. */
  readonly next_tariff_by: string | null
}

const columns = sql`ranges.*,
  (select username from users where users.id = ranges.next_tariff_set_by) as next_tariff_by`

export interface RangeFields {
  readonly rangeNumber: string
  readonly startNumber: string
  readonly endNumber: string
  readonly description: string
  readonly tariffMicro: bigint
  readonly status: AccountStatus
}

const sorts = {
  createdAt: { expression: sql`created_at`, kind: 'time' },
  rangeNumber: { expression: sql`range_number`, kind: 'text' },
  startNumber: { expression: sql`start_number`, kind: 'text' },
  endNumber: { expression: sql`end_number`, kind: 'text' },
  rate: { expression: sql`tariff_micro`, kind: 'id' },
  status: { expression: sql`status`, kind: 'text' },
} as const satisfies Record<(typeof rangeSorts)[number], Sort>

export type RangePage = SortedPage<keyof typeof sorts>

/** A page of ranges that are not deleted. */
export function listRanges(
  db: Db,
  filter: RawBuilder<unknown>,
  page: RangePage,
): Promise<{ rows: readonly RangeRow[]; next: string | undefined }> {
  const conditions = [sql`deleted_at is null`, filter]
  return sortedRows(
    db,
    { sort: sorts[page.sort], id: sql`id`, columns, source: sql`ranges`, conditions },
    page,
  )
}

export async function countRanges(
  db: Db,
  filter: RawBuilder<unknown>,
): Promise<{ count: number; active: number }> {
  const counted = await row<{ count: number; active: number }>(
    db,
    sql`select count(*)::int as count, count(*) filter (where status = 'active')::int as active
        from ranges where deleted_at is null and ${filter}`,
  )
  return counted ?? { count: 0, active: 0 }
}

export function readRange(db: Db, id: number): Promise<RangeRow | undefined> {
  return row<RangeRow>(db, sql`select ${columns} from ranges where id = ${id} and deleted_at is null`)
}

export function lockRange(tx: Db, id: number): Promise<RangeRow | undefined> {
  return row<RangeRow>(
    tx,
    sql`select ${columns} from ranges where id = ${id} and deleted_at is null for update`,
  )
}

/** Locks ranges in the order of their ids, so that two calls for the same ranges cannot deadlock. */
export function lockRanges(tx: Db, ids: readonly number[]): Promise<readonly RangeRow[]> {
  return rows<RangeRow>(
    tx,
    sql`select ${columns} from ranges where id = any(${[...ids]}::int[]) and deleted_at is null
        order by id for update`,
  )
}

/** Sets statuses. A range that has its new status already gets a new version too. */
export function setRangeStatuses(
  tx: Db,
  change: CatalogChange,
  statuses: ReadonlyMap<number, AccountStatus>,
): Promise<readonly RangeRow[]> {
  return rows<RangeRow>(
    tx,
    sql`update ranges set status = changes.status, version = version + 1, catalog_version = ${change.version}
        from unnest(${[...statuses.keys()]}::int[], ${[...statuses.values()]}::text[]) as changes (id, status)
        where ranges.id = changes.id returning ${columns}`,
  )
}

export async function insertRange(tx: Db, change: CatalogChange, fields: RangeFields): Promise<RangeRow> {
  const inserted = await onlyRow<RangeRow>(
    tx,
    sql`insert into ranges (range_number, start_number, end_number, description, tariff_micro, status, catalog_version)
        values (${fields.rangeNumber}, ${fields.startNumber}, ${fields.endNumber}, ${fields.description},
          ${fields.tariffMicro}, ${fields.status}, ${change.version})
        returning ${columns}`,
  )
  return inserted
}

export async function updateRange(
  tx: Db,
  change: CatalogChange,
  id: number,
  fields: RangeFields,
): Promise<RangeRow> {
  const updated = await onlyRow<RangeRow>(
    tx,
    sql`update ranges set range_number = ${fields.rangeNumber}, start_number = ${fields.startNumber},
          end_number = ${fields.endNumber}, description = ${fields.description}, tariff_micro = ${fields.tariffMicro},
          status = ${fields.status}, version = version + 1, catalog_version = ${change.version}
        where id = ${id} returning ${columns}`,
  )
  return updated
}

export async function markRangeDeleted(tx: Db, change: CatalogChange, id: number): Promise<void> {
  await tx
    .updateTable('ranges')
    .set({ deleted_at: change.now, version: sql<number>`version + 1`, catalog_version: change.version })
    .where('id', '=', id)
    .execute()
}

/** The tariff that waits for a range, as people see it. */
export function toScheduledTariff({
  next_tariff_micro: micro,
  next_tariff_from: from,
  next_tariff_by: by,
}: RangeRow): NumberRange['scheduled'] {
  if (micro === null || from === null) return null
  return { rate: formatMicro(BigInt(micro), 2), startsAt: from.toISOString(), setBy: by ?? '' }
}

interface NextTariff {
  readonly tariffMicro: bigint
  readonly from: Date
  readonly setBy: number
}

/** Has a tariff start later; it replaces one that waits. The caller updates the range in the same change. */
export async function setNextTariff(tx: Db, id: number, next: NextTariff): Promise<void> {
  await tx
    .updateTable('ranges')
    .set({ next_tariff_micro: next.tariffMicro, next_tariff_from: next.from, next_tariff_set_by: next.setBy })
    .where('id', '=', id)
    .execute()
}

/** The version stays: an open form shows nothing that has changed. */
export async function clearNextTariff(tx: Db, change: CatalogChange, id: number): Promise<void> {
  const none = { next_tariff_micro: null, next_tariff_from: null, next_tariff_set_by: null }
  const cleared = { ...none, catalog_version: change.version }
  await tx.updateTable('ranges').set(cleared).where('id', '=', id).execute()
}

/**
 * Makes the tariffs that have started the present ones; what held before stays for records that come late. A form that
 * shows the earlier tariff is refused as stale, or it would bring it back.
 */
export async function startTariffs(tx: Db, change: CatalogChange): Promise<void> {
  await sql`update ranges set earlier_tariff_micro = tariff_micro, tariff_from = next_tariff_from,
      tariff_micro = next_tariff_micro, next_tariff_micro = null, next_tariff_from = null, next_tariff_set_by = null,
      version = version + 1, catalog_version = ${change.version}
    where next_tariff_from <= ${change.now} and deleted_at is null`.execute(tx)
}
