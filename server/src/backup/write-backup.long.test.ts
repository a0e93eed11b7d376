// On a cluster of its own: the one that tests share is large, and changes meanwhile.
import { chmod, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openDatabase, rows } from '../platform/db.ts'
import { startEmbedded } from '../storage/embedded/start.ts'
import { findRunning } from '../storage/embedded/find-running.ts'
import { createHash } from 'node:crypto'
import { checkManifest } from './manifest.ts'
import { writeBackup } from './write-backup.ts'

const base = await mkdtemp(join(tmpdir(), 'tg-backup-'))
// As root the database runs as another account, which must be able to pass.
await chmod(base, 0o711)
const dataDir = join(base, 'data')
const server = await startEmbedded({ dataDir })
const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
afterAll(async () => {
  await database.close()
  await server.stop()
  await rm(base, { recursive: true, force: true })
})

const source = async () => {
  const running = await findRunning(dataDir)
  if (running === undefined) throw new Error('The cluster of this test is not running')
  return running
}

/** What this process has open below a path, where the system says it (Linux). */
async function openBelow(path: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => [])
  const files = descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''))
  return (await Promise.all(files)).filter((file) => file.startsWith(path))
}

test('a server that ends the connection half-way leaves nothing under the name of a backup, nor beside it, nor open', async () => {
  const folder = join(base, 'cut')
  const making = writeBackup({ folder, ...(await source()), megabytesPerSecond: 1 })
  making.catch(() => undefined)
  const isCopying = async () =>
    rows(database.db, sql`select from pg_stat_progress_basebackup where backup_streamed > 0`)
  await expect.poll(isCopying).toHaveLength(1)
  await sql`select pg_terminate_backend(pid) from pg_stat_progress_basebackup`.execute(database.db)
  await expect(making).rejects.toThrow()
  expect((await readdir(base)).filter((name) => name.startsWith('cut'))).toEqual([])
  expect(await openBelow(folder)).toEqual([])
})

test('a folder that holds something is left as it is', async () => {
  const folder = await mkdtemp(join(base, 'full-'))
  await writeFile(join(folder, 'mine.txt'), 'mine')
  await expect(writeBackup({ folder, ...(await source()), megabytesPerSecond: 64 })).rejects.toThrow(
    `${folder} is not empty`,
  )
  expect(await readdir(folder)).toEqual(['mine.txt'])
})

test('a server starts on the copy, without the log that only the source has', async () => {
  await sql`create table kept as select generate_series(1, 1000) as id`.execute(database.db)
  const folder = join(base, 'copy')
  await writeBackup({ folder, ...(await source()), megabytesPerSecond: 512 })
  await sql`insert into kept values (1001)`.execute(database.db)
  const second = await startEmbedded({ dataDir: folder })
  const copy = openDatabase({ address: { host: second.host, database: 'postgres' } })
  try {
    expect(await rows(copy.db, sql`select count(*)::int as count from kept`)).toEqual([{ count: 1_000 }])
    // The replication slot was temporary: it ended with the connection of the backup.
    expect(await rows(database.db, sql`select from pg_replication_slots`)).toEqual([])
  } finally {
    await copy.close()
    await second.stop()
  }
})

// Only root runs the database as another account, which needs to be let in.
test.skipIf(process.getuid?.() !== 0)(
  'a copy that its account cannot reach is not passed over for an empty database',
  async () => {
    const closed = await mkdtemp(join(base, 'closed-'))
    await writeBackup({ folder: join(closed, 'copy'), ...(await source()), megabytesPerSecond: 512 })
    await expect(startEmbedded({ dataDir: join(closed, 'copy') })).rejects.toThrow('There is a database in')
  },
)

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const listed = [{ Path: 'base/1', Size: 3, Checksum: hash('one') }]
const body = `{"Files": ${JSON.stringify(listed)},\n`
const manifest = `${body}"Manifest-Checksum": "${hash(body)}"}\n`
const copied = { path: 'base/1', size: 3, sha256: hash('one') }

test('a copy that is what the manifest lists is taken; the log may come besides', () => {
  checkManifest(manifest, [copied, { path: 'pg_wal/000000010000000000000001', size: 9, sha256: hash('log') }])
})

test.each([
  ['another content', manifest, [{ ...copied, sha256: hash('two') }], 'not what the database sent'],
  ['another size', manifest, [{ ...copied, size: 4 }], 'not what the database sent'],
  ['a missing file', manifest, [], 'base/1 is missing'],
  ['a file too many', manifest, [copied, { ...copied, path: 'base/2' }], 'did not list'],
  ['a damaged manifest', manifest.replace('"Size":3', '"Size":4'), [copied], 'its manifest is damaged'],
])('a copy with %s is refused', (_, text, files, words) => {
  expect(() => checkManifest(text, files)).toThrow(words)
})
