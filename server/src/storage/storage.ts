// Opens the database at the start: the embedded one or that of DATABASE_URL, reachable, and with this version's schema.
import { Gauge } from 'prom-client'
import type { Config } from '../platform/process/config.ts'
import { openDatabase, type Database, type DatabaseOptions, type Db } from '../platform/db.ts'
import { applicationRole, ensureOwnDatabase, ensureRoles, ownerRole } from './embedded/roles.ts'
import { BackupWatch } from './embedded/backup-watch.ts'
import { noteBackupDir } from './embedded/backup-notes.ts'
import { DiskRoom, fullDisk, readRoom, roomShares, shareOf } from './embedded/disk-room.ts'
import { startEmbedded } from './embedded/start.ts'
import { setReplicaOf, WatchedReplica, type ReplicaOptions } from '../platform/failover/read-replica.ts'
import { shared, type Checks } from '../platform/checks.ts'
import { shareFor } from '../platform/load/share-for.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { migrate, schemaState } from './migrate.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { within } from '../platform/work/within.ts'

export interface Storage {
  readonly database: Database
  /** Connections for what costs much and can wait: exports, reports, replays. */
  readonly heavy: Database
  /** For a slice that wants connections of its own, so that nobody else can keep it waiting. */
  readonly address: DatabaseOptions['address']
  /** Readiness: whether the database answers, with our schema, and has room on its disk. */
  readonly checks: Checks
  /** For checks of readiness: connections that no other work keeps busy, and that give up after a second. */
  readonly probe: Db
  /** The disk of the embedded database; undefined for a server of its own, whose disk is not ours to see. */
  readonly disk: DiskRoom | undefined
  /** The backups of the embedded database; undefined for a server of its own. */
  readonly backups: BackupWatch | undefined
  /** The standby of DATABASE_READ_URL; undefined without one. */
  readonly replica: WatchedReplica | undefined
  /** Closes the pools, then ends the embedded server. */
  close(): Promise<void>
}

const embeddedName = 'tollgate'
const poolSize = 20
const letInMs = 30_000
// A call may run two reads at the same time; more would take processors away from the messages' commits.
const heavyPoolSize = 6

/** Opens and migrates. Throws StartFailure for what the operator can mend; nothing is left running then. */
export async function openStorage(
  config: Pick<Config, 'databaseUrl' | 'dataDir'> &
    Partial<Pick<Config, 'migrationDatabaseUrl' | 'databaseReadUrl' | 'backupDir'>>,
  log: Logger,
): Promise<Storage> {
  const onFault = (error: Error) => log.warn({ err: error }, 'a database connection was lost')
  const server = config.databaseUrl === undefined ? await startServer(config, log) : undefined
  const address = server?.address ?? config.databaseUrl ?? ''
  const onServerChange = (words: string) => log.warn({ change: words }, 'writing to another database server')
  const database = openDatabase({ address, maxConnections: poolSize, onFault, onServerChange })
  const heavy = openHeavy(address, onFault)
  const probe = openProbe(address, onFault)
  const replica = openReplica(config, heavy.db, { primary: database, probe, log })
  const disk = server && new DiskRoom(server.folder, log)
  const backups = server && new BackupWatch(probe.pool, config, log)
  const close = async () => {
    await disk?.stop()
    await backups?.stop()
    const pools = [within(database.close(), 5_000), within(heavy.close(), 5_000), replica?.stop()]
    await Promise.all([...pools, within(probe.close(), 2_000)])
    await server?.stop()
  }
  measurePools({
    main: database.pool,
    heavy: heavy.pool,
    ...(replica && { replica: replica.database.pool }),
  })
  measureSize(probe.pool)
  let isDistributed = false
  try {
    await untilLetIn(async () => {
      await database.pool.query('select 1')
      await prepareSchema(database, server?.ownerAddress ?? config.migrationDatabaseUrl, log)
      isDistributed = (await database.pool.query(distributedSql)).rows[0]?.is_distributed === true
    })
  } catch (error) {
    await close()
    const full = server && (await fullDisk(server.folder, String(error)))
    if (full !== undefined) throw full
    throw error instanceof StartFailure ? error : unusable(error as NodeJS.ErrnoException, config)
  }
  disk?.start()
  backups?.start()
  replica?.start(isDistributed)
  const checks = checksOf(probe, disk, isDistributed)
  return { database, heavy, address, probe: probe.db, disk, backups, replica, checks, close }
}

function checksOf({ pool }: Database, disk: DiskRoom | undefined, isDistributed: boolean): Checks {
  return {
    database: shared(async () => (await pool.query('select 1')).rowCount === 1),
    migrations: shared(async () => (await schemaState(pool)) !== 'other'),
    ...(isDistributed ? { workers: shared(() => reachesWorkers(pool)) } : {}),
    ...(disk === undefined
      ? {}
      : { disk: async () => shareOf(await readRoom(disk.folder)) >= roomShares.ready }),
  }
}

type OnFault = NonNullable<DatabaseOptions['onFault']>

/** For the readiness checks, so that a busy pool is not taken for a dead database. */
function openProbe(address: DatabaseOptions['address'], onFault: OnFault): Database {
  const limits = { connectTimeoutMs: 1_000, queryTimeoutMs: 1_000 }
  return openDatabase({ address, maxConnections: 2, ...limits, onFault })
}

/** One processor for each statement, however large, so that the others stay free for messages. */
function openHeavy(address: DatabaseOptions['address'], onFault: OnFault): Database {
  const serverSettings = { max_parallel_workers_per_gather: 0 }
  return openDatabase({ address, maxConnections: heavyPoolSize, serverSettings, onFault })
}

/** It answers for the routes that are bound to `heavyDb`, once it is started and found fit. */
function openReplica(
  { databaseReadUrl: address }: Partial<Pick<Config, 'databaseReadUrl'>>,
  heavyDb: Db,
  options: Omit<ReplicaOptions, 'address'>,
): WatchedReplica | undefined {
  if (address === undefined) return undefined
  const replica = new WatchedReplica({ ...options, address })
  setReplicaOf(heavyDb, replica)
  return replica
}

/**
 * Repeats work that may be done twice until the database lets us in. A busy one may need longer for a connection than one
 * attempt has; every other failure is final.
 */
async function untilLetIn(work: () => Promise<void>): Promise<void> {
  const lastAttemptAtMs = performance.now() + letInMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isLate = error instanceof Error && /connection timeout|trying to connect/.test(error.message)
      if (!isLate || performance.now() > lastAttemptAtMs) throw error
    }
  }
}

/** Connections by pool: in use, free, and work that waits for one. */
function measurePools(pools: Readonly<Record<string, Database['pool']>>): void {
  const name = 'tollgate_database_connections'
  // An operator's command and tests open the database more than once; the newest counts.
  registry.removeSingleMetric(name)
  const connections = new Gauge({
    name,
    help: 'Connections to the database by pool: used, free, and how much work waits for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        connections.set({ pool, state: 'used' }, totalCount - idleCount)
        connections.set({ pool, state: 'free' }, idleCount)
        connections.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
}

/** The size of the database and how much log it has written, read when Prometheus asks. */
function measureSize(pool: Database['pool']): void {
  // While the database is away the last figures stay; /readyz and the log tell of it.
  const read = shareFor(1_000, async () => {
    const found = await pool.query<{ size: string; wal: string }>(sizeSql).catch(() => undefined)
    return found?.rows[0]
  })
  const figures = {
    size: { name: 'tollgate_database_size_bytes', help: 'The size of the database with its indexes.' },
    wal: {
      name: 'tollgate_database_wal_bytes_total',
      help: 'Where the log of the database server ends: its growth is what is written to it, and to an archive.',
    },
  } as const
  for (const figure of ['size', 'wal'] as const) {
    const { name, help } = figures[figure]
    registry.removeSingleMetric(name)
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await read()
        if (found !== undefined) gauge.set(Number(found[figure]))
      },
    })
    // A 0 before the first reading would look like a start at 0.
    gauge.remove()
  }
}

const sizeSql = `select pg_database_size(current_database()) as size,
  case when pg_is_in_recovery() then 0 else pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') end as wal`

async function startServer(
  { dataDir, backupDir }: Pick<Config, 'dataDir'> & Partial<Pick<Config, 'backupDir'>>,
  log: Logger,
) {
  const server = await startEmbedded({ dataDir, backupDir, onLog: (line) => logServerLine(log, line) })
  await noteBackupDir(dataDir, backupDir)
  const { host, folder } = server
  try {
    await asOwner({ host, database: 'postgres' }, async (pool) => {
      await ensureRoles(pool)
      await ensureOwnDatabase(pool, embeddedName)
    })
  } catch (error) {
    await server.stop()
    throw (
      (await fullDisk(folder, String(error))) ??
      unusable(error as NodeJS.ErrnoException, { databaseUrl: undefined, dataDir })
    )
  }
  const [address, ownerAddress] = [applicationRole, ownerRole].map((user) => ({
    host,
    database: embeddedName,
    user,
  }))
  return { address, ownerAddress, folder, stop: () => server.stop() }
}

/** Runs `work` on a connection that is closed after it. */
async function asOwner<T>(
  address: DatabaseOptions['address'],
  work: (pool: Database['pool']) => Promise<T>,
): Promise<T> {
  const owner = openDatabase({ address, maxConnections: 1, statementTimeoutMs: 0 })
  try {
    return await work(owner.pool)
  } finally {
    await owner.close()
  }
}

/** Migrates as the owner, where there is one besides the program's own role, and gives that role what it needs. */
async function prepareSchema(
  { pool }: Database,
  ownerAddress: DatabaseOptions['address'] | undefined,
  log: Logger,
): Promise<void> {
  const noteApplied = (names: readonly string[]) => {
    if (names.length > 0)
      log.info({ count: names.length, first: names[0], last: names.at(-1) }, 'migrations applied')
  }
  const prepare = async (owner: Database['pool']) => {
    noteApplied(await migrate(owner))
    await owner.query('select settle_log()')
  }
  if (ownerAddress === undefined) await prepare(pool)
  else {
    const { rows } = await pool.query<{ name: string }>('select current_user as name')
    await asOwner(ownerAddress, async (owner) => {
      await prepare(owner)
      await owner.query('select grant_to_application($1)', [rows[0]?.name])
    })
  }
  const powers = await excessPowers(pool)
  if (powers.length > 0)
    log.warn(
      { powers },
      'the database role of DATABASE_URL can do more than the program needs, and could rewrite the audit log and the ledger: see Database roles in docs/operating.md',
    )
}

/** What the program's role could do to tables that are only ever added to; empty for a role that owns nothing. */
async function excessPowers(pool: Database['pool']): Promise<string[]> {
  const { rows } = await pool.query<{ power: string }>(
    `select power from pg_roles r, lateral (values ('superuser', r.rolsuper), ('createrole', r.rolcreaterole),
       ('owner of the tables', pg_has_role((select relowner from pg_class where oid = 'audit_entries'::regclass), 'MEMBER'))
     ) as found (power, is_given) where r.rolname = current_user and is_given`,
  )
  return rows.map(({ power }) => power)
}

// Decision 57: Citus may spread the records over servers.
const distributedSql = "select exists (select from pg_extension where extname = 'citus') as is_distributed"

/** Reads one row of each shard, so it fails as soon as one worker does not answer. */
async function reachesWorkers(pool: Database['pool']): Promise<boolean> {
  return (await pool.query('select max(id) from record_batches')).rowCount === 1
}

function logServerLine(log: Logger, line: string): void {
  if (/^(PANIC|WARNING):/.test(line)) log.warn({ postgres: line }, 'PostgreSQL')
  else log.debug({ postgres: line }, 'PostgreSQL')
}

function unusable(
  error: NodeJS.ErrnoException,
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Error {
  const isTheirs = error.code !== undefined || /connect|terminated|password|SSL/i.test(error.message)
  if (!isTheirs) return error
  // The address contains a password, so only the reason is shown.
  const reason = error.message || String(error.code)
  return new StartFailure(
    databaseUrl === undefined
      ? `The database in ${dataDir} cannot be used: ${reason}. Restore it from a backup, or choose another DATA_DIR.`
      : `The database of DATABASE_URL cannot be used: ${reason}.`,
  )
}
