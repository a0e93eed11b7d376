// The disk of the embedded database is lost under load; what BACKUP_DIR has is restored, and takes traffic again.
import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { checkAll, verdictOf } from './checker.ts'
import { until } from './conditions.ts'
import { defineDrill } from './define.ts'
import { drillFolder, makeEmbeddedTestbed } from './embedded-testbed.ts'
import { startLoad } from './start-load.ts'

const exec = promisify(execFile)
/** What a lost disk may take with it. */
const lossMaxMs = 60_000
const lookEveryMs = 250

interface Look {
  readonly atMs: number
  readonly acknowledged: number
}

export const lostDisk = defineDrill({
  name: 'lost-disk',
  summary: 'the disk of the embedded database is lost under load; base backup and archived log are restored',
  options: { seconds: 150, perSecond: 1_000 },
  short: { seconds: 12, perSecond: 1_000 },
  async run({ options, random, note, onEnd }) {
    const backupDir = join(await drillFolder({ onEnd }), 'backups')
    const testbed = await makeEmbeddedTestbed({ onEnd }, { environment: { BACKUP_DIR: backupDir } })
    const { dataDir } = testbed
    const gateway = await testbed.start()
    const { suppliers, periodic } = await startLoad(
      { onEnd, random },
      { ...testbed, ports: [testbed.smppPort] },
      { perSecond: options.perSecond, binds: 4, repeatShare: 0 },
    )
    await until('the first acknowledgements', () => suppliers.acknowledged > 0)
    const run = async (name: string, ...args: string[]) => {
      const { stdout } = await exec(process.execPath, [join(import.meta.dirname, `${name}.js`), ...args])
      for (const line of stdout.trim().split('\n')) note(`${name}: ${line}`)
    }
    await run('backup', '--data-dir', dataDir, '--megabytes-per-second', '256')
    const atBackup = suppliers.acknowledged

    const looks: Look[] = []
    const endAtMs = Date.now() + options.seconds * 1_000
    while (Date.now() < endAtMs) {
      looks.push({ atMs: Date.now(), acknowledged: suppliers.acknowledged })
      await sleep(lookEveryMs)
    }
    const address = await testbed.address()
    if (address === undefined) throw new Error('The database is not running')
    const archivedAt = await lastArchived(address)
    await testbed.killBoth(gateway)
    const lostAtMs = Date.now()
    suppliers.pause()
    await periodic.stop()
    const before = suppliers.acknowledged
    const keyKept = join(await drillFolder({ onEnd }), 'secret.key')
    await copyFile(join(dataDir, 'secret.key'), keyKept)
    await rm(dataDir, { recursive: true })

    // The key is restored apart: it is in no backup.
    await mkdir(dataDir, { mode: 0o711 })
    await copyFile(keyKept, join(dataDir, 'secret.key'))
    const startedAtMs = performance.now()
    await run('restore', backupDir, '--data-dir', dataDir)
    await testbed.start()
    const restoredMs = performance.now() - startedAtMs
    const restored = await testbed.address()
    if (restored === undefined) throw new Error('The restored database is not running')

    // What was archived for certain: everything that was acknowledged before the last segment went to the archive.
    const certain =
      looks.findLast(({ atMs }) => atMs < archivedAt.getTime() - 1_000)?.acknowledged ?? atBackup
    const { journal } = suppliers
    const found = await checkAll(restored, [
      { ...journal, acknowledgedIds: journal.acknowledgedIds.slice(0, certain) },
    ])
    const { isPassed, breaches, figures } = verdictOf(found)
    for (const breach of breaches) note(breach)
    const all = await checkAll(restored, [journal])
    const lossMs =
      lostAtMs - (looks.findLast(({ acknowledged }) => acknowledged <= before - all.lost)?.atMs ?? 0)

    const atRestart = suppliers.acknowledged
    suppliers.start()
    await until('the restored gateway acknowledges', () => suppliers.acknowledged >= atRestart + 100)
    await suppliers.stop()
    return {
      isPassed: isPassed && certain > atBackup && all.stored > atBackup && lossMs <= lossMaxMs,
      figures: [
        ...figures(certain),
        `${before.toLocaleString('en')} acknowledged before the loss`,
        `${all.lost.toLocaleString('en')} of the last ${(lossMs / 1_000).toFixed(1)} s lost with the disk`,
        `restored and ready after ${(restoredMs / 1_000).toFixed(1)} s`,
      ],
    }
  },
})

async function lastArchived({ host, database }: { host: string; database: string }): Promise<Date> {
  const client = new pg.Client({ host, database, user: 'postgres' })
  await client.connect()
  try {
    const { rows } = await client.query<{ at: Date | null }>(
      'select last_archived_time as at from pg_stat_archiver',
    )
    if (rows[0]?.at == null) throw new Error('Nothing was archived')
    return rows[0].at
  } finally {
    await client.end()
  }
}
