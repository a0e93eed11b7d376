// Measures pages, sums and counters of the records on filled databases under traffic: p50 and p95 of each query.
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@tollgate/server/platform/clock.ts'
import type { Database } from '@tollgate/server/platform/db.ts'
import { BlockIndexer } from '@tollgate/server/records/search/index-blocks.ts'
import { IndexWarmer } from '@tollgate/server/records/search/index-warmer.ts'
import { startGateway, type GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { load } from './children.ts'
import { fillRecords } from '@tollgate/server/test/traffic/fill.ts'
import { benchPassword, makeSupplier, signInAsAdmin, type Call } from '@tollgate/server/test/http/operator.ts'
import { readQueries, type ReadQuery } from './read-queries.ts'
import type { LoadOptions } from './load.ts'
import { fillOnce, onServer } from './on-server.ts'
import { quantile } from './report.ts'

// Each query runs so often on each database, in several turns, because the machine's speed changes within minutes.
const turns = 3
const roundsEach = 20
const days = 180
const batchRecords = 100
// Pages whose record counts differ by more than this share are not comparable.
const comparableShare = 0.8
// Enough to keep every index and counter changing, and little enough to leave the second core to the queries.
const messagesPerSecond = 2_000

export interface ReadsOptions {
  /** Sizes of the databases that are measured in turns. */
  readonly sizes: readonly number[]
  /** Folder that keeps filled databases for later runs, which add their traffic to them; defaults to none. */
  readonly keep?: string | undefined
  /** Only the queries whose names contain this text. */
  readonly only?: string | undefined
  /** Messages a second meanwhile; 0 for none. */
  readonly perSecond?: number
}

/** A filled database with its gateway, and the times and page sizes that were measured on it, by query. */
interface ReadsTestbed {
  readonly records: number
  readonly queries: readonly ReadQuery[]
  readonly found: Map<string, { readonly timesMs: number[]; readonly counts: number[] }>
  /** Sends messages until stopped. */
  offerTraffic(): Promise<{ stop(): Promise<void> }>
}

/** Fills a database of each size, measures them in turns under traffic, and returns the table. */
export async function measureReads(options: ReadsOptions): Promise<string> {
  return withTestbeds(options, options.sizes, [], async (testbeds) => {
    for (let turn = 0; turn < turns; turn += 1)
      for (const testbed of testbeds) {
        const traffic = await testbed.offerTraffic()
        for (const query of testbed.queries) await measure(testbed, query, turn * roundsEach)
        await traffic.stop()
      }
    return tableOf(testbeds)
  })
}

function withTestbeds<T>(
  options: ReadsOptions,
  [records, ...others]: readonly number[],
  open: readonly ReadsTestbed[],
  work: (testbeds: readonly ReadsTestbed[]) => Promise<T>,
): Promise<T> {
  if (records === undefined) return work(open)
  return withTestbed(options, records, (testbed) => withTestbeds(options, others, [...open, testbed], work))
}

async function withTestbed<T>(
  { keep, only = '', perSecond = messagesPerSecond }: ReadsOptions,
  records: number,
  work: (testbed: ReadsTestbed) => Promise<T>,
): Promise<T> {
  const dataDir =
    keep === undefined ? await mkdtemp(join(tmpdir(), 'tollgate-bench-')) : join(keep, String(records))
  try {
    await fillOnce(dataDir, (database) => fillDatabase(database, records))
    await readThrough(dataDir)
    return await onServer(dataDir, 'on', async ({ database, url }) => {
      const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
      try {
        const around = { db: database.db, clock: systemClock }
        const admin = await signInAsAdmin(gateway.url)
        const queries = (await readQueries(around, admin)).filter(([name]) => name.includes(only))
        // As in a gateway that has run for some minutes.
        await pagesAreBack(database)
        const warmer = new IndexWarmer(database.db)
        while ((await warmer.step()) > 0);
        const traffic = await trafficOf(admin, gateway, database, perSecond)
        return await work({ records, queries, found: new Map(), offerTraffic: () => offer(traffic) })
      } finally {
        await gateway.stop()
      }
    })
  } finally {
    if (keep === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(
  { found }: ReadsTestbed,
  [name, ask, pauseMs]: ReadQuery,
  roundFrom: number,
): Promise<void> {
  const { timesMs, counts } = found.get(name) ?? { timesMs: [], counts: [] }
  found.set(name, { timesMs, counts })
  for (let round = roundFrom; round < roundFrom + roundsEach; round += 1) {
    if (pauseMs !== undefined) await sleep(pauseMs)
    const begun = performance.now()
    const answer = await ask(round)
    timesMs.push(performance.now() - begun)
    if (isPage(answer)) counts.push(answer.items.length)
  }
}

function isPage(answer: unknown): answer is { readonly items: readonly unknown[] } {
  return typeof answer === 'object' && answer !== null && 'items' in answer && Array.isArray(answer.items)
}

function tableOf(testbeds: readonly ReadsTestbed[]): string {
  const [first] = testbeds
  const heads = testbeds.map(({ records }) => `${records.toLocaleString('en-GB')}: p50 ms | p95 ms | records`)
  const lines = (first?.queries ?? []).map(([name]) => {
    const cells = testbeds.map(({ found }) => {
      const { timesMs = [], counts = [] } = found.get(name) ?? {}
      const count = counts.length === 0 ? '' : quantile(counts, 0.5)
      return `${quantile(timesMs, 0.5).toFixed(1)} | ${quantile(timesMs, 0.95).toFixed(1)} | ${count}`
    })
    return `| ${name} | ${cells.join(' | ')} | ${ratioOf(testbeds, name)} |`
  })
  const columns = 2 + testbeds.length * 3
  return [
    `| query | ${heads.join(' | ')} | p50, last to first |`,
    `|${'---|'.repeat(columns)}`,
    ...lines,
  ].join('\n')
}

/** In brackets where the pages have different numbers of records, so that different work is compared. */
function ratioOf(testbeds: readonly ReadsTestbed[], name: string): string {
  const ends = [testbeds.at(-1), testbeds[0]].map((testbed) => testbed?.found.get(name))
  const [last = 0, first = 0] = ends.map((found) => quantile(found?.timesMs ?? [], 0.5))
  const [lastCount = 0, firstCount = 0] = ends.map((found) => quantile(found?.counts ?? [], 0.5))
  const ratio = (last / first).toFixed(1)
  return Math.min(lastCount, firstCount) < Math.max(lastCount, firstCount) * comparableShare
    ? `(${ratio})`
    : ratio
}

/** Reads all files of a kept database, so that the page cache has them as after filling. */
async function readThrough(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  for (const entry of entries)
    if (entry.isFile()) await finished(createReadStream(join(entry.parentPath, entry.name)).resume())
}

/** Waits until PostgreSQL's autoprewarm has restored its buffers. */
async function pagesAreBack({ pool }: Database): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where backend_type = 'autoprewarm worker'",
    )
    if (rowCount === 0) return
    await sleep(200)
  }
}

/** A steady load over SMPP from a child process; undefined for none. */
async function trafficOf(
  admin: Call,
  gateway: GatewayProcess,
  { pool }: Database,
  perSecond: number,
): Promise<LoadOptions | undefined> {
  if (perSecond === 0) return undefined
  const supplier = await makeSupplier(admin)
  const { rows } = await pool.query<{ number: string }>('select number from numbers limit 1000')
  const digits = rows.map(({ number }) => number)
  return { ...supplier, port: gateway.port, digits, binds: 4, window: 50, seconds: 600, perSecond }
}

async function offer(traffic: LoadOptions | undefined): Promise<{ stop(): Promise<void> }> {
  if (traffic === undefined) return { stop: () => Promise.resolve() }
  const ending = new AbortController()
  let isOver = false
  const over = load(traffic, ending.signal).then(
    () => (isOver = true),
    () => (isOver = true),
  )
  await sleep(2_000)
  return {
    async stop() {
      if (isOver) throw new Error('The traffic ended before the last query')
      ending.abort()
      await over
    },
  }
}

/** Fills the records and builds their search index. */
async function fillDatabase({ db, pool }: Database, records: number): Promise<void> {
  await fillRecords(pool, { records, days, now: new Date(), batchRecords, open: 'in_progress' })
  const builder = new BlockIndexer(db)
  while ((await builder.build()) > 0);
  await pool.query('vacuum analyze record_blocks, record_block_groups, record_postings')
}
