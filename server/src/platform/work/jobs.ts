// Background work that recurs, each job on one node at a time.
import { setMaxListeners } from 'node:events'
import { Histogram } from 'prom-client'
import type { Db } from '../db.ts'
import { createLeases, type Leases } from './leases.ts'
import type { Logger } from '../log.ts'
import { registry } from '../metrics.ts'

export interface Job {
  readonly name: string
  /** From the end of one run to the start of the next. */
  readonly everyMs: number
  /** Must be harmless when run twice, and give up when the signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>
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
}

const stopPatienceMs = 5_000

/** Starts all recurring work of this node. */
export function startJobs(options: JobsOptions): Jobs {
  const { db, jobs, log } = options
  const states = new Map(jobs.map((each) => [each.name, newState(each)]))
  const stopping = new AbortController()
  // Every job waits on it, however many there are.
  setMaxListeners(0, stopping.signal)
  const leases = createLeases(db, options.node, log)
  const loops = jobs.map((each) => {
    const work = () => runMeasured(each, states.get(each.name) ?? newState(each), stopping.signal, log)
    return loop(each, work, leases, stopping.signal)
  })
  async function stop(): Promise<void> {
    stopping.abort()
    const ended = Promise.all(loops)
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

function newState({ name, everyMs }: Job): State {
  const schedule = `every ${everyMs / 1_000} s`
  return { name, schedule, lastRunAt: undefined, lastDurationMs: undefined, lastFailure: undefined }
}

/** Runs on the node that holds the job's lease; the others look again at each turn, so one of them takes over. */
async function loop(
  { name, everyMs }: Job,
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
