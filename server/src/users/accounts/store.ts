import { sql } from 'kysely'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, row, type Db, type FoundBy } from '../../platform/db.ts'
import { lock } from '../../platform/locks/locks.ts'

const accounts = (db: Db) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'first_name', 'last_name', 'password_hash', 'role', 'status'])
    .select(['awaits_approval', 'smpp_access', 'max_connections', 'has_second_factor', 'version'])

export type UserRow = FoundBy<typeof findById>

export function findById(db: Db, id: number) {
  return accounts(db).where('id', '=', id).executeTakeFirst()
}

/** Ignores case. */
export function findByUsername(db: Db, username: string): Promise<UserRow | undefined> {
  return accounts(db)
    .where(sql<boolean>`lower(username) = lower(${username})`)
    .executeTakeFirst()
}

/**
 * The account, locked for changes until the transaction ends. Rows that name it may be added meanwhile: the transaction of
 * each change begins with one, its Idempotency-Key, so two changes would wait for each other.
 */
export function lockById(tx: Db, id: number): Promise<UserRow | undefined> {
  return accounts(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
}

/** The account, under a shared lock: others may read it and sign in, but not change it until the transaction ends. */
export function shareLockById(tx: Db, id: number): Promise<UserRow | undefined> {
  return accounts(tx).where('id', '=', id).forShare().executeTakeFirst()
}

/**
 * Serialises changes of roles and statuses. Otherwise two admins who demote each other at the same moment would each still
 * see the other as admin, and no admin would be left.
 */
export async function lockRoles(tx: Db): Promise<void> {
  await lock(tx, 'roles')
}

export async function countActiveAdmins(tx: Db): Promise<number> {
  const found = await tx
    .selectFrom('users')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .executeTakeFirst()
  return found?.count ?? 0
}

export async function hasAdmin(tx: Db): Promise<boolean> {
  const found = await tx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export interface NewUser {
  readonly username: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly passwordHash: string
  readonly role: Role
  readonly status: AccountStatus
  /** Whether staff must approve it, which makes it active; defaults to false. */
  readonly awaitsApproval?: boolean
  readonly smppAccess: boolean
  readonly maxConnections: number
  /** Whether the owner must change it at the next sign-in; defaults to false. */
  readonly mustChangePassword?: boolean
}

/** Throws the database's error on `users_username_key` when the username is taken. */
export async function insertUser(tx: Db, user: NewUser): Promise<UserRow> {
  const inserted = await onlyRow<UserRow>(
    tx,
    sql`insert into users
        (username, email, first_name, last_name, password_hash, role, status, awaits_approval, smpp_access,
          max_connections, must_change_password)
      values (${user.username}, ${user.email}, ${user.firstName}, ${user.lastName}, ${user.passwordHash},
        ${user.role}, ${user.status}, ${user.awaitsApproval ?? false}, ${user.smppAccess},
        ${user.maxConnections}, ${user.mustChangePassword ?? false})
      returning *`,
  )
  return inserted
}

/** The fields that a person may change, each in its column. */
export type UserFields = Pick<
  UserRow,
  'username' | 'email' | 'first_name' | 'last_name' | 'role' | 'status' | 'smpp_access' | 'max_connections'
>

/**
 * Writes the whole set of changeable fields as the next version. Whether it waits for approval stays as it is without
 * `awaitsApproval`; only an inactive account does.
 */
export async function updateUser(
  tx: Db,
  id: number,
  fields: UserFields,
  awaitsApproval?: boolean,
): Promise<UserRow> {
  const updated = await onlyRow<UserRow>(
    tx,
    sql`update users set username = ${fields.username}, email = ${fields.email},
        email_since = case when email = ${fields.email} then email_since else clock_timestamp() end,
        first_name = ${fields.first_name},
        last_name = ${fields.last_name}, role = ${fields.role}, status = ${fields.status},
        awaits_approval = coalesce(${awaitsApproval ?? null}::boolean, awaits_approval) and ${fields.status} = 'inactive',
        smpp_access = ${fields.smpp_access}, max_connections = ${fields.max_connections},
        version = version + 1, updated_at = clock_timestamp()
      where id = ${id} returning *`,
  )
  return updated
}

/** `mustChange`: the owner did not choose this password and has to change it before anything else. */
export async function updatePassword(
  tx: Db,
  id: number,
  passwordHash: string,
  mustChange: boolean,
): Promise<void> {
  await sql`update users set password_hash = ${passwordHash}, must_change_password = ${mustChange},
      updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

/** Marks the account as changed, for nodes that missed the notification. Its version, which forms compare, stays. */
export async function touchUser(tx: Db, id: number): Promise<void> {
  await tx
    .updateTable('users')
    .set({ updated_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
}

/** Whether the username looks like that of another account than `ownId`, or like one of these names. */
export async function hasLookAlike(
  db: Db,
  username: string,
  names: readonly string[],
  ownId: number | undefined,
): Promise<boolean> {
  const found = await row(
    db,
    sql`select from users where name_skeleton(username) = name_skeleton(${username})
        and id is distinct from ${ownId ?? null}::int
      union all
      select from unnest(${names}::text[]) name where name_skeleton(name) = name_skeleton(${username})
      limit 1`,
  )
  return found !== undefined
}

/** Serialises the choice of names until the transaction ends: two look-alikes at the same moment would both pass. */
export async function lockNames(tx: Db): Promise<void> {
  await lock(tx, 'usernames')
}
