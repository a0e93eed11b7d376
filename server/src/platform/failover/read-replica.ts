// A standby that answers reads (DATABASE_READ_URL, decision 91): how old it is, and whether it may answer now.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { Gauge } from 'prom-client'
import type { Route } from '@tollgate/contract/route.ts'
import { openDatabase, type Database, type DatabaseOptions, type Db } from '../db.ts'
import type { Logger } from '../log.ts'
import { registry } from '../metrics.ts'
import { Recurring } from '../work/recurring.ts'
import { within } from '../work/within.ts'
import { destroy } from './probe.ts'
import { ReplicaAge } from './replica-age.ts'

type Freshness = NonNullable<Route['onReplica']>

/** What a route that may read from the replica needs of it. */
export interface ReadReplica {
  readonly db: Db
  /**
   * How many seconds what it has is old at most, rounded up; 0 when it has all that was committed before this call.
   * Undefined when the primary must answer.
   */
  ageFor(freshness: Freshness): Promise<number | undefined>
}

/** The replica has not been used for a while. */
export interface ReplicaFault {
  readonly since: Date
  /** What went wrong, in the words of the log. */
  readonly reason: string
  /** How old what it has is; undefined when it is lost, or is no standby of this primary. */
  readonly ageSeconds: number | undefined
}

const replicas = new WeakMap<Db, ReadReplica>()

/** Lets `replica` answer for the routes that are bound to `db`. */
export function setReplicaOf(db: Db, replica: ReadReplica): void {
  replicas.set(db, replica)
}

export const replicaOf = (db: Db): ReadReplica | undefined => replicas.get(db)

/** An older replica answers nothing: a report that lacks more would be taken for a wrong one. */
const ageMaxMs = 10_000
// A standby that is well is some milliseconds behind. Beyond this the primary is quicker than waiting.
const catchUpMaxMs = 300
const catchUpPauseMs = 5
const watchPauseMs = 1_000
const probeTimeoutMs = 1_000
// A slow replica keeps its long exports; one that is frozen or cut off answers no check at all.
const failuresUntilCut = 3
// Shorter ones end by themselves; the alert rule of Prometheus waits as long.
const faultMinMs = 60_000
const poolSize = 20

const primarySql = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as lsn, system_identifier::text as system
  from pg_control_system()`
const standbySql = `select pg_is_in_recovery() as is_standby, system_identifier::text as system,
    pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as lsn from pg_control_system()`
const writtenSql = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as lsn`
const replayedSql = `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as lsn`

interface Position {
  readonly lsn: number | null
  readonly system: string
  readonly is_standby?: boolean
}

export interface ReplicaOptions {
  readonly address: DatabaseOptions['address']
  readonly primary: Database
  /** Connections to the primary that no other work keeps busy, and that give up after a second. */
  readonly probe: Database
  readonly log: Pick<Logger, 'info' | 'warn'>
}

/** Opens the replica of a primary; one that is away is no failure of the start. */
export class WatchedReplica implements ReadReplica {
  readonly database: Database
  readonly #options: ReplicaOptions
  readonly #standby: Database
  readonly #connections = new Set<pg.ClientBase>()
  readonly #age = new ReplicaAge()
  readonly #watching: Recurring
  #failureCount = 0
  #wasFit: boolean | undefined
  #unfitSince: Date | undefined
  #reason = ''
  #replayed = 0

  constructor(options: ReplicaOptions) {
    const { address } = options
    this.#options = options
    this.database = openDatabase({
      address,
      maxConnections: poolSize,
      // Should a route write after all, the standby refuses it also after it was promoted.
      serverSettings: { default_transaction_read_only: 1 },
    })
    this.database.pool.on('connect', (client) => this.#connections.add(client))
    this.database.pool.on('remove', (client) => this.#connections.delete(client))
    const limits = { connectTimeoutMs: probeTimeoutMs, queryTimeoutMs: probeTimeoutMs }
    this.#standby = openDatabase({ address, maxConnections: 1, ...limits })
    // Its faults are told by #tell, once and with what follows from them.
    this.#watching = new Recurring({
      run: () => this.#watch(),
      everyMs: watchPauseMs,
      onFault: () => undefined,
    })
  }

  get db(): Db {
    return this.database.db
  }

  /** With Citus the records are on workers, of which a standby of the coordinator knows nothing: then it never answers. */
  start(isDistributed: boolean): void {
    if (isDistributed)
      return this.#options.log.warn(
        {},
        'DATABASE_READ_URL is not used: with Citus the records are on other servers',
      )
    measureAge(() => this.#age.ms(performance.now()) / 1_000)
    this.#watching.start()
  }

  /** Undefined as long as it answers, and for the first minute in which it does not. */
  fault(now: Date): ReplicaFault | undefined {
    const since = this.#unfitSince
    if (since === undefined || now.getTime() - since.getTime() < faultMinMs) return undefined
    const ageMs = this.#age.ms(performance.now())
    return {
      since,
      reason: this.#reason,
      ageSeconds: Number.isFinite(ageMs) ? Math.round(ageMs / 1_000) : undefined,
    }
  }

  async stop(): Promise<void> {
    await this.#watching.stop()
    await Promise.all([within(this.database.close(), 5_000), within(this.#standby.close(), 2_000)])
  }

  async ageFor(freshness: Freshness): Promise<number | undefined> {
    const ageMs = this.#age.ms(performance.now())
    if (ageMs > ageMaxMs) return undefined
    if (freshness === 'lagging') return Math.ceil(ageMs / 1_000)
    const isCaughtUp = await within(
      this.#catchesUp().catch(() => false),
      catchUpMaxMs,
    )
    return isCaughtUp === true ? 0 : undefined
  }

  /** Whether it soon has all that was committed before now: whoever reads finds his own write, and what an event told of. */
  async #catchesUp(): Promise<boolean> {
    const endsAtMs = performance.now() + catchUpMaxMs
    const written = await positionOf(this.#options.primary, writtenSql)
    for (;;) {
      const { lsn } = await positionOf(this.database, replayedSql)
      if (lsn !== null && lsn >= (written.lsn ?? Infinity)) return true
      if (performance.now() > endsAtMs) return false
      await sleep(catchUpPauseMs)
    }
  }

  async #watch(): Promise<void> {
    try {
      await this.#look()
      this.#tell('it is behind')
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error))
    }
  }

  async #look(): Promise<void> {
    const atMs = performance.now()
    const primary = await positionOf(this.#options.probe, primarySql)
    const standby = await this.#askStandby()
    const problem = problemOf(primary, standby, this.#replayed)
    this.#replayed = standby.lsn ?? 0
    if (problem !== undefined) {
      this.#age.forget()
      throw new Error(problem)
    }
    this.#age.note({ atMs, lsn: primary.lsn ?? Infinity }, this.#replayed)
  }

  async #askStandby(): Promise<Position> {
    try {
      const found = await positionOf(this.#standby, standbySql)
      this.#failureCount = 0
      return found
    } catch (error) {
      this.#age.forget()
      this.#failureCount += 1
      // Nobody waits for what will not come: the primary answers these calls.
      if (this.#failureCount === failuresUntilCut) for (const client of this.#connections) destroy(client)
      throw error
    }
  }

  #tell(reason: string): void {
    const ageMs = this.#age.ms(performance.now())
    const isFit = ageMs <= ageMaxMs
    this.#reason = reason
    if (isFit === this.#wasFit) return
    this.#wasFit = isFit
    this.#unfitSince = isFit ? undefined : new Date()
    if (isFit) this.#options.log.info({}, 'the read replica answers reads')
    else
      this.#options.log.warn(
        { reason, ...(Number.isFinite(ageMs) && { ageSeconds: Math.round(ageMs / 1_000) }) },
        'the read replica is lost or too old: the primary answers reads',
      )
  }
}

/** Why the standby is none of this primary; undefined when it is one. `replayed` is what it had at the last look. */
export function problemOf(primary: Position, standby: Position, replayed: number): string | undefined {
  if (standby.system !== primary.system) return 'it is of another database cluster'
  if (standby.is_standby !== true || standby.lsn === null) return 'it is no standby'
  // The primary was asked later, so its log would be longer.
  return replayed > (primary.lsn ?? 0) ? 'it follows another primary' : undefined
}

async function positionOf({ pool }: Database, sql: string): Promise<Position> {
  const [found] = (await pool.query<Position>(sql)).rows
  if (found === undefined) throw new Error('the database does not say where its log is')
  return found
}

function measureAge(ageSeconds: () => number): void {
  const name = 'tollgate_replica_age_seconds'
  registry.removeSingleMetric(name)
  const gauge = new Gauge({
    name,
    help: 'How old what the read replica has is at most; +Inf when it is lost.',
    registers: [registry],
    collect() {
      gauge.set(ageSeconds())
    },
  })
}
