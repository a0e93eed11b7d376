// `npm run backup [-- FOLDER]`: copies the embedded database while the gateway runs on it.
import { randomBytes } from 'node:crypto'
import { rename, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { baseName, removeOldBackups, writeBackup, type Backup } from '../backup/index.ts'
import { noteBackup, notedBackupDir } from '../storage/embedded/backup-notes.ts'
import { findRunning, type RunningDatabase } from '../storage/embedded/find-running.ts'
import { clusterFolder } from '../storage/embedded/wal-archive.ts'
import { runCommand, say, UsageError, wholeNumber } from '../platform/process/command.ts'
import { StartFailure } from '../platform/process/start-failure.ts'

const usage = `Usage: npm run backup [-- [FOLDER] [--keep-days 14] [--data-dir ./data] [--megabytes-per-second 64]]
  Copies the embedded database while Tollgate runs, into FOLDER, or without it into BACKUP_DIR as the gateway has it.
  The command restore restores it.
  --keep-days             removes copies in BACKUP_DIR, and the log that they need, when they are older than so many
                          days; 0 keeps all
  --data-dir              the folder that Tollgate runs on; DATA_DIR or ./data unless given
  --megabytes-per-second  how fast to copy at most, 1 to 1024; slower leaves more of the disk to the traffic`

interface Wanted {
  /** undefined: a new folder in BACKUP_DIR. */
  readonly folder: string | undefined
  readonly dataDir: string
  readonly keepDays: number
  readonly megabytesPerSecond: number
}

/** Writes the next base backup into BACKUP_DIR, and removes what is too old. */
async function writeBase(
  cluster: string,
  running: RunningDatabase,
  { keepDays, megabytesPerSecond }: Wanted,
): Promise<Backup> {
  // The name says when it was complete, which is known at the end.
  const draft = join(cluster, `new-${randomBytes(4).toString('hex')}`)
  const written = await writeBackup({ folder: draft, ...running, megabytesPerSecond })
  const folder = join(cluster, baseName(new Date()))
  await rename(draft, folder)
  if (keepDays > 0) {
    const { bases, walFiles } = await removeOldBackups(cluster, keepDays, new Date())
    if (bases > 0) say(`${bases} older copies and ${walFiles} files of the log were removed.`)
  }
  return { ...written, folder }
}

async function run(wanted: Wanted): Promise<number> {
  const { folder, dataDir, megabytesPerSecond } = wanted
  const running = await findRunning(dataDir)
  if (running === undefined)
    throw new StartFailure(
      `No Tollgate with an embedded database runs on ${dataDir}. Start it, or give its folder with --data-dir. ` +
        'A database server of your own is backed up by its own tools: pg_basebackup or pg_dump.',
    )
  const backupDir = await notedBackupDir(dataDir)
  if (folder === undefined && backupDir === undefined)
    throw new StartFailure('Give a folder, or start Tollgate with BACKUP_DIR, which the copy then goes to.')
  const startedAt = performance.now()
  const backup =
    folder === undefined
      ? await writeBase(await clusterFolder(backupDir ?? '', running.pgdata), running, wanted)
      : await writeBackup({ folder, ...running, megabytesPerSecond })
  await noteBackup(dataDir, backup.folder)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
  say(
    `${backup.folder}: ${backup.files} files, ${(backup.bytes / 1e6).toFixed(0)} MB, in ${seconds} s, each compared with the hash that the database gave for it.`,
  )
  const keyFile = join(dataDir, 'secret.key')
  say(
    (await stat(keyFile).catch(() => null)) === null
      ? 'The copy is of no use for encrypted texts and passwords without SECRET_KEY. Keep it, and keep it elsewhere.'
      : `The copy is of no use for encrypted texts and passwords without ${keyFile}. Keep that file, too, and keep it elsewhere.`,
  )
  return 0
}

await runCommand({
  usage,
  options: {
    'keep-days': { type: 'string', default: '14' },
    'data-dir': { type: 'string' },
    'megabytes-per-second': { type: 'string', default: '64' },
  },
  run: ({ values, positionals: [folder, ...more] }) => {
    const megabytesPerSecond = Number(values['megabytes-per-second'])
    if (more.length > 0 || !(megabytesPerSecond >= 1 && megabytesPerSecond <= 1_024)) throw new UsageError('')
    return run({
      folder,
      dataDir: resolve(values['data-dir'] ?? process.env['DATA_DIR'] ?? 'data'),
      keepDays: wholeNumber('keep-days', values['keep-days']),
      megabytesPerSecond,
    })
  },
})
