// Measures pages, sums and counters of the records on a filled database: p50 and p95 of each kind of question.
// `--records 1000000,10000000 [--days 180] [--batch 100] [--rounds 25] [--keep folder] [--only text]`
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { openDatabase, type Database, type Db } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { listRecords, type PageQuery, type ReadSurroundings } from '../src/records/read/list-records.ts'
import { readActivity, readStats, readWeek } from '../src/records/read/stats.ts'
import { reportRecords, summariseRecords } from '../src/records/read/totals.ts'
import { NumberDirectory } from '../src/records/read/number-directory.ts'
import type { Viewer } from '../src/records/read/viewer.ts'
import { SegmentBuilder } from '../src/records/search/build-segments.ts'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import { fillRecords } from './fill.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000,10000000' },
    days: { type: 'string', default: '180' },
    batch: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '25' },
    /** A folder to keep the filled database in, for the next run. */
    keep: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
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

async function measure(question: Question, rounds: number): Promise<string> {
  const [name, ask] = question
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    await ask(round)
    times.push(performance.now() - begun)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1).padStart(8)
  return `${name.padEnd(36)}${at(0.5)}${at(0.95)}${at(1)}`
}

async function sampleSenders(db: Db, count: number): Promise<string[]> {
  const { sql } = await import('kysely')
  const found = await sql<{ sender: string }>`
    select sender from records tablesample system (0.05) where sender like '447%' order by random() limit ${count}`.execute(
    db,
  )
  return found.rows.map(({ sender }) => sender)
}

async function run(records: number): Promise<void> {
  const dataDir =
    values.keep === undefined ? await mkdtemp(join(tmpdir(), 'tg-')) : `${values.keep}-${records}`
  const server = await startEmbedded({ dataDir, settings: { fsync: 'off', synchronous_commit: 'off' } })
  const database = openDatabase({
    address: { host: server.host, database: 'postgres' },
    statementTimeoutMs: 0,
  })
  try {
    const now = await prepare(database, records)
    const around = { db: database.db, numbers: new NumberDirectory(database.db), clock: { now: () => now } }
    const questions = [...questionsOf(around, await sampleSenders(database.db, 100)), ...figuresOf(around)]
    console.log(`${'ms'.padEnd(36)}${'p50'.padStart(8)}${'p95'.padStart(8)}${'max'.padStart(8)}`)
    for (const question of questions.filter(([name]) => name.includes(values.only)))
      console.log(await measure(question, Number(values.rounds)))
  } finally {
    await database.close()
    await server.stop()
    if (values.keep === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

/** Fills the database unless an earlier run did; gives the time up to which it has records. */
async function prepare({ db, pool }: Database, records: number): Promise<Date> {
  const found = await pool.query<{ is_filled: boolean }>(
    `select to_regclass('records') is not null as is_filled`,
  )
  if (found.rows[0]?.is_filled !== true) {
    await migrate(pool)
    const options = {
      records,
      days: Number(values.days),
      now: new Date(),
      batchRecords: Number(values.batch),
    }
    await fillRecords(pool, options)
    const begun = performance.now()
    const builder = new SegmentBuilder(db)
    while ((await builder.build()) > 0);
    console.log(`${records} records; segments built in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    await pool.query('vacuum analyze record_segments, record_signatures')
  }
  const newest = await pool.query<{ at: Date }>('select max(created_at) as at from records')
  return newest.rows[0]?.at ?? new Date()
}

for (const records of values.records.split(',').map(Number)) await run(records)
