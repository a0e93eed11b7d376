// The traffic half of the bench: who answers how fast, and how much of it is durable.
import pg from 'pg'
import type { Database } from '@tollgate/server/platform/db.ts'
import { loadPricing, type Pricing } from '@tollgate/server/rates/index.ts'
import {
  residentMb,
  type GatewayProcess,
  type RunningProcess,
} from '@tollgate/server/test/environment/children.ts'
import { load, startAnswering } from './children.ts'
import type { LoadOptions, LoadResult } from './load.ts'
import { makeSupplier } from '@tollgate/server/test/http/operator.ts'
import { copyPlainly } from './plain-copy.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { withGateway } from './with-gateway.ts'
import { writeLogThrough } from './write-log-through.ts'

interface TrafficRound {
  readonly ours: number
  readonly npm: number
  readonly copy: number
  readonly durable: number
}

interface PacedLoad {
  readonly perSecond: number
  readonly result: LoadResult
}

const moderateRates = [20_000, 5_000, 1_000]

export interface Traffic {
  readonly rounds: readonly TrafficRound[]
  /** Durable, at full load. */
  readonly full: LoadResult
  /** Open loop at 70 % of the durable peak. */
  readonly paced: LoadResult
  readonly pacedPerSecond: number
  /** Open loop at moderate rates, where batches are small. */
  readonly moderate: readonly PacedLoad[]
  /** Durable with 5 ms before each flush of the log. */
  readonly slowFlush: number
  readonly gatewayMb: number
  /** Acknowledged messages missing from the database; must be 0. */
  readonly missing: number
  readonly doubled: number
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

/** The processes and connections of one run. */
interface TrafficTestbed {
  readonly database: Database
  readonly copyClients: readonly pg.Client[]
  readonly pricing: Pricing
  readonly digits: readonly string[]
  readonly gateway: GatewayProcess
  readonly ours: RunningProcess
  readonly npm: RunningProcess
  readonly seconds: number
  /** Offers load to a port and returns its figures. */
  offer(port: number, extra?: Partial<LoadOptions>): Promise<LoadResult>
}

async function fill(database: Database) {
  const digits = await seedTraffic(database.db)
  await writeLogThrough(database)
  return { digits, pricing: await loadPricing(database.db) }
}

/** Starts PostgreSQL, a gateway and both answering servers, runs the work, and stops them all. */
function withTestbed<T>(seconds: number, work: (testbed: TrafficTestbed) => Promise<T>): Promise<T> {
  return withGateway(fill, async ({ gateway, database, call }, { digits, pricing }) => {
    const copyClients = [new pg.Client(database.pool.options), new pg.Client(database.pool.options)]
    const running: RunningProcess[] = []
    try {
      for (const client of copyClients) await client.connect()
      const supplier = await makeSupplier(call)
      const [ours, npm] = [await startAnswering('ours'), await startAnswering('npm')]
      running.push(ours, npm)
      const offer: TrafficTestbed['offer'] = (port, extra = {}) =>
        load({ ...supplier, port, digits, binds: 10, window: 50, seconds, perSecond: 0, ...extra })
      return await work({ database, copyClients, pricing, digits, gateway, ours, npm, seconds, offer })
    } finally {
      for (const each of running) await each.stop()
      for (const client of copyClients) await client.end()
    }
  })
}

/** Measures in rounds; each round has each contestant once. */
export function measureTraffic({ rounds, seconds }: { rounds: number; seconds: number }): Promise<Traffic> {
  return withTestbed(seconds, async (testbed) => {
    const { gateway } = testbed
    const lossCheck = new LossCheck(testbed.database)
    await lossCheck.begin()
    const durable = async (extra: Partial<LoadOptions> = {}) =>
      lossCheck.acknowledged(await testbed.offer(gateway.port, extra))
    await durable({ seconds: 1 })
    const found: TrafficRound[] = []
    let full: LoadResult | undefined
    let gatewayMb = 0
    for (let round = 0; round < rounds; round += 1) {
      const copy = lossCheck.copied(await copyOnce(testbed))
      const npm = (await testbed.offer(testbed.npm.port)).perSecond
      full = await durable()
      gatewayMb = Math.max(gatewayMb, residentMb(gateway.pid))
      await caughtUp(testbed.database)
      const ours = (await testbed.offer(testbed.ours.port)).perSecond
      found.push({ ours, npm, copy, durable: full.perSecond })
    }
    if (full === undefined) throw new Error('At least one round is needed')
    const pacedPerSecond = Math.round(median(found.map((round) => round.durable)) * 0.7)
    const paced = await durable({ perSecond: pacedPerSecond, seconds: seconds * 2 })
    const moderate: PacedLoad[] = []
    for (const rate of moderateRates) {
      await caughtUp(testbed.database)
      moderate.push({ perSecond: rate, result: await durable({ perSecond: rate, seconds: seconds * 2 }) })
    }
    await slowFlushes(testbed.database)
    const slowFlush = (await durable()).perSecond
    return {
      rounds: found,
      full,
      paced,
      pacedPerSecond,
      moderate,
      slowFlush,
      gatewayMb,
      ...(await lossCheck.compare()),
    }
  })
}

/**
 * Waits until the gateway has finished the work that it postponed under load, so that it takes no processor time from the
 * next contestant.
 */
async function caughtUp({ pool }: Database): Promise<void> {
  const endsAtMs = performance.now() + 60_000
  while (performance.now() < endsAtMs) {
    const { rows } = await pool.query<{ isBehind: boolean }>(
      `select exists (select from record_counter_buffers) or 256 <= (
         select coalesce(sum(b.record_count), 0) from (
           select * from follower_positions where follower in ('search', 'lines')
         ) p join record_batches b on (b.xid, b.id) > (p.xid, p.batch)
       ) as "isBehind"`,
    )
    if (rows[0]?.isBehind === false) return
    await new Promise((settle) => setTimeout(settle, 200))
  }
  throw new Error('The gateway does not catch up with its postponed work')
}

async function copyOnce({
  copyClients,
  pricing,
  digits,
  seconds,
}: TrafficTestbed): Promise<{ rows: number; perSecond: number }> {
  const startedAt = performance.now()
  const rows = await copyPlainly(copyClients, pricing, digits, seconds * 1_000)
  return { rows, perSecond: (rows * 1_000) / (performance.now() - startedAt) }
}

/** Makes each flush of the log wait 5 ms, as a slower disk would. */
async function slowFlushes({ pool }: Database): Promise<void> {
  await pool.query('alter system set commit_siblings = 0')
  await pool.query('alter system set commit_delay = 5000')
  await pool.query('select pg_reload_conf()')
}

/** Compares the acknowledged messages with the database. */
class LossCheck {
  readonly #database: Database
  #acknowledged = 0
  #copied = 0
  #before = 0

  constructor(database: Database) {
    this.#database = database
  }

  async begin(): Promise<void> {
    this.#before = await this.#count('count(*)')
  }

  acknowledged(result: LoadResult): LoadResult {
    this.#acknowledged += result.answered
    return result
  }

  copied({ rows, perSecond: rate }: { rows: number; perSecond: number }): number {
    this.#copied += rows
    return rate
  }

  async compare(): Promise<{ missing: number; doubled: number }> {
    const stored = (await this.#count('count(*)')) - this.#before - this.#copied
    return {
      missing: this.#acknowledged - stored,
      doubled: await this.#count('count(*) - count(distinct id)'),
    }
  }

  async #count(what: string): Promise<number> {
    const { rows } = await this.#database.pool.query<{ count: string }>(
      `select ${what} as count from records`,
    )
    return Number(rows[0]?.count ?? 0)
  }
}

const perSecond = (value: number) => Math.round(value).toLocaleString('en-GB')

/** The table of the report. */
export function trafficTable(traffic: Traffic): string {
  const { rounds, full, paced, pacedPerSecond, moderate, slowFlush, gatewayMb, missing, doubled } = traffic
  const ratio = (value: (round: TrafficRound) => number) => median(rounds.map(value)).toFixed(2)
  const range = (value: (round: TrafficRound) => number) => {
    const values = rounds.map(value)
    return `${perSecond(median(values))} [${perSecond(Math.min(...values))} … ${perSecond(Math.max(...values))}]`
  }
  return [
    '| what | a second, median [least … most] | ratio, median of the rounds |',
    '|---|---|---|',
    `| npm \`smpp\`, answers only, stores nothing | ${range((round) => round.npm)} | 1 |`,
    `| our SMPP library, answers only | ${range((round) => round.ours)} | ${ratio((round) => round.ours / round.npm)} of npm \`smpp\` |`,
    `| plain COPY, 2 connections, batches of 500, same row and indexes | ${range((round) => round.copy)} | 1 |`,
    `| **durable, priced, committed, acknowledged** | ${range((round) => round.durable)} | **${ratio((round) => round.durable / round.copy)}** of plain COPY, **${ratio((round) => round.durable / round.npm)}** of npm \`smpp\` |`,
    `| the same with 5 ms before each flush of the log | ${perSecond(slowFlush)} | ${(slowFlush / median(rounds.map((round) => round.durable))).toFixed(2)} of durable |`,
    '',
    '| answer time, submit_sm to submit_sm_resp after the commit | p50 | p99 | longest |',
    '|---|---|---|---|',
    `| full load, 10 binds × window 50 | ${full.p50Ms} ms | ${full.p99Ms} ms | ${full.maxMs.toFixed(0)} ms |`,
    `| open loop at 70 % of the peak, ${perSecond(pacedPerSecond)}/s | ${paced.p50Ms} ms | ${paced.p99Ms} ms | ${paced.maxMs.toFixed(0)} ms |`,
    ...moderate.map(
      ({ perSecond: rate, result: { p50Ms, p99Ms, maxMs } }) =>
        `| open loop at ${perSecond(rate)}/s | ${p50Ms} ms | ${p99Ms} ms | ${maxMs.toFixed(0)} ms |`,
    ),
    '',
    `Acknowledged messages missing from the database: ${missing}; stored twice: ${doubled}; refused: ${full.refused + paced.refused}. The gateway's process used at most ${gatewayMb} MB.`,
  ].join('\n')
}
