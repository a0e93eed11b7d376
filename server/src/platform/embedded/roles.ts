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

/** Makes the database, or takes one over that the superuser has made. `pool` as for {@link ensureRoles}. */
export async function ensureOwnDatabase(pool: pg.Pool, name: string): Promise<void> {
  const { rows } = await pool.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [name],
  )
  if (rows.length === 0) await pool.query(`create database ${name} owner ${ownerRole}`)
  else if (rows[0]?.owner !== ownerRole) await pool.query(`alter database ${name} owner to ${ownerRole}`)
  // Temporary tables would be found before our own.
  await pool.query(`revoke temporary on database ${name} from public`)
}

/**
 * Gives the owner what the superuser owns in the database, as releases before left it: tables with their indexes and
 * sequences, views, functions, statistics. What belongs to an extension stays. `pool` is the superuser's, on that database.
 */
export async function handOver(pool: pg.Pool): Promise<void> {
  await pool.query(`
    do $$
    declare each record;
    begin
      for each in
        select format('%s %s', case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end,
            c.oid::regclass) as named
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and ${isTheirs('c', 'relowner')}
          -- Sequences of columns follow their tables.
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
            and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and c.relkind = 'S')
        union all
        select format('routine %s', p.oid::regprocedure) from pg_proc p
        where p.pronamespace = 'public'::regnamespace and ${isTheirs('p', 'proowner')}
        union all
        select format('statistics %I.%I', 'public', s.stxname) from pg_statistic_ext s
        where s.stxnamespace = 'public'::regnamespace and ${isTheirs('s', 'stxowner')}
      loop
        execute format('alter %s owner to ${ownerRole}', each.named);
      end loop;
    end $$`)
}

/** SQL: the object has another owner, and no extension brought it. */
function isTheirs(alias: string, owner: string): string {
  return `${alias}.${owner} not in ('${ownerRole}'::regrole, '${applicationRole}'::regrole) and not exists (
    select from pg_depend e where e.objid = ${alias}.oid and e.deptype = 'e')`
}
