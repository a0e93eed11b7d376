// Backups below BACKUP_DIR and what is restored from them, on a cluster of its own.
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { findRunning } from '../storage/embedded/find-running.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import { clusterFolder, walFolder } from '../storage/embedded/wal-archive.ts'
import { baseName, listBases, removeOldBackups } from './backups.ts'
import { restore } from './restore.ts'
import { writeBackup } from './write-backup.ts'

// With what a shell and PostgreSQL's settings give a meaning to.
const base = await mkdtemp(join(tmpdir(), "tg it's 5% "))
await chmod(base, 0o711)
const [dataDir, backupDir] = [join(base, 'data'), join(base, 'backups')]
const server = await startEmbedded({ dataDir, backupDir })
const source = new pg.Client({ host: server.host, user: 'postgres', database: 'postgres' })
await source.connect()
let isStopped = false
const stopSource = async () => {
  if (isStopped) return
  isStopped = true
  await source.end()
  await server.stop()
}
afterAll(async () => {
  await stopSource()
  await rm(base, { recursive: true, force: true })
})

await source.query('create table kept (id int)')
const running = await findRunning(dataDir)
if (running === undefined) throw new Error('The cluster of this test is not running')
const cluster = await clusterFolder(backupDir, running.pgdata)
const draft = join(cluster, 'new')
await writeBackup({ folder: draft, ...running, megabytesPerSecond: 512 })
const first = join(cluster, baseName(new Date()))
await rename(draft, first)

const tick = () => new Promise((resolve) => setTimeout(resolve, 1_100))
await tick()
await source.query('insert into kept values (1)')
await tick()
const between = new Date()
await tick()
await source.query('insert into kept values (2)')
await source.query('select pg_switch_wal()')
await source.query('insert into kept values (3)')
await source.query('select pg_switch_wal()')
await source.query('create table later ()')
// A clean stop archives what there is.
await stopSource()

const said: string[] = []
async function restored(name: string, to?: Date, from = backupDir): Promise<number[]> {
  let ids: number[] = []
  const inspect = async (host: string) => {
    const client = new pg.Client({ host, user: 'postgres', database: 'postgres' })
    await client.connect()
    const { rows } = await client.query<{ id: number }>('select id from kept order by id')
    ids = rows.map(({ id }) => id)
    await client.end()
  }
  await restore({ from, dataDir: join(base, name), to, say: (line) => said.push(line), inspect })
  return ids
}

test('with a time everything comes back that was committed by then', async () => {
  expect(await restored('moment', between)).toEqual([1])
})

test('one backup alone is restored as it was', async () => {
  expect(await restored('alone', undefined, first)).toEqual([])
})

test('everything that was archived comes back; a database that was restored goes on in the same archive', async () => {
  expect(await restored('all')).toEqual([1, 2, 3])
  expect(await readdir(join(base, 'all'))).toEqual(['postgres'])
  expect(await restored('again', between)).toEqual([1])
  const copy = await startEmbedded({ dataDir: join(base, 'again'), backupDir })
  const client = new pg.Client({ host: copy.host, user: 'postgres', database: 'postgres' })
  await client.connect()
  await client.query('insert into kept values (4)')
  await client.end()
  await copy.stop()
  expect(await restored('after')).toEqual([1, 4])
})

test('a data folder that holds something is refused, and left as it is; the key may be there', async () => {
  const folder = join(base, 'full')
  await mkdir(folder)
  await writeFile(join(folder, 'mine.txt'), 'mine')
  await expect(restored('full')).rejects.toThrow(`${folder} is not empty (mine.txt).`)
  expect(await readdir(folder)).toEqual(['mine.txt'])
  const keyed = join(base, 'keyed')
  await mkdir(keyed, { mode: 0o711 })
  await writeFile(join(keyed, 'secret.key'), 'key')
  expect(await restored('keyed', between)).toEqual([1])
})

test('a gap in the archive is said in one line; what is before it can be restored', async () => {
  const wal = walFolder(cluster)
  const names = (await readdir(wal)).filter((name) => /^00000001[0-9A-F]{16}\.gz$/.test(name)).toSorted()
  const victim = names.at(-2)!
  await rename(join(wal, victim), join(base, victim))
  // Without the time that the test before gave up the first timeline for.
  const history = join(wal, '00000002.history.gz')
  await rename(history, join(base, 'history')).catch(() => undefined)
  try {
    await expect(restored('gap')).rejects.toThrow(`The archive has a gap: ${join(wal, victim)} is missing.`)
    expect(await readdir(join(base, 'gap'))).toEqual([])
    expect(await restored('before-gap', between)).toEqual([1])
    await writeFile(join(wal, victim), 'no gzip')
    await expect(restored('damaged')).rejects.toThrow(`The archive is damaged: ${victim} cannot be unpacked.`)
  } finally {
    await rename(join(base, victim), join(wal, victim))
    await rename(join(base, 'history'), history).catch(() => undefined)
  }
})

test('a copy of which a file is missing is not restored', async () => {
  const folder = join(base, 'half')
  await cp(first, folder, { recursive: true })
  await rm(join(folder, 'postgres/pgdata/global/pg_filenode.map'))
  await expect(restored('from-half', undefined, folder)).rejects.toThrow('pg_filenode.map is missing')
  expect(await readdir(join(base, 'from-half'))).toEqual([])
})

test('a restore that was interrupted keeps a gateway from an empty database', async () => {
  const folder = join(base, 'cut')
  await mkdir(join(folder, 'restoring'), { recursive: true })
  await expect(startEmbedded({ dataDir: folder })).rejects.toThrow('was interrupted')
  await expect(restored('cut')).rejects.toThrow('was interrupted')
})

test('old copies go with their log, and the one that the kept days begin with stays', async () => {
  const old = join(base, 'rotated', 'cluster-1')
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000)
  await mkdir(walFolder(old), { recursive: true })
  const label = (name: string) => `START WAL LOCATION: 0/0 (file ${name})\n`
  const file = (number: number) =>
    `0000000100000000000000${number.toString(16).padStart(2, '0').toUpperCase()}`
  for (const [ago, number] of [
    [20, 2],
    [15, 4],
    [1, 6],
  ] as const) {
    const pgdata = join(old, baseName(day(ago)), 'postgres/pgdata')
    await mkdir(join(pgdata, 'pg_wal'), { recursive: true })
    await writeFile(join(pgdata, 'backup_label'), label(file(number)))
    await writeFile(join(pgdata, 'backup_manifest'), '{}')
    await writeFile(join(pgdata, 'pg_wal', file(number)), Buffer.alloc(4 * 1024 * 1024))
  }
  for (let number = 1; number <= 7; number += 1)
    await writeFile(join(walFolder(old), `${file(number)}.gz`), '')
  await writeFile(join(walFolder(old), '00000001.history.gz'), '')
  expect(await removeOldBackups(old, 14, new Date())).toEqual({ bases: 1, walFiles: 3 })
  expect((await listBases(old)).map(({ firstWal }) => firstWal)).toEqual([file(6), file(4)])
  expect(await readdir(walFolder(old))).toEqual([
    '00000001.history.gz',
    ...[4, 5, 6, 7].map((n) => `${file(n)}.gz`),
  ])
})
