// SQL on legal entities. The newest row of an owner is the entity in force; no row is ever changed.
import { sql, type RawBuilder } from 'kysely'
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

const isOf = (owner: EntityOwner): RawBuilder<unknown> =>
  owner === 'own' ? sql`e.user_id is null` : sql`e.user_id = ${owner}`

export function findEntity(db: Db, owner: EntityOwner): Promise<EntityRow | undefined> {
  return row(
    db,
    sql`select e.*, u.username as saved_by from legal_entities e join users u on u.id = e.saved_by
        where ${isOf(owner)} order by e.id desc limit 1`,
  )
}

/** The entities that an invoice was issued with. */
export function entitiesOf(db: Db, ids: readonly number[]): Promise<(EntityParty & { id: number })[]> {
  return rows(db, sql`select * from legal_entities where id = any(${[...ids]}::int[])`)
}

export async function insertEntity(
  tx: Db,
  owner: EntityOwner,
  entity: EntityParty,
  { userId, at }: { userId: number; at: Date },
): Promise<void> {
  await sql`insert into legal_entities (user_id, legal_name, address_lines, country, tax_number, latin_name,
      latin_address_lines, saved_by, saved_at)
    values (${owner === 'own' ? null : owner}, ${entity.legal_name}, ${[...entity.address_lines]}::text[],
      ${entity.country}, ${entity.tax_number}, ${entity.latin_name}, ${[...entity.latin_address_lines]}::text[],
      ${userId}, ${at})`.execute(tx)
}

export async function hasUser(db: Db, userId: number): Promise<boolean> {
  return (await row(db, sql`select from users where id = ${userId}`)) !== undefined
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
