// SQL that changes numbers and their holders. The caller has closed the traffic gate (change-catalog.ts).
import { sql } from 'kysely'
import type { AccountStatus, NumberType } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, row, rows, type Db, type Row } from '../platform/db.ts'
import type { CatalogChange } from './change-catalog.ts'

export type NumberRow = Row<'numbers'>

/** What a person may set on a number. */
export interface NumberFields {
  readonly number: string
  readonly description: string
  readonly tariffMicro: bigint | null
  readonly status: AccountStatus
  readonly type: NumberType
  readonly country: string
  readonly countryCode: string
  readonly operator: string
  readonly priceMicro: bigint | null
}

const lockable = (tx: Db) => tx.selectFrom('numbers').selectAll().where('deleted_at', 'is', null).forUpdate()

export function lockNumber(tx: Db, id: number): Promise<NumberRow | undefined> {
  return lockable(tx).where('id', '=', id).executeTakeFirst()
}

/** Locks the numbers with these ids that exist, in the order of their ids. */
export function lockNumbers(tx: Db, ids: readonly number[]): Promise<NumberRow[]> {
  return lockable(tx)
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .orderBy('id')
    .execute()
}

export function lockNumberByDigits(tx: Db, digits: string): Promise<NumberRow | undefined> {
  return lockable(tx).where('number', '=', digits).executeTakeFirst()
}

export async function insertNumber(tx: Db, change: CatalogChange, fields: NumberFields): Promise<number> {
  const inserted = await onlyRow<{ id: number }>(
    tx,
    sql`insert into numbers
          (number, description, tariff_micro, status, type, country, country_code, operator, price_micro, catalog_version)
        values (${fields.number}, ${fields.description}, ${fields.tariffMicro}, ${fields.status}, ${fields.type},
          ${fields.country}, ${fields.countryCode}, ${fields.operator}, ${fields.priceMicro}, ${change.version})
        returning id`,
  )
  return inserted.id
}

export async function updateNumber(
  tx: Db,
  change: CatalogChange,
  id: number,
  fields: NumberFields,
): Promise<void> {
  await sql`update numbers set number = ${fields.number}, description = ${fields.description},
      tariff_micro = ${fields.tariffMicro}, status = ${fields.status}, type = ${fields.type},
      country = ${fields.country}, country_code = ${fields.countryCode}, operator = ${fields.operator},
      price_micro = ${fields.priceMicro}, version = version + 1, catalog_version = ${change.version}
    where id = ${id}`.execute(tx)
}

/** Makes a price the number's own, as it starts. A form that shows the earlier one is refused as stale. */
export async function setOwnPrice(
  tx: Db,
  change: CatalogChange,
  id: number,
  priceMicro: bigint | null,
): Promise<void> {
  await tx
    .updateTable('numbers')
    .set({ price_micro: priceMicro, version: sql<number>`version + 1`, catalog_version: change.version })
    .where('id', '=', id)
    .execute()
}

/** Sets the statuses of numbers, by their ids. */
export function setStatuses(
  tx: Db,
  change: CatalogChange,
  statuses: ReadonlyMap<number, AccountStatus>,
): Promise<readonly NumberRow[]> {
  return rows<NumberRow>(
    tx,
    sql`update numbers set status = changes.status, version = version + 1, catalog_version = ${change.version}
        from unnest(${[...statuses.keys()]}::int[], ${[...statuses.values()]}::text[]) as changes (id, status)
        where numbers.id = changes.id returning numbers.*`,
  )
}

/** Raises exclusion_violation when somebody else held one of the numbers after `from`. */
export async function startHoldings(
  tx: Db,
  change: CatalogChange,
  holding: { numberIds: readonly number[]; userId: number; from: Date; assignedBy: number },
): Promise<void> {
  const { userId, from, assignedBy } = holding
  const ids = sql`${[...holding.numberIds]}::int[]`
  await sql`insert into number_holders (number_id, user_id, held_from, assigned_by)
    select id, ${userId}, ${from}, ${assignedBy} from unnest(${ids}) as id`.execute(tx)
  await sql`update numbers set holder_id = ${userId}, held_from = ${from},
      account_number = coalesce(account_number, 'ACC-' || nextval('account_number_seq')),
      version = version + 1, catalog_version = ${change.version}
    where id = any(${ids})`.execute(tx)
}

/** Whether somebody held these digits, of this number or of a deleted one, at a time from `from` to before `to`. */
export async function isHeldWithin(tx: Db, digits: string, from: Date, to: Date): Promise<boolean> {
  const found = await row<{ found: boolean }>(
    tx,
    sql`select exists (
          select from number_holders h where h.number_id in (
            select id from numbers where number = ${digits} and deleted_at is null
            union all select id from numbers where number = ${digits} and deleted_at is not null
          ) and tstzrange(h.held_from, h.held_to) && tstzrange(${from}, ${to})
        ) as found`,
  )
  return found?.found === true
}

/**
 * Lets the holding that begins at `to` begin at `from`; also one that has ended since, or that of a deleted number. Gives
 * false when there is none. Raises exclusion_violation when somebody else held the digits in between.
 */
export async function startHoldingEarlier(
  tx: Db,
  change: CatalogChange,
  { numberId, userId, from, to }: { numberId: number; userId: number; from: Date; to: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('number_holders')
    .set({ held_from: from })
    .where((eb) => eb.and({ number_id: numberId, user_id: userId, held_from: to }))
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await sql`update numbers set
      held_from = case when holder_id = ${userId} and held_from = ${to} then ${from}::timestamptz else held_from end,
      version = version + 1, catalog_version = ${change.version}
    where id = ${numberId}`.execute(tx)
  return true
}

export async function endHoldings(
  tx: Db,
  change: CatalogChange,
  numberIds: readonly number[],
): Promise<void> {
  const ids = sql`${[...numberIds]}::int[]`
  // A holding whose start is in the future, because the clock was set back, is deleted.
  await sql`delete from number_holders
    where number_id = any(${ids}) and held_to is null and held_from >= ${change.now}`.execute(tx)
  await sql`update number_holders set held_to = ${change.now}
    where number_id = any(${ids}) and held_to is null`.execute(tx)
  await sql`update numbers set holder_id = null, held_from = null, version = version + 1,
      catalog_version = ${change.version}
    where id = any(${ids})`.execute(tx)
}

export async function markDeleted(tx: Db, change: CatalogChange, id: number): Promise<void> {
  await tx
    .updateTable('numbers')
    .set({ deleted_at: change.now, version: sql<number>`version + 1`, catalog_version: change.version })
    .where('id', '=', id)
    .execute()
}

/** Whether the number has any record: in record_numbers, or in a batch that record_numbers does not include yet. */
export async function hasRecords(tx: Db, numberId: number): Promise<boolean> {
  const found = await row<{ found: boolean }>(
    tx,
    sql`select exists (select from record_numbers where number_id = ${numberId})
          or exists (select from numbers_behind(2147483647) b where b.number_id = ${numberId}) as found`,
  )
  return found?.found === true
}

/** The account that will hold a number, locked against changes until the commit. */
export function lockClient(tx: Db, userId: number) {
  const account = tx.selectFrom('users').select(['id', 'username', 'status']).where('id', '=', userId)
  return account.forShare().executeTakeFirst()
}
