// What lies in a folder of a cluster below BACKUP_DIR: base backups, named by the time at which each was complete, and the
// archived log. Old ones are removed together.
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { walFolder } from '../storage/embedded/wal-archive.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { segmentOf } from './timelines.ts'

export interface BaseBackup {
  /** Has the form of DATA_DIR. */
  readonly folder: string
  readonly pgdata: string
  readonly completeAt: Date
  /** The first file of the log that it needs, and the size of such a file. */
  readonly firstWal: string
  readonly segmentBytes: number
}

const dayMs = 86_400_000

/** `base-20261129T164405Z`, the name of a backup that is complete at this time: the next whole second. */
export function baseName(time: Date): string {
  const whole = new Date(Math.ceil(time.getTime() / 1_000) * 1_000)
  return `base-${whole.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
}

/** Reads a folder that was written by a backup. Throws StartFailure for another one. */
export async function readBase(folder: string): Promise<BaseBackup> {
  const pgdata = join(folder, 'postgres', 'pgdata')
  const [label, manifest] = await Promise.all([
    readFile(join(pgdata, 'backup_label'), 'utf8').catch(() => ''),
    stat(join(pgdata, 'backup_manifest')).catch(() => undefined),
  ])
  const firstWal = /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)/m.exec(label)?.[1]
  if (firstWal === undefined || manifest === undefined)
    throw new StartFailure(`${folder} is no backup: it was not made by this command, or was started on.`)
  const { size: segmentBytes } = await stat(join(pgdata, 'pg_wal', firstWal))
  return { folder, pgdata, completeAt: timeIn(folder) ?? manifest.mtime, firstWal, segmentBytes }
}

function timeIn(folder: string): Date | undefined {
  const [, date, hour, minute, second] = /base-(\d{8})T(\d\d)(\d\d)(\d\d)Z$/.exec(folder) ?? []
  if (date === undefined) return undefined
  const day = date.replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3')
  return new Date(`${day}T${hour}:${minute}:${second}Z`)
}

/** The base backups of a cluster, the newest first. */
export async function listBases(cluster: string): Promise<BaseBackup[]> {
  const names = await readdir(cluster)
  const found = names.filter((name) => /^base-\d{8}T\d{6}Z$/.test(name)).toSorted()
  return Promise.all(found.toReversed().map((name) => readBase(join(cluster, name))))
}

/** The folders of clusters below BACKUP_DIR. */
export async function listClusters(backupDir: string): Promise<string[]> {
  const names = await readdir(backupDir).catch(() => [])
  return names.filter((name) => /^cluster-\d+$/.test(name)).map((name) => join(backupDir, name))
}

export interface Removed {
  readonly bases: number
  readonly walFiles: number
}

/**
 * Removes base backups older than so many days, but for the newest of them, with which the days before the next one can be
 * restored; and the files of the log that only the removed ones needed. History files are small, and stay.
 */
export async function removeOldBackups(cluster: string, keepDays: number, now: Date): Promise<Removed> {
  const bases = await listBases(cluster)
  const oldest = bases.findIndex(({ completeAt }) => completeAt.getTime() <= now.getTime() - keepDays * dayMs)
  const kept = oldest === -1 ? bases : bases.slice(0, oldest + 1)
  const removed = bases.slice(kept.length)
  for (const { folder } of removed) await rm(folder, { recursive: true })
  const last = kept.at(-1)
  if (last === undefined) return { bases: 0, walFiles: 0 }
  return { bases: removed.length, walFiles: await removeWalBefore(walFolder(cluster), last) }
}

async function removeWalBefore(folder: string, { firstWal, segmentBytes }: BaseBackup): Promise<number> {
  const first = segmentOf(firstWal, segmentBytes)?.number ?? 0
  let count = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const segment = segmentOf(name.slice(0, 24), segmentBytes)
    if (segment === undefined || segment.number >= first) continue
    await rm(join(folder, name), { force: true })
    count += 1
  }
  return count
}
