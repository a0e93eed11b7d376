// Moves a database that nobody uses to an empty one of another server: by its own migrations, then table by table, then
// compared. Until all of it is done the target has a mark, with which no gateway starts on it.
import type pg from 'pg'
import { migrate, unfinishedMove } from '../../storage/migrate.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { completeRows, emptyForRows, makeWeeks, tablesOf, type MovedTable } from './contents.ts'
import { compareRows, copyRows } from './rows.ts'

export interface MoveOptions {
  /** Only read. */
  readonly source: pg.Pool
  /** As the owner of the tables; statements must be given all the time that they need. */
  readonly target: pg.Pool
  /** Called with what is going on. */
  readonly say: (line: string) => void
}

export interface Moved {
  readonly tableCount: number
  readonly rowCount: number
}

/** Throws StartFailure that says in one line what is wrong and what to do. */
export async function move({ source, target, say }: MoveOptions): Promise<Moved> {
  const state = await stateOf(source)
  await begin(target, state, say)
  if ((await appliedIn(target)) !== (await appliedIn(source)))
    throw new StartFailure('Source and target are of different versions of Tollgate. Give an empty database.')
  const tables = await tablesOf(source)
  await makeWeeks(target, tables)
  say(`Copying ${tables.length} tables, ${await sizeOf(source)}.`)
  await eachTable(tables, say, 'copied', (table) => copyRows(source, target, table))
  say('Making the foreign keys, and reading both databases to compare each row.')
  await completeRows(source, target)
  let rowCount = 0
  await eachTable(tables, say, 'compared', async (table) => {
    const count = await compareRows(source, target, table)
    if (count === undefined)
      throw new StartFailure(
        `The rows of ${table.name} are not those of the source, although all were copied. Look for faults of memory or disk on both machines, and move into another, empty database.`,
      )
    rowCount += count
  })
  await target.query('delete from schema_migrations where name = $1', [unfinishedMove])
  return { tableCount: tables.length, rowCount }
}

/** The migrations of a database with their checksums, as one text. */
async function appliedIn(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations where name <> $1 order by name',
    [unfinishedMove],
  )
  return rows.map(({ name, checksum }) => `${name} ${checksum}`).join()
}

/** What a gateway changes that has started on it even once. */
async function stateOf(source: pg.Pool): Promise<string> {
  const { rows } = await source.query<{ state: string }>(
    `select (select system_identifier from pg_control_system()) || ' ' ||
       (select coalesce(max(id), 0) from audit_entries) || ' ' ||
       (select md5(coalesce(string_agg(l::text, ',' order by l.name), '')) from leases l) as state`,
  )
  return rows[0]?.state ?? ''
}

const clusterIn = (state: string): string => state.split(' ')[0] ?? ''

async function sizeOf(source: pg.Pool): Promise<string> {
  const { rows } = await source.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  )
  return `${rows[0]?.size} with their indexes`
}

/** Takes an empty database, one that was only ever migrated, or what a move that was broken off has left of this source. */
async function begin(target: pg.Pool, state: string, say: MoveOptions['say']): Promise<void> {
  const { encoding, mark, found } = await lookAt(target)
  if (mark === state) return say('A move of this database was broken off here. It goes on.')
  if (mark !== undefined && clusterIn(mark) !== clusterIn(state))
    throw new StartFailure('A move of another database was broken off here. Give an empty database.')
  if (found !== undefined)
    throw new StartFailure(`The target is not empty: it has ${found}. Give an empty database.`)
  if (encoding !== 'UTF8')
    throw new StartFailure(
      `The target stores texts as ${encoding}. Make a database with another encoding: create database … encoding 'UTF8' template template0.`,
    )
  if (mark === undefined)
    await migrate(target).catch((error: Error) => {
      throw new StartFailure(mayNot(error))
    })
  else say('A move was broken off here, and Tollgate has run on the source since. It begins anew.')
  const client = await target.connect()
  let isWhole = false
  try {
    await client.query('begin')
    await emptyForRows(client)
    await client.query('delete from schema_migrations where name = $1', [unfinishedMove])
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      unfinishedMove,
      state,
    ])
    await client.query('commit')
    isWhole = true
  } finally {
    client.release(!isWhole)
  }
}

function mayNot({ message }: Error): string {
  return /permission denied/.test(message)
    ? `The role of the target may not make the tables: ${message}. Give the owner of the database, or make it the owner: alter database … owner to …`
    : message
}

interface Target {
  readonly encoding: string
  /** The state of the source of a move that was broken off. */
  readonly mark: string | undefined
  /** What it has that no empty database has. */
  readonly found: string | undefined
}

async function lookAt(target: pg.Pool): Promise<Target> {
  const { rows } = await target.query<{ encoding: string; relation: string | null; is_ours: boolean }>(
    `select current_setting('server_encoding') as encoding, to_regclass('schema_migrations') is not null as is_ours,
       (select relname from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
        order by relname limit 1) as relation`,
  )
  const { encoding = '', relation = null, is_ours: isOurs = false } = rows[0] ?? {}
  if (!isOurs)
    return { encoding, mark: undefined, found: relation === null ? undefined : `the relation ${relation}` }
  const marks = await target.query<{ checksum: string }>(
    'select checksum from schema_migrations where name = $1',
    [unfinishedMove],
  )
  const mark = marks.rows[0]?.checksum
  return { encoding, mark, found: mark === undefined ? await usedBy(target) : undefined }
}

/** What a gateway has stored; undefined when there are only the tables. */
async function usedBy(target: pg.Pool): Promise<string | undefined> {
  for (const [table, words] of [
    ['users', 'people of Tollgate'],
    ['record_batches', 'records'],
  ] as const) {
    const { rows } = await target.query<{ is_there: boolean }>(
      'select to_regclass($1) is not null as is_there',
      [table],
    )
    if (rows[0]?.is_there !== true) continue
    if (((await target.query(`select from ${table} limit 1`)).rowCount ?? 0) > 0) return words
  }
  return undefined
}

const tellEachMs = 10_000

/** Does the work for one table after the other, and tells from time to time how far it has come. */
async function eachTable(
  tables: readonly MovedTable[],
  say: MoveOptions['say'],
  done: string,
  work: (table: MovedTable) => Promise<void>,
): Promise<void> {
  let toldAtMs = performance.now()
  for (const [nth, table] of tables.entries()) {
    await work(table)
    if (performance.now() - toldAtMs < tellEachMs) continue
    toldAtMs = performance.now()
    say(`${nth + 1} of ${tables.length} tables are ${done}.`)
  }
}
