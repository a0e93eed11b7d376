// The version after this one, as far as an upgrade knows it: the same programs with one more migration. While nothing is
// released there is no other version to begin from, and until 1.0.0 a migration is edited in place, so that an earlier
// commit refuses the database of a later one: only what comes after can be made. The migration does what the policy of
// upgrades allows (docs/operating.md), and needs the tables that messages use.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrationsFolder, projectRoot } from '../src/platform/process/project.ts'

/** What the migration makes. */
export const stepParts = { table: 'drill_notes', index: 'numbers_drill_idx', column: 'drill_mark' }

/** A table of its own, a column of a table that every call reads, an index, and a column of the table under load. */
const stepSql = `create table ${stepParts.table} (id bigint generated always as identity primary key, user_id int references users, note text);
comment on table ${stepParts.table} is 'Made by the drill upgrade. [people]';
alter table users add column ${stepParts.column} smallint;
create index ${stepParts.index} on numbers (holder_id, id);
alter table records add column ${stepParts.column} smallint;
`

/** A version to run. */
export interface ProgramVersion {
  /** Its gateway; the commands lie beside it. */
  readonly program: string
  /** The folder of its migrations. */
  readonly migrations: string
}

export interface NextVersion extends ProgramVersion {
  /** The name of its last migration. */
  readonly step: string
}

/** The version in the folder of an unpacked release; that of this project for ''. */
export function versionIn(folder: string): ProgramVersion {
  return folder === ''
    ? { program: join(import.meta.dirname, 'main.js'), migrations: migrationsFolder }
    : { program: join(folder, 'dist/server/main.js'), migrations: join(folder, 'server/migrations') }
}

/**
 * Makes it in an empty folder, of the built `programs`, which are copied; all else but the migrations is that of this
 * project.
 */
export async function makeNextVersion(folder: string, programs = import.meta.dirname): Promise<NextVersion> {
  const migrations = join(folder, 'server', 'migrations')
  await cp(migrationsFolder, migrations, { recursive: true })
  const last = (await readdir(migrations)).toSorted().at(-1) ?? ''
  const step = `${String(Number(last.slice(0, 4)) + 1).padStart(4, '0')}_upgrade_drill.sql`
  await writeFile(join(migrations, step), stepSql)
  const copies = join(folder, 'dist', 'server')
  // The map of a program is only for people.
  await cp(programs, copies, { recursive: true, filter: (path) => !path.endsWith('.map') })
  await writeFile(join(folder, 'package.json'), await readFile(join(projectRoot, 'package.json')))
  await mkdir(join(folder, 'web'))
  for (const path of ['node_modules', 'web/dist', 'server/src', 'server/package.json'])
    await symlink(join(projectRoot, path), join(folder, path))
  return { program: join(copies, 'main.js'), migrations, step }
}
