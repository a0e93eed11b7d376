// Measures pages, sums and counters of the records on a filled database while messages come in: p50 and p95 of each
// kind of question, asked as the routes ask it.
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { performance } from 'node:perf_hooks'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase, type Database, type Db } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { listRecords, type PageQuery, type ReadSurroundings } from '../src/records/read/list-records.ts'
import { readActivity, readStats, readWeek } from '../src/records/read/stats.ts'
import { reportRecords, summariseRecords } from '../src/records/read/totals.ts'
import { NumberDirectory } from '../src/records/read/number-directory.ts'
import type { Viewer } from '../src/records/read/viewer.ts'
import { SegmentBuilder } from '../src/records/search/build-segments.ts'
import { SearchWarmer } from '../src/records/search/warm-search.ts'
import { sql } from 'kysely'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import { load, startGateway, type Gateway } from './children.ts'
import { fillRecords } from './fill.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from './operator.ts'

const rounds = 60
const days = 180
const batchRecords = 100
// Enough to keep every index and counter in motion, and little enough to leave the second core to the questions.
const messagesPerSecond = 2_000

const staff: Viewer = { userId: 0, role: 'admin' }

/** A question, asked with other values in each round. */
type Question = readonly [name: string, ask: (round: number) => Promise<unknown>]

function questionsOf(around: ReadSurroundings, senders: readonly string[]): Question[] {
  const page = (viewer: Viewer, query: RecordFilters & Partial<PageQuery>) =>
    listRecords(around, viewer, { limit: 100, ...query })
  const owner = (round: number): Viewer => ({ userId: 1 + ((round * 37) % 200), role: 'user' })
  const digits = (round: number) => String(4490000000 + ((round * 97) % 40) * 10000000 + round).slice(2)
  return [
    ['list, no filter', () => page(staff, {})],
    ['list, own records', (round) => page(owner(round), {})],
    ['list, client', (round) => page(staff, { client: `client${1 + ((round * 37) % 200)}` })],
    ['list, range', (round) => page(staff, { range: `09${String(1 + (round % 40)).padStart(2, '0')}` })],
    ['list, gateway 1 in 100', () => page(staff, { gateway: 'gateway4' })],
    ['list, gateway 1 in 10 000', () => page(staff, { gateway: 'gateway5' })],
    ['list, client and rare gateway', (round) => page(owner(round), { gateway: 'gateway5' })],
    [
      'list, client, range, failed',
      (round) => page(owner(round), { range: `09${10 + (round % 30)}`, status: 'failed' }),
    ],
    ['list, failed', () => page(staff, { status: 'failed' })],
    ['list, reported', () => page(staff, { status: 'reported' })],
    ['list, in_progress (none)', () => page(staff, { status: 'in_progress' })],
    ['list, client and pending', (round) => page(owner(round), { status: 'pending' })],
    [
      'list, search full number',
      (round) => page(staff, { search: `44900${1 + (round % 9)}0000${round % 10}` }),
    ],
    ['list, search 4 digits', (round) => page(staff, { search: digits(round).slice(3, 7) })],
    ['list, search 6 digits', (round) => page(staff, { search: (senders[round] ?? '').slice(4, 10) })],
    ['list, search whole sender', (round) => page(staff, { search: senders[round] ?? '' })],
    ['list, search word in senders', (round) => page(staff, { search: `brand-${100 + round}` })],
    ['list, search nothing', (round) => page(staff, { search: `zzq${round}` })],
    ['list, own, search sender', (round) => page(owner(round), { search: (senders[round] ?? '').slice(-7) })],
    [
      'list, one day 100 days ago',
      () => page(staff, { dateFrom: dayAgo(around, 100), dateTo: dayAgo(around, 100) }),
    ],
    [
      'list, range, 30 days',
      (round) => page(staff, { range: `09${10 + (round % 30)}`, dateFrom: dayAgo(around, 30) }),
    ],
  ]
}

function figuresOf(around: ReadSurroundings): Question[] {
  const owner = (round: number): Viewer => ({ userId: 1 + ((round * 37) % 200), role: 'user' })
  const since = dayAgo(around, 30)
  return [
    ['sum, no filter', () => summariseRecords(around, staff, {})],
    ['sum, client', (round) => summariseRecords(around, owner(round), {})],
    [
      'sum, range, failed',
      (round) => summariseRecords(around, staff, { range: `09${10 + (round % 30)}`, status: 'failed' }),
    ],
    ['sum, range and gateway', () => summariseRecords(around, staff, { range: '0911', gateway: 'gateway5' })],
    [
      'sum, one number',
      (round) => summariseRecords(around, staff, { number: `44900${1 + (round % 9)}0000${round % 10}` }),
    ],
    ['report, 30 days by day', () => reportRecords(around, staff, { dateFrom: since }, 'day')],
    ['report, 30 days by client', () => reportRecords(around, staff, { dateFrom: since }, 'client')],
    ['stats, staff', () => readStats(around, staff)],
    ['stats, client', (round) => readStats(around, owner(round))],
    ['activity', () => readActivity(around, staff, {})],
    ['week', () => readWeek(around, staff)],
  ]
}

function dayAgo({ clock }: ReadSurroundings, days: number): string {
  return new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10)
}

async function measure([name, ask]: Question): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await ask(round)
    times.push(performance.now() - begun)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  return `| ${name} | ${at(0.5)} | ${at(0.95)} |`
}

async function sampleSenders(db: Db, count: number): Promise<string[]> {
  const found = await sql<{ sender: string }>`
    select sender from records tablesample system (0.05) where sender like '447%' order by random() limit ${count}`.execute(
    db,
  )
  return found.rows.map(({ sender }) => sender)
}

export interface ReadsOptions {
  readonly records: number
  /** Where filled databases are kept for later runs, which add their traffic to them; not kept unless given. */
  readonly keep?: string | undefined
  /** Only the questions whose names contain it. */
  readonly asked?: string | undefined
  /** Messages coming in meanwhile; 0 for none. */
  readonly perSecond?: number
}

/** Fills a database of that size, measures it under traffic, and gives the table of the report. */
export async function measureReads(options: ReadsOptions): Promise<string> {
  const { records, keep } = options
  const dataDir =
    keep === undefined ? await mkdtemp(join(tmpdir(), 'tollgate-bench-')) : join(keep, String(records))
  await mkdir(dataDir, { recursive: true })
  try {
    await fillOnce(dataDir, records)
    await readThrough(dataDir)
    return await onServer(dataDir, {}, (database, url) => ask(database, url, dataDir, options))
  } finally {
    if (keep === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

/** Filling needs no durability; measuring happens on a server that has it. */
async function fillOnce(dataDir: string, records: number): Promise<void> {
  const mark = join(dataDir, 'filled')
  const isFilled = await access(mark).then(
    () => true,
    () => false,
  )
  if (isFilled) return
  await onServer(dataDir, { fsync: 'off' }, (database) => fillDatabase(database, records))
  await writeFile(mark, '')
}

/** A kept database may have left the memory since; it is measured as a fresh one is, which lies there. */
async function readThrough(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  for (const entry of entries)
    if (entry.isFile()) await finished(createReadStream(join(entry.parentPath, entry.name)).resume())
}

async function onServer<T>(
  dataDir: string,
  settings: Record<string, string>,
  work: (database: Database, url: string) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({ dataDir, settings })
  const database = openDatabase({
    address: { host: server.host, database: 'postgres' },
    statementTimeoutMs: 0,
  })
  try {
    return await work(
      database,
      `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`,
    )
  } finally {
    await database.close()
    await server.stop()
  }
}

async function ask(
  database: Database,
  url: string,
  dataDir: string,
  { records, asked = '', perSecond = messagesPerSecond }: ReadsOptions,
): Promise<string> {
  const { db } = database
  const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
  try {
    const around = { db, numbers: new NumberDirectory(db), clock: systemClock }
    const questions = [...questionsOf(around, await sampleSenders(db, 100)), ...figuresOf(around)].filter(
      ([name]) => name.includes(asked),
    )
    // As in a gateway that has run for some minutes.
    await pagesAreBack(database)
    const warmer = new SearchWarmer(db)
    while ((await warmer.step()) > 0);
    const traffic = await offerTraffic(gateway, database, perSecond)
    const lines: string[] = []
    for (const question of questions) lines.push(await measure(question))
    const came = traffic.isOver() ? 'the traffic ended before the last question' : 'traffic to the end'
    const [size, rate] = [records, perSecond].map((count) => count.toLocaleString('en-GB'))
    return [
      `| ${size} records, ${rate} messages a second coming in (${came}) | p50 ms | p95 ms |`,
      '|---|---|---|',
      ...lines,
    ].join('\n')
  } finally {
    await gateway.stop()
  }
}

/** Waits until PostgreSQL has read again what it held before it was started. */
async function pagesAreBack({ pool }: Database): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where backend_type = 'autoprewarm worker'",
    )
    if (rowCount === 0) return
    await new Promise((settle) => setTimeout(settle, 200))
  }
}

/** Starts a steady load over real SMPP, from a process of its own. */
async function offerTraffic(
  gateway: Gateway,
  { pool }: Database,
  perSecond: number,
): Promise<{ isOver(): boolean }> {
  if (perSecond === 0) return { isOver: () => false }
  const supplier = await makeSupplier(await signInAsAdmin(gateway.url))
  const { rows } = await pool.query<{ number: string }>('select number from numbers limit 1000')
  let isOver = false
  void load({
    ...supplier,
    port: gateway.port,
    digits: rows.map(({ number }) => number),
    binds: 4,
    window: 50,
    seconds: 120,
    perSecond,
  }).then(
    () => (isOver = true),
    // The gateway stops before the load does: its binds end with it.
    () => (isOver = true),
  )
  await new Promise((settle) => setTimeout(settle, 1_000))
  return { isOver: () => isOver }
}

async function fillDatabase({ db, pool }: Database, records: number): Promise<void> {
  await migrate(pool)
  await fillRecords(pool, { records, days, now: new Date(), batchRecords })
  const builder = new SegmentBuilder(db)
  while ((await builder.build()) > 0);
  await pool.query('vacuum analyze record_segments, record_signatures, record_postings')
}
