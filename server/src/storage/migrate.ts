// Brings the schema to this version: plain SQL files, each applied once, in order.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { sqlState } from '../platform/db.ts'
import { sessionLockSql } from '../platform/locks/locks.ts'
import { migrationsFolder } from '../platform/process/project.ts'
import { StartFailure } from '../platform/process/start-failure.ts'

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

// While a migration waits for a lock on a table, all other statements on that table wait behind it.
const lockTimeoutMs = 2_000
const attemptsMax = 30
const oldestMajor = 15

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Applies what is missing, under an advisory lock so that nodes that start together take turns. Returns the names it
 * applied. Throws StartFailure when the server is older than PostgreSQL 15, when a migration was applied that this
 * program does not have (a newer program made the database, or one from before the first release), or when a file was
 * changed since it was applied: until 1.0.0 a change of the schema edits its file, and databases are made anew.
 */
export async function migrate(pool: pg.Pool, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder)
  const client = await pool.connect()
  try {
    await checkServer(client)
    await client.query('set statement_timeout = 0')
    await client.query(sessionLockSql('migrations'))
    const missing = missingOf(migrations, await appliedIn(client))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } finally {
    // The lock and the setting end with the session, so the client does not return to the pool.
    client.release(true)
  }
}

/** In schema_migrations while a database is moved into another one (`backup/move`): no program knows it, so none starts. */
export const unfinishedMove = 'unfinished move'

/** The schema of a database beside the one of this program: `newer` has all of it and more, `other` lacks some. */
export type SchemaState = 'same' | 'newer' | 'other'

/**
 * Compares the migrations that are applied with those of this program. Reads only. A newer program migrates while nodes of
 * the version before still work: these find `newer` and stay ready until they are replaced.
 */
export async function schemaState(pool: pg.Pool, folder = migrationsFolder): Promise<SchemaState> {
  const names = (await readMigrations(folder)).map(({ name }) => name)
  const { rows } = await pool.query<{ name: string }>('select name from schema_migrations order by name')
  const applied = rows.map(({ name }) => name)
  if (applied.slice(0, names.length).join() !== names.join()) return 'other'
  return applied.length > names.length ? 'newer' : 'same'
}

async function checkServer(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  )
  if ((rows[0]?.number ?? 0) < oldestMajor * 10_000)
    throw new StartFailure(`PostgreSQL ${rows[0]?.name} is too old: Tollgate needs ${oldestMajor} or newer.`)
}

async function appliedIn(client: pg.PoolClient): Promise<Map<string, string>> {
  await client.query(
    `create table if not exists schema_migrations (
       name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
  )
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations order by name',
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

function missingOf(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const newest = migrations.at(-1)?.name ?? ''
  for (const [name, checksum] of applied) {
    const migration = known.get(name)
    if (migration === undefined) throw new StartFailure(unknownMigration(name, name > newest))
    if (migration.checksum !== checksum) throw new StartFailure(changedMigration(name))
  }
  const last = [...applied.keys()].at(-1) ?? ''
  const missing = migrations.filter(({ name }) => !applied.has(name))
  const late = missing.find(({ name }) => name < last)
  if (late !== undefined)
    throw new StartFailure(
      `The migration ${late.name} comes before ${last}, which is applied. Give it a higher number.`,
    )
  return missing
}

function changedMigration(name: string): string {
  return (
    `The file ${name} has changed since this database was made from it. Delete the database (its folder, DATA_DIR) and ` +
    'start again, or restore the file.'
  )
}

function unknownMigration(name: string, isNewer: boolean): string {
  if (name === unfinishedMove)
    return 'A move into this database was broken off. Run the command move-to again, or start with another database.'
  return isNewer
    ? `The database was made by a newer Tollgate (it has ${name}, unknown here). Start that version instead.`
    : `The database was made by a Tollgate from before the first release (it has ${name}, which no release has) and ` +
        'cannot be upgraded. Start with an empty database: another DATA_DIR, or another database in DATABASE_URL.'
}

async function apply(client: pg.PoolClient, { name, text, checksum }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`)
      await client.query(text)
      await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
      await client.query('commit')
      return
    } catch (error) {
      await client.query('rollback')
      // 55P03: another session has the table locked. The waiting statements go first, then the migration tries again.
      if (sqlState(error) !== '55P03' || attempt >= attemptsMax)
        throw new StartFailure(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
      await sleep(500 + Math.random() * 500)
    }
  }
}
