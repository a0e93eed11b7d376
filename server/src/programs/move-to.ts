// `npm run move-to -- DATABASE_URL`: moves the embedded database to a PostgreSQL server of one's own.
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { exportAuditChain, verifyAuditFile } from '../audit/index.ts'
import { move, type Moved } from '../backup/index.ts'
import { LedgerChecker } from '../ledger/index.ts'
import { schemaState } from '../storage/migrate.ts'
import { openDatabase, row, type Database, type Db } from '../platform/db.ts'
import { notedBackupDir } from '../storage/embedded/backup-notes.ts'
import { findRunning } from '../storage/embedded/find-running.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'
import { readConfig, type Config } from '../platform/process/config.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { findSecretKey } from '../platform/security/secret-key.ts'

const usage = `Usage: npm run move-to -- DATABASE_URL [--data-dir ./data]
  Copies the embedded database of a Tollgate that is stopped into an empty database of a PostgreSQL server, 15 or newer,
  and compares both row for row. It only reads the embedded one. After a break, run it again: it goes on.
  DATABASE_URL  postgres://owner:password@host:5432/database, with the role that is to own the tables. Other people of
                this machine do not see the password when it is in PGPASSWORD instead.
  --data-dir    the folder that Tollgate ran on; DATA_DIR or ./data unless given`

/** Whether a server answers there. What a killed one has left answers nothing, and the start below ends it. */
async function runs(dataDir: string): Promise<boolean> {
  const address = await findRunning(dataDir)
  if (address === undefined) return false
  const database = openDatabase({ address, maxConnections: 1, onFault: () => undefined })
  try {
    return await database.pool.query('select').then(
      () => true,
      () => false,
    )
  } finally {
    await database.close()
  }
}

type Source = Pick<Database, 'pool' | 'close'>

/** Throws StartFailure when there is nothing to move, or it is in use. */
async function requireSource(dataDir: string): Promise<void> {
  const isThere = async (name: string) => (await stat(join(dataDir, name)).catch(() => null)) !== null
  if (!(await isThere('postgres/pgdata')) && !(await isThere('postgres.location')))
    throw new StartFailure(
      `There is no database in ${dataDir}. Give the folder that Tollgate ran on with --data-dir.`,
    )
  if (await runs(dataDir))
    throw new StartFailure(
      `Tollgate runs on ${dataDir}. Stop it: what it stores meanwhile would not be moved.`,
    )
}

/** The embedded database for reading, with a server of this command's own: no gateway can start meanwhile. */
async function openSource(dataDir: string): Promise<Source> {
  // The server writes its log on, and an archive of it must not have a gap.
  const server = await startEmbedded({ dataDir, backupDir: await notedBackupDir(dataDir) })
  const database = openDatabase({
    address: { host: server.host, database: 'tollgate' },
    maxConnections: 3,
    statementTimeoutMs: 0,
    serverSettings: { default_transaction_read_only: 1 },
  })
  const close = async () => {
    await database.close()
    await server.stop()
  }
  const state = await schemaState(database.pool).catch(() => 'other')
  if (state === 'same') return { pool: database.pool, close }
  await close()
  throw new StartFailure(
    `The database in ${dataDir} has the schema of another version of Tollgate. Run this command of the version that ran on it, or start this version on it once.`,
  )
}

async function openTarget(url: string): Promise<Database> {
  const target = openDatabase({
    address: url,
    maxConnections: 3,
    statementTimeoutMs: 0,
    onFault: () => undefined,
  })
  try {
    await target.pool.query('select')
    return target
  } catch (error) {
    await target.close()
    // The address contains a password, so only the reason is shown.
    const { message, code } = error as NodeJS.ErrnoException
    throw new StartFailure(
      `The target cannot be reached: ${message || code}. Check the address, and that the server lets this machine in.`,
    )
  }
}

/** Checks the moved database by its own sums, as a gateway does; it is what the source was, so a fault was there before. */
async function inspect(db: Db, config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<void> {
  const found = await row<{ count: string; newest: Date | null }>(
    db,
    sql`select coalesce(sum(record_count), 0)::text as count, max(stored_at) as newest from record_batches`,
  )
  say(
    `${found?.count} records${found?.newest == null ? '' : `, the newest of ${found.newest.toISOString()}`}.`,
  )
  const ledger = await new LedgerChecker(db).run()
  say(
    ledger?.sumMicro === 0n && ledger.breaks.length === 0
      ? 'The ledger balances, and says what the records say.'
      : 'The ledger does not balance, and did not before.',
  )
  const secretKey = await findSecretKey(config)
  if (secretKey === undefined) return say('The audit log was not checked: there is no SECRET_KEY here.')
  const lines = () => createInterface({ input: Readable.from(exportAuditChain(db)), crlfDelay: Infinity })
  const { entryCount, breaks } = await verifyAuditFile({ lines, secretKey, heads: '' })
  say(
    breaks.length === 0
      ? `The audit log is whole: ${entryCount} entries.`
      : `The audit log has ${breaks.length} breaks, and had them before: see npm run verify-audit.`,
  )
}

async function moveFrom(source: Source, target: Database): Promise<Moved> {
  try {
    return await move({ source: source.pool, target: target.pool, say })
  } finally {
    await source.close()
  }
}

async function run(url: string, dataDir: string): Promise<number> {
  // Reads and checks the address and the key as the gateway does.
  const config = readConfig({ ...process.env, DATABASE_URL: url, DATA_DIR: dataDir })
  await requireSource(dataDir)
  const startedAt = performance.now()
  const target = await openTarget(url)
  try {
    const moved = await moveFrom(await openSource(dataDir), target)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    say(
      `Moved in ${seconds} s: ${moved.rowCount} rows of ${moved.tableCount} tables, each read again from both and alike.`,
    )
    await inspect(target.db, config)
    say(
      `Now set DATABASE_URL to the new database (and MIGRATION_DATABASE_URL, if the tables' owner is not the role that Tollgate uses), keep SECRET_KEY or ${join(dataDir, 'secret.key')}, and start Tollgate. The embedded database is as it was; do not start Tollgate on it again.`,
    )
    return 0
  } finally {
    await target.close()
  }
}

await runCommand({
  usage,
  options: { 'data-dir': { type: 'string' } },
  run: ({ values, positionals: [url, ...more] }) => {
    if (url === undefined || more.length > 0) throw new UsageError('')
    return run(url, resolve(values['data-dir'] ?? process.env['DATA_DIR'] ?? 'data'))
  },
})
