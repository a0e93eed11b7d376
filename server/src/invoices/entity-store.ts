// SQL on legal entities. The newest row of an owner is the entity in force; no row is ever changed.
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

/** Whose legal entity it is: a user's, or that of the own company. */
export type EntityOwner = number | 'own'

/** What invoices print of a legal entity. */
export interface EntityParty {
  readonly legal_name: string
  readonly address_lines: readonly string[]
  readonly country: string
  readonly tax_number: string
  readonly latin_name: string
  readonly latin_address_lines: readonly string[]
}

export interface EntityRow extends EntityParty {
  readonly id: number
  readonly saved_by: string
  readonly saved_at: Date
}

export function findEntity(db: Db, owner: EntityOwner): Promise<EntityRow | undefined> {
  return db
    .selectFrom('legal_entities as e')
    .innerJoin('users as u', 'u.id', 'e.saved_by')
    .selectAll('e')
    .select('u.username as saved_by')
    .where('e.user_id', owner === 'own' ? 'is' : '=', owner === 'own' ? null : owner)
    .orderBy('e.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The entities that an invoice was issued with. */
export function entitiesOf(db: Db, ids: readonly number[]) {
  return db
    .selectFrom('legal_entities')
    .selectAll()
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .execute()
}

export async function insertEntity(
  tx: Db,
  owner: EntityOwner,
  entity: EntityParty,
  { userId, at }: { userId: number; at: Date },
): Promise<void> {
  await tx
    .insertInto('legal_entities')
    .values({ user_id: owner === 'own' ? null : owner, ...entity, saved_by: userId, saved_at: at })
    .execute()
}

export async function hasUser(db: Db, userId: number): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()) !== undefined
}

// Clients with a bill or payouts, but without an entity.
const withoutEntity = sql`users u where (exists (select from billing_periods b where b.user_id = u.id)
    or exists (select from payouts o where o.user_id = u.id))
  and not exists (select from legal_entities e where e.user_id = u.id)`

export async function countWithoutEntity(db: Db): Promise<number> {
  return (
    (await row<{ count: number }>(db, sql`select count(*)::int as count from ${withoutEntity}`))?.count ?? 0
  )
}

/** The first `limit` of these clients, by name. */
export function listWithoutEntity(db: Db, limit: number): Promise<{ userId: number; userName: string }[]> {
  return rows(
    db,
    sql`select u.id as "userId", u.username as "userName" from ${withoutEntity} order by lower(u.username), u.id limit ${limit}`,
  )
}
