// `npm run db`: reads the database that Tollgate uses, by one query or line by line.
import { createInterface } from 'node:readline'
import { openDatabase, type Database } from '../platform/db.ts'
import { runCommand, say } from '../platform/process/command.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { findRunning } from '../storage/embedded/find-running.ts'

const usage = `Usage: npm run db [-- "select …"] [--write] [--data-dir ./data]
  Without a query it reads lines; a line that ends in ; runs what was typed. \\d lists the tables, \\d NAME one table's
  columns, \\q leaves.
  --write     lets statements change data (each is committed at once); without it the session is read-only
  --data-dir  the folder of the Tollgate that runs; DATABASE_URL, when it is set, names the database instead`

const rowsShownMax = 1_000

async function open(dataDir: string): Promise<Database | undefined> {
  const address = process.env['DATABASE_URL'] || (await findRunning(dataDir))
  return address === undefined ? undefined : openDatabase({ address, maxConnections: 1 })
}

/** Runs one statement and prints its rows. Returns false when the server refused it. */
async function run(database: Database, statement: string): Promise<boolean> {
  try {
    const { rows, rowCount, command } = await database.pool.query<Record<string, unknown>>(statement)
    if (rows.length > 0) console.table(rows.slice(0, rowsShownMax).map(shownRow))
    if (rows.length > rowsShownMax) say(`The first ${rowsShownMax} of ${rows.length} rows.`)
    else say(`${command}, ${rowCount ?? 0} rows`)
    return true
  } catch (error) {
    say((error as Error).message)
    return false
  }
}

function shownRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shownValue(value)]))
}

function shownValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.subarray(0, 32).toString('hex')}`
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

const tablesQuery = `select c.relname as table, c.reltuples::bigint as rows_about, pg_size_pretty(pg_total_relation_size(c.oid)) as size
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`

const columnsQuery = (table: string) => `select column_name, data_type, is_nullable, column_default
  from information_schema.columns where table_name = '${table.replaceAll("'", "''")}' order by ordinal_position`

function statementOf(line: string): string {
  const table = /^\\d\s+(\S+)/.exec(line)?.[1]
  if (table !== undefined) return columnsQuery(table)
  return line.trim() === '\\d' ? tablesQuery : line
}

async function readLines(database: Database): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: 'tollgate=> ' })
  let typed = ''
  lines.prompt()
  for await (const line of lines) {
    if (typed === '' && line.trim() === '\\q') break
    typed += `${line}\n`
    if (/;\s*$/.test(typed) || typed.startsWith('\\')) {
      await run(database, statementOf(typed))
      typed = ''
    }
    lines.prompt()
  }
  lines.close()
}

async function main(dataDir: string, query: string, writes: boolean): Promise<number> {
  const database = await open(dataDir)
  if (database === undefined)
    throw new StartFailure(`No Tollgate runs on ${dataDir}. Start it, or name the database in DATABASE_URL.`)
  try {
    await database.pool.query(`set default_transaction_read_only = ${writes ? 'off' : 'on'}`)
    if (query !== '') return (await run(database, query)) ? 0 : 1
    await readLines(database)
    return 0
  } finally {
    await database.close()
  }
}

await runCommand({
  usage,
  options: { write: { type: 'boolean' }, 'data-dir': { type: 'string' } },
  run: ({ values, positionals }) =>
    main(
      values['data-dir'] ?? (process.env['DATA_DIR'] || './data'),
      positionals.join(' '),
      values.write === true,
    ),
})
process.exit()
