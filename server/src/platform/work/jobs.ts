// Background work that recurs, each job on one node at a time.
import { Histogram } from 'prom-client'
import type { Db } from '../db.ts'
import { createLeases, type Lease, type Leases } from './leases.ts'
import type { Logger } from '../log.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { registry } from '../metrics.ts'
import { Recurring } from './recurring.ts'
import { within } from './within.ts'

export interface Job {
  readonly name: string
  /** From the end of one run to the start of the next. */
  readonly everyMs: number
  /** Must be harmless when run twice, and give up when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** The last run of a job on this node. */
interface JobState {
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

const durations = new Histogram({
  name: 'tollgate_job_duration_seconds',
  help: 'How long background work takes, by job and outcome.',
  labelNames: ['job', 'outcome'],
  buckets: [0.01, 0.1, 0.5, 1, 5, 30, 120],
  registers: [registry],
})

export interface JobsOptions {
  readonly db: Db
  readonly jobs: readonly Job[]
  /** Names this node among those that share the database. */
  readonly node: string
  readonly log: Logger
  readonly tracing?: Pick<Tracing, 'begin'> | undefined
}

const stopTimeoutMs = 5_000

/** Starts all recurring work of this node. */
export function startJobs({ db, jobs, node, log, tracing }: JobsOptions): Jobs {
  const states = new Map(jobs.map((each) => [each.name, newState(each)]))
  const leases = createLeases(db, node, log)
  const recurring = jobs.map((each) =>
    recurringJob(each, states.get(each.name) ?? newState(each), leases, { log, tracing }),
  )
  for (const each of recurring) each.start()
  async function stop(): Promise<void> {
    await within(Promise.all(recurring.map((each) => each.stop())), stopTimeoutMs)
    await leases.stop()
  }
  let ending: Promise<void> | undefined
  return {
    list: () => [...states.values()].map((state) => ({ ...state })),
    stop: () => (ending ??= stop()),
  }
}

/** Runs on the node that has the job's lease. The others try to get it at each turn, so that one of them takes over. */
function recurringJob(job: Job, state: State, leases: Leases, noted: Noted): Recurring {
  let lease: Lease | undefined
  return new Recurring({
    async run(signal) {
      // While the database is away the lease is not ours; the next turn asks again.
      if (lease === undefined || lease.signal.aborted) lease = await leases.acquire(`job:${job.name}`)
      if (lease !== undefined) await runMeasured(job, state, signal, noted)
    },
    everyMs: job.everyMs,
    // A failed job is logged with its state; a database that is away is noticed elsewhere.
    onFault: () => undefined,
  })
}

type State = { -readonly [K in keyof JobState]: JobState[K] }

function newState({ name, everyMs }: Job): State {
  const schedule = `every ${everyMs / 1_000} s`
  return { name, schedule, lastRunAt: undefined, lastDurationMs: undefined, lastFailure: undefined }
}

type Noted = Pick<JobsOptions, 'log' | 'tracing'>

async function runMeasured(
  each: Job,
  state: State,
  signal: AbortSignal,
  { log, tracing }: Noted,
): Promise<void> {
  const span = tracing?.begin(`job ${each.name}`)
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
    span?.end({ error: outcome === 'failed' ? outcome : undefined })
  }
}
