// `npm run backup -- FOLDER`: copies the embedded database while the gateway runs on it.
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { noteBackup } from '../platform/backup/last-backup.ts'
import { writeBackup } from '../platform/backup/write-backup.ts'
import { findRunning } from '../platform/embedded/find-running.ts'
import { runCommand, say, UsageError } from '../platform/process/command.ts'
import { StartFailure } from '../platform/process/start-failure.ts'

const usage = `Usage: npm run backup -- FOLDER [--data-dir ./data] [--megabytes-per-second 64]
  Copies the embedded database into FOLDER while Tollgate runs. To restore, start Tollgate with DATA_DIR=FOLDER.
  --data-dir              the folder that Tollgate runs on; DATA_DIR or ./data unless given
  --megabytes-per-second  how fast to copy at most, 1 to 1024; slower leaves more of the disk to the traffic`

async function run(
  [folder, ...more]: readonly string[],
  dataDir: string,
  megabytesPerSecond: number,
): Promise<number> {
  if (folder === undefined || more.length > 0 || !(megabytesPerSecond >= 1 && megabytesPerSecond <= 1_024))
    throw new UsageError()
  const running = await findRunning(dataDir)
  if (running === undefined)
    throw new StartFailure(
      `No Tollgate with an embedded database runs on ${dataDir}. Start it, or give its folder with --data-dir. ` +
        'A database server of your own is backed up by its own tools: pg_basebackup or pg_dump.',
    )
  const startedAt = performance.now()
  const backup = await writeBackup({ folder, ...running, megabytesPerSecond })
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
  options: { 'data-dir': { type: 'string' }, 'megabytes-per-second': { type: 'string', default: '64' } },
  run: ({ values, positionals }) =>
    run(
      positionals,
      resolve(values['data-dir'] ?? process.env['DATA_DIR'] ?? 'data'),
      Number(values['megabytes-per-second']),
    ),
})
