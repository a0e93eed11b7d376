// The roles of the embedded database: an owner, who migrates it, and the program itself, which owns nothing (decision 49).
// The cluster's superuser only makes them.
import type pg from 'pg'

export const ownerRole = 'tollgate_owner'
export const applicationRole = 'tollgate_app'

/** Makes both roles, and the database of the owner. `pool` is the superuser's, on the database postgres. */
export async function ensureRoles(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('select rolname as name from pg_roles')
  for (const role of [ownerRole, applicationRole]) {
    if (!rows.some(({ name }) => name === role)) await pool.query(`create role ${role} login`)
    await pool.query(`alter role ${role} nosuperuser nocreatedb nocreaterole noreplication nobypassrls`)
  }
}

/** Makes the owner's database when there is none. `pool` as for {@link ensureRoles}. */
export async function ensureOwnDatabase(pool: pg.Pool, name: string): Promise<void> {
  const { rows } = await pool.query('select from pg_database where datname = $1', [name])
  if (rows.length === 0) await pool.query(`create database ${name} owner ${ownerRole}`)
  // Temporary tables would be found before our own.
  await pool.query(`revoke temporary on database ${name} from public`)
}
