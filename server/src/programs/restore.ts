// `npm run restore -- FROM`: puts a backup of the embedded database into an empty DATA_DIR, up to its end or to a moment.
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sql } from 'kysely'
import { LedgerChecker } from '../ledger/index.ts'
import { restore } from '../backup/index.ts'
import { openDatabase, row } from '../platform/db.ts'
import { schemaState } from '../storage/migrate.ts'
import { applicationRole } from '../storage/embedded/roles.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'

const usage = `Usage: npm run restore -- FROM [--to TIME] [--data-dir ./data]
  Restores the embedded database into a data folder that is empty or has nothing but secret.key, and checks it.
  FROM        BACKUP_DIR, the folder of one database in it, or a folder that the command backup made
  --to        everything that was committed by then, such as 2026-11-29T16:44:05Z; everything there is unless given.
              It needs the archived log: BACKUP_DIR
  --data-dir  DATA_DIR or ./data unless given`

/** Whether the restored database balances; a difference is shown, since the copy is the best that there is. */
async function inspect(host: string): Promise<void> {
  const database = openDatabase({ address: { host, database: 'tollgate', user: applicationRole } })
  try {
    if ((await schemaState(database.pool)) !== 'same')
      return say('The schema is of another version of Tollgate: start the version that wrote it.')
    const found = await row<{ count: string; newest: Date | null }>(
      database.db,
      sql`select coalesce(sum(record_count), 0)::text as count, max(stored_at) as newest from record_batches`,
    )
    const newest = found?.newest?.toISOString()
    say(
      newest === undefined
        ? 'It has no records.'
        : `It has ${found?.count} records, the newest of ${newest}.`,
    )
    const findings = await new LedgerChecker(database.db).run()
    const isWhole = findings?.sumMicro === 0n && findings.breaks.length === 0
    say(
      isWhole
        ? 'The ledger balances, and says what the records say.'
        : 'The ledger does not balance. Keep this copy as it is, and restore an earlier moment.',
    )
  } finally {
    await database.close()
  }
}

function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  // Without a zone the machine's own would decide what is restored.
  if (!/(Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError(`--to takes a time with its zone, such as 2026-11-29T16:44:05Z, not ${text}.`)
  if (time.getTime() > Date.now()) throw new UsageError('--to is in the future.')
  return time
}

async function run(from: string, to: Date | undefined, dataDir: string): Promise<number> {
  const { lastCommit } = await restore({ from, to, dataDir, say, inspect })
  if (lastCommit !== undefined) say(`The last commit of the log is of ${lastCommit}.`)
  const hasKey = (await stat(join(dataDir, 'secret.key')).catch(() => null)) !== null
  say(
    `${dataDir} is restored. ${
      hasKey
        ? 'Start Tollgate on it.'
        : `Put the secret.key of this database into it, or set SECRET_KEY as it was; then start Tollgate on it.`
    } Then make a new backup.`,
  )
  return 0
}

await runCommand({
  usage,
  options: { to: { type: 'string' }, 'data-dir': { type: 'string' } },
  run: ({ values, positionals: [from, ...more] }) => {
    if (from === undefined || more.length > 0) throw new UsageError('')
    return run(
      resolve(from),
      timeOf(values.to),
      resolve(values['data-dir'] ?? process.env['DATA_DIR'] ?? 'data'),
    )
  },
})
