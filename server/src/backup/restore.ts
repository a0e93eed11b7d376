// Restores a backup into an empty DATA_DIR, and replays the archived log to a moment or to its end. Each file is compared
// with the manifest on its way. DATA_DIR has a database only when all of it has succeeded.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import type { Account } from '../storage/embedded/account.ts'
import { chooseHome } from '../storage/embedded/home.ts'
import { restoringName, startEmbedded } from '../storage/embedded/start.ts'
import { restoreCommand, walFolder } from '../storage/embedded/wal-archive.ts'
import { makeDataDir } from '../platform/process/data-dir.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { listBases, listClusters, readBase, type BaseBackup } from './backups.ts'
import { checkManifest, type CopiedFile } from './manifest.ts'
import { coverageOf, nameOf, segmentOf, timelinesTo, type WalSegment } from './timelines.ts'

export interface RestoreOptions {
  /** BACKUP_DIR, the folder of one cluster in it, or one backup. */
  readonly from: string
  /** Absolute; it may hold `secret.key` and nothing else. */
  readonly dataDir: string
  /** Everything that was committed by then; undefined: everything there is. */
  readonly to: Date | undefined
  /** Called with what is going on. */
  readonly say: (line: string) => void
  /** Looks at the restored database, which its socket's folder reaches, before it counts. */
  readonly inspect: (host: string) => Promise<void>
}

export interface Restored {
  readonly base: BaseBackup
  /** The last commit that the archived log had, as PostgreSQL says it; undefined when nothing was replayed. */
  readonly lastCommit: string | undefined
}

// The log that the restore itself writes stays for the archive, which begins when the gateway starts.
const kept = { wal_keep_size: '1TB' }

/** Throws StartFailure that says in one line why it cannot be, and what to do; DATA_DIR is then as it was. */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { dataDir } = options
  await makeDataDir(dataDir)
  await requireEmpty(dataDir)
  const { base, wal } = await chooseBackup(options)
  if (wal !== undefined) await requireLog(base, wal, options.to)
  const draft = join(dataDir, restoringName)
  await mkdir(draft, { mode: 0o711 })
  try {
    const home = await chooseHome(draft)
    options.say(`Copying ${base.folder}, complete at ${base.completeAt.toISOString()}.`)
    await copyBase(base, join(home.folder, 'pgdata'), home.account)
    const lastCommit = await replay(options, wal, draft, home.folder, home.account)
    for (const name of ['postgres.location', 'postgres'])
      await rename(join(draft, name), join(dataDir, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    return { base, lastCommit }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function requireEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir)
  if (names.includes(restoringName))
    throw new StartFailure(
      `Another restore into ${dataDir} runs, or was interrupted. If none runs, remove ${join(dataDir, restoringName)} and restore again.`,
    )
  const others = names.filter((name) => name !== 'secret.key' && name !== 'lost+found')
  if (others.length > 0)
    throw new StartFailure(
      `${dataDir} is not empty (${others[0]}). Give another --data-dir, or move away what is there; only secret.key may be in it.`,
    )
}

interface Chosen {
  readonly base: BaseBackup
  /** The archived log; undefined for a backup that stands alone. */
  readonly wal: string | undefined
}

async function chooseBackup({ from, to }: RestoreOptions): Promise<Chosen> {
  if ((await stat(join(from, 'postgres', 'pgdata')).catch(() => null)) !== null) {
    if (to !== undefined)
      throw new StartFailure(
        `--to needs the archived log: give BACKUP_DIR or a cluster's folder in it, not ${from}.`,
      )
    return { base: await readBase(from), wal: undefined }
  }
  const cluster = await chooseCluster(from)
  const bases = await listBases(cluster)
  const base = bases.find(({ completeAt }) => to === undefined || completeAt <= to)
  if (base !== undefined) return { base, wal: walFolder(cluster) }
  const oldest = bases.at(-1)
  throw new StartFailure(
    oldest === undefined
      ? `There is no complete base backup in ${cluster}, and without one its log is of no use.`
      : `The oldest base backup was complete at ${oldest.completeAt.toISOString()}: nothing before it can be restored.`,
  )
}

async function chooseCluster(from: string): Promise<string> {
  if ((await stat(walFolder(from)).catch(() => null)) !== null) return from
  const clusters = await listClusters(from)
  const [only] = clusters
  if (only === undefined) throw new StartFailure(`There is no backup in ${from}.`)
  if (clusters.length > 1)
    throw new StartFailure(
      `${from} has backups of ${clusters.length} databases: give one of them, ${clusters.join(' or ')}.`,
    )
  return only
}

/** Throws StartFailure when the log has a gap before the moment that is wanted. */
async function requireLog(base: BaseBackup, folder: string, to: Date | undefined): Promise<void> {
  const { segmentBytes } = base
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.gz'))
    .map((name) => name.slice(0, -3))
  const histories = new Map<number, string>()
  for (const name of names)
    if (/^[0-9A-F]{8}\.history$/.test(name))
      histories.set(
        Number.parseInt(name, 16),
        gunzipSync(await readFile(join(folder, `${name}.gz`)), { maxOutputLength: 1_048_576 }).toString(
          'utf8',
        ),
      )
  const inBase = await readdir(join(base.pgdata, 'pg_wal'))
  const segments = [...names, ...inBase].flatMap((name) => segmentOf(name, segmentBytes) ?? [])
  const first = segmentOf(base.firstWal, segmentBytes)
  if (first === undefined) throw new StartFailure(`${base.folder} is no backup: its label is damaged.`)
  const { last, gap } = coverageOf(
    first.number,
    timelinesTo(first.timeline, histories, segmentBytes),
    segments,
  )
  if (gap === undefined) return
  const until = last === undefined ? undefined : await archivedAt(folder, nameOf(last, segmentBytes))
  if (to !== undefined && until !== undefined && to <= until) return
  throw new StartFailure(gapReason(folder, gap, segmentBytes, until))
}

const archivedAt = async (folder: string, name: string): Promise<Date | undefined> =>
  (await stat(join(folder, `${name}.gz`)).catch(() => undefined))?.mtime

function gapReason(folder: string, gap: WalSegment, segmentBytes: number, until: Date | undefined): string {
  const missing = `The archive has a gap: ${join(folder, nameOf(gap, segmentBytes))}.gz is missing.`
  return until === undefined
    ? `${missing} Put it back, or restore the base backup alone by giving its folder.`
    : `${missing} Put it back, or restore what is before it with --to ${until.toISOString()}.`
}

/** Copies what the manifest lists, and the log that makes it consistent. */
async function copyBase(base: BaseBackup, to: string, account: Account): Promise<void> {
  const manifest = await readFile(join(base.pgdata, 'backup_manifest'), 'utf8')
  const paths = (await readdir(base.pgdata, { recursive: true, withFileTypes: true })).map((entry) => ({
    path: relative(base.pgdata, join(entry.parentPath, entry.name)),
    isFolder: entry.isDirectory(),
  }))
  await requireRoom(
    base.pgdata,
    paths.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
    dirname(to),
  )
  const give = async (path: string) => {
    if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid)
  }
  const copied: CopiedFile[] = []
  await mkdir(to, { mode: 0o700 })
  await give(to)
  for (const { path, isFolder } of paths.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const target = join(to, path)
    if (isFolder) await mkdir(target, { mode: 0o700 })
    else if (path !== 'backup_manifest') copied.push(await copyFile(join(base.pgdata, path), target, path))
    else continue
    await give(target)
  }
  checkManifest(manifest, copied)
}

async function copyFile(from: string, to: string, path: string): Promise<CopiedFile> {
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), measure, createWriteStream(to, { mode: 0o600, flush: true }))
  return { path, size, sha256: hash.digest('hex') }
}

async function requireRoom(pgdata: string, paths: readonly string[], target: string): Promise<void> {
  let bytes = 0
  for (const path of paths) bytes += (await stat(join(pgdata, path))).size
  const { bavail, bsize } = await statfs(target)
  if (bavail * bsize < bytes * 1.1)
    throw new StartFailure(
      `The disk of DATA_DIR is too small: the backup has ${megabytes(bytes)} MB, and ${megabytes(bavail * bsize)} MB are free.`,
    )
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)

/** Starts the server on the copy, which replays the log, and lets `inspect` look at the result. */
async function replay(
  options: RestoreOptions,
  wal: string | undefined,
  dataDir: string,
  home: string,
  account: Account,
): Promise<string | undefined> {
  let lastCommit: string | undefined
  let fault: string | undefined
  const onLog = (line: string) => {
    lastCommit = /last completed transaction was at log time (.+)$/.exec(line)?.[1] ?? lastCommit
    fault ??= /^(?:FATAL|PANIC): +(.+)$/.exec(line)?.[1]
    const soFar = /redo in progress, elapsed time: (\S+) s/.exec(line)?.[1]
    if (soFar !== undefined) options.say(`Replaying the log, for ${Math.round(Number(soFar))} s so far.`)
  }
  if (wal !== undefined) {
    const signal = join(home, 'pgdata', 'recovery.signal')
    await writeFile(signal, '')
    if (account.uid !== undefined && account.gid !== undefined) await chown(signal, account.uid, account.gid)
  }
  try {
    const settings = { ...kept, ...(wal === undefined ? {} : replaySettings(wal, options.to)) }
    const server = await startEmbedded({ dataDir, settings, onLog, isRestoring: wal !== undefined })
    try {
      await options.inspect(server.host)
    } finally {
      await server.stop()
    }
  } catch (error) {
    throw fault === undefined ? error : new StartFailure(replayReason(fault, lastCommit), { cause: error })
  }
  return lastCommit
}

function replaySettings(wal: string, to: Date | undefined): Record<string, string> {
  return {
    restore_command: restoreCommand(wal),
    recovery_target_timeline: 'latest',
    // Nobody reads before the end: so a server that takes connections has replayed everything.
    hot_standby: 'off',
    ...(to === undefined
      ? {}
      : { recovery_target_time: to.toISOString().replace('Z', '+00'), recovery_target_action: 'promote' }),
  }
}

/** What the server's reason for stopping means to the operator. */
function replayReason(fault: string, lastCommit: string | undefined): string {
  if (/recovery ended before configured recovery target/.test(fault)) {
    const end = lastCommit === undefined ? '' : `: its last commit is of ${lastCommit}`
    return `The archive ends before the time in --to${end}. Leave --to out to restore everything there is.`
  }
  const damaged = /could not restore file "([0-9A-F.a-z]+)" from archive/.exec(fault)?.[1]
  return damaged === undefined
    ? `The log cannot be replayed: ${fault}.`
    : `The archive is damaged: ${damaged}.gz cannot be unpacked. Put a whole copy of it back, or restore what is before it with --to.`
}
