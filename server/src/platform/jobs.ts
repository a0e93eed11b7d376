// Background work. Jobs recur, each on one node at a time; tasks are queued in the transaction that asks for them and
// run once committed, again and again until they succeed.
import { setMaxListeners } from 'node:events'
import { parseCronItems, run, runMigrations, Logger as WorkerLogger, type TaskList } from 'graphile-worker'
import { Histogram } from 'prom-client'
import { sql } from 'kysely'
import { driverOf, type Database, type Db } from './db.ts'
import { createLeases, type Leases } from './leases.ts'
import type { Logger } from './log.ts'
import { registry } from './metrics.ts'

export interface Job {
  readonly name: string
  /** Either an interval, counted from the end of one run to the start of the next … */
  readonly everyMs?: number
  /** … or five cron fields in UTC; what a node that was down has missed is made up for. */
  readonly cron?: string
  /** Must be harmless when run twice, and give up when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

export interface Task {
  readonly name: string
  /** `payload` is what was queued. Throwing means another try later, with growing pauses. */
  readonly run: (payload: unknown, signal: AbortSignal) => Promise<void>
}

/** What a job did last on this node. */
export interface JobState {
  readonly name: string
  readonly schedule: string
  readonly lastRunAt: Date | undefined
  readonly lastDurationMs: number | undefined
  readonly lastFailure: string | undefined
}

export interface Jobs {
  list(): JobState[]
  /** Lets running work end (for up to 5 s), starts no more. */
  stop(): Promise<void>
}

/** Declares a job; exactly one of `everyMs` and `cron`. */
export function job(definition: Job): Job {
  if ((definition.everyMs === undefined) === (definition.cron === undefined))
    throw new Error(`The job ${definition.name} needs either everyMs or cron`)
  return definition
}

export interface EnqueueOptions {
  readonly runAt?: Date
  /** Of several queued tasks with one key only the last remains. */
  readonly key?: string
  /** 25 unless given: with the queue's growing pauses that is about three days. */
  readonly attemptsMax?: number
}

/** Queues a task; inside a transaction it exists only if that commits. `payload` is JSON. */
export async function enqueue(
  tx: Db,
  name: string,
  payload: unknown,
  options: EnqueueOptions = {},
): Promise<void> {
  await sql`select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
    run_at => ${options.runAt ?? null}::timestamptz, job_key => ${options.key ?? null}::text,
    max_attempts => ${options.attemptsMax ?? 25}::int)`.execute(tx)
}

/** Makes or updates the queue's own tables. Part of the migration. */
export async function prepareQueue(pool: Database['pool']): Promise<void> {
  await runMigrations({ pgPool: pool, logger: silentLogger })
}

const silentLogger = new WorkerLogger(() => () => undefined)

const durations = new Histogram({
  name: 'tollgate_job_duration_seconds',
  help: 'How long background work takes, by job or task and outcome.',
  labelNames: ['job', 'outcome'],
  buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120],
  registers: [registry],
})

export interface JobsOptions {
  readonly database: Database
  readonly jobs: readonly Job[]
  readonly tasks: readonly Task[]
  /** Names this node among those that share the database. */
  readonly node: string
  readonly log: Logger
}

const taskConcurrency = 4
const stopPatienceMs = 5_000

/** Starts all recurring and queued work of this node. */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const { database, jobs, tasks, log } = options
  const states = new Map(jobs.map((each) => [each.name, newState(each)]))
  const stopping = new AbortController()
  // Every job waits on it, however many there are.
  setMaxListeners(0, stopping.signal)
  const leases = createLeases(database.db, options.node, log)
  const measured = (each: Job) => () =>
    runMeasured(each, states.get(each.name) ?? newState(each), stopping.signal, log)
  const crons = jobs.filter(({ cron }) => cron !== undefined)
  const runner = await run({
    pgPool: database.pool,
    logger: workerLogger(log),
    // Our own signals decide when to stop, and in which order.
    noHandleSignals: true,
    concurrency: taskConcurrency,
    pollInterval: 1_000,
    taskList: Object.fromEntries([
      ...crons.map((each) => [`cron:${each.name}`, measured(each)]),
      ...tasks.map((each) => [each.name, taskRunner(each, stopping.signal)]),
    ]) as TaskList,
    parsedCronItems: parseCronItems(
      crons.map(({ name, cron = '' }) => ({
        task: `cron:${name}`,
        match: cron,
        options: { backfillPeriod: 8 * 24 * 3_600_000, maxAttempts: 25 },
      })),
    ),
  })
  const loops = jobs
    .filter(({ everyMs }) => everyMs !== undefined)
    .map((each) => loop(each, measured(each), leases, stopping.signal))
  async function stop(): Promise<void> {
    stopping.abort()
    const ended = Promise.all([...loops, runner.stop()])
    await Promise.race([ended, pause(stopPatienceMs, undefined)])
    await leases.stop()
  }
  let ending: Promise<void> | undefined
  return {
    list: () => [...states.values()].map((state) => ({ ...state })),
    stop: () => (ending ??= stop()),
  }
}

type State = { -readonly [K in keyof JobState]: JobState[K] }

function newState({ name, everyMs, cron }: Job): State {
  const schedule = cron ?? `every ${(everyMs ?? 0) / 1_000} s`
  return { name, schedule, lastRunAt: undefined, lastDurationMs: undefined, lastFailure: undefined }
}

/** Runs on the node that holds the job's lease; the others look again at each turn, so one of them takes over. */
async function loop(
  { name, everyMs = 0 }: Job,
  work: () => Promise<void>,
  leases: Leases,
  stopping: AbortSignal,
) {
  let lease: Awaited<ReturnType<Leases['acquire']>>
  while (!stopping.aborted) {
    // The database may be away: the lease is then not ours, and the next turn asks again.
    if (lease === undefined || lease.signal.aborted)
      lease = await leases.acquire(`job:${name}`).catch(() => undefined)
    if (lease !== undefined) await work().catch(() => undefined)
    await pause(everyMs, stopping)
  }
}

async function runMeasured(each: Job, state: State, signal: AbortSignal, log: Logger): Promise<void> {
  const startedAtMs = performance.now()
  state.lastRunAt = new Date()
  let outcome = 'done'
  try {
    await each.run(signal)
    state.lastFailure = undefined
  } catch (error) {
    outcome = 'failed'
    state.lastFailure = error instanceof Error ? error.message : String(error)
    if (!signal.aborted) log.error({ err: error, job: each.name }, 'a job failed')
    throw error
  } finally {
    state.lastDurationMs = Math.round(performance.now() - startedAtMs)
    durations.observe({ job: each.name, outcome }, state.lastDurationMs / 1_000)
  }
}

function taskRunner({ name, run: work }: Task, signal: AbortSignal) {
  return async (payload: unknown) => {
    const end = durations.startTimer({ job: name })
    try {
      await work(payload, signal)
      end({ outcome: 'done' })
    } catch (error) {
      end({ outcome: 'failed' })
      throw error
    }
  }
}

/** The queue's own words: its errors are the tasks' errors, which are tried again, hence warnings. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message) => {
    if (level === 'error' || level === 'warning') log.warn({ queue: message }, 'queue')
    else log.trace({ queue: message }, 'queue')
  })
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    if (signal?.aborted === true) done()
    else signal?.addEventListener('abort', done)
  })
}

/** Whether any queued task still waits or runs: for tests and for a clean hand-over. */
export async function queuedCount(db: Db): Promise<number> {
  const { rows } = await driverOf(db).query<{ count: number }>(
    'select count(*)::int as count from graphile_worker.jobs',
  )
  return rows[0]?.count ?? 0
}
