// The embedded database: a real PostgreSQL server under DATA_DIR that lives and dies with this process.
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { prepareBinaries } from './binaries.ts'
import { canReach, type Account } from './account.ts'
import { freeBallastIfFull, fullDisk } from './disk-room.ts'
import { chooseHome } from './home.ts'
import { prepareCluster } from './initdb.ts'
import { sharedBuffers } from './memory.ts'
import { claim } from './owner.ts'
import { startPostmaster, type PostmasterOptions, type Postmaster } from './postmaster.ts'
import { syncSettings } from './sync-method.ts'
import { archiveSettings } from './wal-archive.ts'
import { warmSettings } from './warm-pages.ts'

export interface EmbeddedOptions {
  /** DATA_DIR. */
  readonly dataDir: string
  /** PostgreSQL settings over {@link durableSettings}; only tests have a reason. */
  readonly settings?: Readonly<Record<string, string>>
  /** Called with each line of the server's log. */
  readonly onLog?: (line: string) => void
  /** Where the log of the database is archived (BACKUP_DIR); undefined: nowhere. */
  readonly backupDir?: string | undefined
  /** The server replays an archive first, which may take hours. */
  readonly isRestoring?: boolean
}

/** The folder in DATA_DIR that a restore works in until it has succeeded. */
export const restoringName = 'restoring'

export interface EmbeddedPostgres {
  /** For pg's `host`: the folder of the Unix socket. The user is `postgres`, no password, no TCP port. */
  readonly host: string
  /** The folder of the cluster, whose disk it fills. */
  readonly folder: string
  /** The server's process id now; it changes when the server had to be restarted. */
  pid(): number
  /** Ends the server and releases the cluster. End every pool first. Safe to call twice. */
  stop(): Promise<void>
}

/**
 * Acknowledged means committed: nothing here trades a commit for speed. Checkpoints come often enough that recovery
 * after a crash at full load takes a few seconds, and spread out so that ingest does not feel them.
 */
export const durableSettings: Readonly<Record<string, string>> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: sharedBuffers(),
  max_connections: '100',
  // What a crash may leave to redo: 730 MB took 4 s on two busy cores.
  max_wal_size: '1GB',
  // Old segments are used again, because a commit has to wait while a new one is made.
  min_wal_size: '1GB',
  checkpoint_timeout: '2min',
  checkpoint_completion_target: '0.9',
  wal_compression: 'off',
  random_page_cost: '1.1',
  jit: 'off',
  // A report must not take a second core away from ingest.
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '',
  // Errors of statements are reported by their callers, and their texts may contain what no log may contain.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
}

/**
 * Starts (after making it, if need be) the cluster under `dataDir`. A server that dies is started again, on the same
 * socket, so pools recover by themselves. Throws StartFailure for what the operator can mend: the folder is in use,
 * of another version, unreadable, or the system cannot run PostgreSQL.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const restoring = join(options.dataDir, restoringName)
  if ((await stat(restoring).catch(() => null)) !== null)
    throw new StartFailure(
      `A restore into ${options.dataDir} runs, or was interrupted. Wait for its end, or remove ${restoring} and restore again.`,
    )
  const { folder, account } = await chooseHome(options.dataDir)
  const release = await claim(folder, options.dataDir).catch(async (error: Error) => {
    throw (await fullDisk(folder, error.message)) ?? error
  })
  let sockets: SocketFolder | undefined
  try {
    await freeBallastIfFull(folder)
    const programs = await prepareBinaries(folder, account)
    const pgdata = await prepareCluster(folder, programs, account)
    sockets = await prepareSockets(folder, account)
    const [synced, warm] = [await syncSettings(pgdata), await warmSettings(programs)]
    const { backupDir } = options
    const archive = backupDir === undefined ? {} : await archiveSettings(backupDir, pgdata, account)
    const settings = { ...durableSettings, ...synced, ...warm, ...archive, ...options.settings }
    const onLog = options.onLog ?? (() => undefined)
    const launch: PostmasterOptions = {
      programs,
      pgdata,
      socketFolder: sockets.folder,
      account,
      settings,
      onLog,
      isRestoring: options.isRestoring ?? false,
    }
    const supervised = supervise(await startPostmaster(launch), launch)
    const { remove } = sockets
    let stopping: Promise<void> | undefined
    const stop = async () => {
      await supervised.stop()
      await remove()
      await release()
    }
    return { host: sockets.folder, folder, pid: () => supervised.pid(), stop: () => (stopping ??= stop()) }
  } catch (error) {
    await sockets?.remove()
    await release()
    throw (await fullDisk(folder, String(error))) ?? error
  }
}

interface SocketFolder {
  readonly folder: string
  readonly remove: () => Promise<void>
}

// sockaddr_un holds 104 bytes on macOS and 108 on Linux; beyond it the server cannot listen.
const socketPathBytes = 103

/** The private folder of the socket (0700), which is all that protects the database. Its path must be short. */
async function prepareSockets(home: string, account: Account): Promise<SocketFolder> {
  const inside = join(home, 's')
  if (Buffer.byteLength(`${inside}/.s.PGSQL.5432`) <= socketPathBytes) {
    await mkdir(inside, { recursive: true, mode: 0o700 })
    await closeFor(inside, account)
    return { folder: inside, remove: async () => undefined }
  }
  const base = Buffer.byteLength(tmpdir()) < 60 && (await canReach(account, tmpdir())) ? tmpdir() : '/tmp'
  const outside = await mkdtemp(join(base, 'tollgate-'))
  await closeFor(outside, account)
  return { folder: outside, remove: () => rm(outside, { recursive: true, force: true }) }
}

async function closeFor(folder: string, { uid, gid }: Account): Promise<void> {
  await chmod(folder, 0o700)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/** Restarts the server when it ends unexpectedly: at once, then every two seconds. */
function supervise(first: Postmaster, launch: PostmasterOptions): { pid(): number; stop(): Promise<void> } {
  let current = first
  const ending = new AbortController()
  const isEnding = () => ending.signal.aborted
  const watch = async () => {
    while (!isEnding()) {
      const words = await current.exited
      while (!isEnding()) {
        launch.onLog(`WARNING:  the database server ended (${words}); starting it again`)
        try {
          current = await startPostmaster(launch)
          break
        } catch (error) {
          launch.onLog(`WARNING:  ${error instanceof Error ? error.message : String(error)}`)
          await sleep(2_000, undefined, { signal: ending.signal }).catch(() => undefined)
        }
      }
    }
  }
  const watching = watch()
  return {
    pid: () => current.pid,
    async stop() {
      ending.abort()
      await current.stop()
      await watching
      // A restart may have been under way when the stop came.
      await current.stop()
    },
  }
}
