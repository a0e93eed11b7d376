// The queries that measure the records' lists, sums and figures, called as the routes call them.
import { sql } from 'kysely'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import type { Db } from '@tollgate/server/platform/db.ts'
import { listRecords, type PageQuery, type ReadDeps } from '@tollgate/server/records/read/list-records.ts'
import { readActivity, readStats, readWeek } from '@tollgate/server/records/read/stats.ts'
import { reportRecords, summariseRecords } from '@tollgate/server/records/read/totals.ts'
import type { Viewer } from '@tollgate/server/records/read/viewer.ts'
import { messageIdOf } from '@tollgate/server/ingest/index.ts'
import type { Call } from '@tollgate/server/test/http/operator.ts'

const staff: Viewer = { userId: 0, role: 'admin' }

/** A query, run with other values in each round; `pauseMs` before each, so that it is a person's, not a loop's. */
export type ReadQuery = readonly [name: string, ask: (round: number) => Promise<unknown>, pauseMs?: number]

/** All queries, for a filled database; `admin` asks its gateway. */
export async function readQueries(around: ReadDeps, admin: Call): Promise<ReadQuery[]> {
  const [senders, largeClients] = [await sampleSenders(around.db, 100), await clientsWithMost(around.db, 20)]
  const messageIds = await sampleMessageIds(around.db, 100)
  return [
    ...listsOf(around, senders, largeClients),
    ...figuresOf(around),
    ...analyticsOf(around, admin),
    ...searchesOf(admin, messageIds),
  ]
}

// After a report the gateway pauses such work for half a second at most (decision 38); the pause between two queries
// must be longer.
const reportPauseMs = 600

/** What Analytics asks for its last 30 days, over HTTP. */
function analyticsOf(around: ReadDeps, admin: Call): ReadQuery[] {
  const [dateFrom, dateTo] = [dayAgo(around, 29), dayAgo(around, 0)]
  return (['day', 'range', 'client', 'number'] as const).map((by) => [
    `analytics, 30 days by ${by}`,
    () => admin('GET', `/api/analytics?dateFrom=${dateFrom}&dateTo=${dateTo}&by=${by}`),
    reportPauseMs,
  ])
}

/** What Ctrl K asks, as the console asks it: over HTTP, of the gateway that takes the messages. */
function searchesOf(admin: Call, messageIds: readonly string[]): ReadQuery[] {
  const search = (text: string) => admin('GET', `/api/search?q=${encodeURIComponent(text)}`)
  const hash = (round: number) => (0x9e3779b97f4a7 * (round + 1)).toString(16)
  return [
    ['Ctrl K, whole number', (round) => search(`44900${1 + (round % 9)}0000${round % 10}`)],
    ['Ctrl K, 4 digits', (round) => search(String(1_000 + ((round * 97) % 9_000)))],
    ['Ctrl K, 2 digits', (round) => search(String(10 + (round % 90)))],
    ['Ctrl K, client', (round) => search(`client${1 + ((round * 37) % 200)}`)],
    ['Ctrl K, range', (round) => search(`09${String(1 + (round % 40)).padStart(2, '0')}`)],
    ['Ctrl K, message id', (round) => search(messageIds[round % messageIds.length] ?? '')],
    ['Ctrl K, hash', (round) => search(hash(round))],
    ['Ctrl K, nothing', (round) => search(`zzq${round}`)],
  ]
}

function listsOf(around: ReadDeps, senders: readonly string[], largeClients: readonly number[]): ReadQuery[] {
  const page = (viewer: Viewer, query: RecordFilters & Partial<PageQuery>) =>
    listRecords(around, viewer, { limit: 100, ...query })
  const owner = (round: number): Viewer => ({ userId: 1 + ((round * 37) % 200), role: 'user' })
  const largeOwner = (round: number): Viewer => ({
    userId: largeClients[round % largeClients.length] ?? 0,
    role: 'user',
  })
  const digits = (round: number) => String(4490000000 + ((round * 97) % 40) * 10000000 + round).slice(2)
  return [
    ['list, no filter', () => page(staff, {})],
    ['list, own records', (round) => page(owner(round), {})],
    ['list, client', (round) => page(staff, { client: `client${1 + ((round * 37) % 200)}` })],
    ['list, range', (round) => page(staff, { range: `09${String(1 + (round % 40)).padStart(2, '0')}` })],
    ['list, gateway 1 in 100', () => page(staff, { gateway: 'gateway4' })],
    ['list, gateway 1 in 10 000', () => page(staff, { gateway: 'gateway5' })],
    [
      'list, client and rare gateway',
      (round) => page(staff, { client: `client${1 + ((round * 37) % 200)}`, gateway: 'gateway5' }),
    ],
    [
      'list, client, range, failed',
      (round) => page(owner(round), { range: `09${10 + (round % 30)}`, status: 'failed' }),
    ],
    ['list, failed', () => page(staff, { status: 'failed' })],
    ['list, reported', () => page(staff, { status: 'reported' })],
    ['list, in_progress', () => page(staff, { status: 'in_progress' })],
    ['list, pending (none)', () => page(staff, { status: 'pending' })],
    ['list, client and in_progress', (round) => page(owner(round), { status: 'in_progress' })],
    ['list, large client and failed', (round) => page(largeOwner(round), { status: 'failed' })],
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

function figuresOf(around: ReadDeps): ReadQuery[] {
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

function dayAgo({ clock }: ReadDeps, days: number): string {
  return new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10)
}

async function clientsWithMost(db: Db, count: number): Promise<number[]> {
  const found = await sql<{ id: number }>`
    select holder_id as id from numbers where holder_id is not null
    group by 1 order by count(*) desc, 1 limit ${count}`.execute(db)
  return found.rows.map(({ id }) => id)
}

async function sampleSenders(db: Db, count: number): Promise<string[]> {
  const found = await sql<{ sender: string }>`
    select sender from records tablesample system (0.05) where sender like '447%' order by random() limit ${count}`.execute(
    db,
  )
  return found.rows.map(({ sender }) => sender)
}

async function sampleMessageIds(db: Db, count: number): Promise<string[]> {
  const found = await sql<{ at: Date; id: string }>`
    select created_at as at, id from records tablesample system (0.05) order by random() limit ${count}`.execute(
    db,
  )
  return found.rows.map(({ at, id }) => messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) }))
}
