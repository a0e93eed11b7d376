// Test messages are in the lists and in no figure of the traffic: folded and not, indexed and not, also once they change.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { AnalyticsQuery } from '@tollgate/contract/analytics/analytics.ts'
import { afterUse, openTestDatabase } from '../../../test/environment/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { rows } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { analyse } from '../../analytics/analyse.ts'
import { countNumberDays } from '../../analytics/number-days.ts'
import { changeRecords } from '../../ingest/change/store.ts'
import { foldCounters } from '../../ingest/fold-store.ts'
import { recordFlags } from '../../ingest/index.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../../ingest/testing/traffic.ts'
import { BlockIndexer } from '../search/index-blocks.ts'
import { listRecords } from './list-records.ts'
import { readActivity, readStats, readWeek } from './stats.ts'
import { throughputReader } from './throughput.ts'
import { reportRecords, summariseRecords } from './totals.ts'
import { reportUnowned } from './unowned-report.ts'
import type { Viewer } from './viewer.ts'
import { Overload } from '../../platform/load/overload.ts'

const { db } = await openTestDatabase()
// Clients 1 and 2 hold two numbers each in turn; nobody holds the last one.
const [ofTwo = '', ofOne = '', , tested = '', unheld = ''] = await makeBusiness(db, {
  clients: 2,
  numbers: 5,
})
const ingest = await makeIngest(db, { hasDelivery: () => true })
afterUse(() => ingest.stop())
const deps = { db, clock: systemClock }
const staff: Viewer = { userId: 0, role: 'admin' }
const client: Viewer = { userId: 2, role: 'user' }
const today = new Date().toISOString().slice(0, 10)
const days = { dateFrom: today, dateTo: today }

const answers = new Answers()
const supplier = await ingest.gatewayId('smpp', 'supplier')
const simulator = await ingest.gatewayId('api', 'Simulator')
// Three for client 2, two for client 1.
for (const digits of [ofTwo, ofTwo, ofTwo, ofOne, ofOne])
  ingest.accept(messageTo(digits, answers, { gatewayId: supplier }))
await answers.until(5)
const sentTests = [ofTwo, tested, unheld].map((digits) =>
  messageTo(digits, answers, { gatewayId: simulator, source: 'api', flags: recordFlags.test }),
)
const tests = await transaction(db, (tx) => ingest.storeWithin(tx, sentTests))

async function expectFigures(): Promise<void> {
  const stats = await readStats(deps, staff)
  expect(stats).toMatchObject({ totalRecords: 5, uniqueNumbers: 2, activeProviders: 1, tests: 3 })
  expect(stats.today.processed).toBe(5)
  // One test message was to client 2's number, one to client 1's.
  expect(await readStats(deps, client)).toMatchObject({ totalRecords: 3, uniqueNumbers: 1, tests: 1 })
  expect((await readActivity(deps, staff, {})).today.processed).toBe(5)
  expect((await readWeek(deps, staff)).count).toBe(5)
  const looks: AnalyticsQuery[] = [
    ...(['range', 'number', 'client', 'gateway', 'status', 'hour', 'day'] as const).map((by) => ({
      ...days,
      by,
    })),
    { ...days, by: 'range', andBy: 'gateway' },
  ]
  for (const look of looks) expect([look, (await analyse(deps, staff, look)).total.count]).toEqual([look, 5])
  expect((await reportUnowned(deps, { ...days, groupBy: 'number' })).total.smsCount).toBe(0)
  expect((await throughputReader(db)()).counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(5)
}

async function expectLists(): Promise<void> {
  const found = async (viewer: Viewer, filters: object) => [
    (await listRecords(deps, viewer, { limit: 50, ...filters })).items.length,
    (await summariseRecords(deps, viewer, filters)).count,
  ]
  for (const [filters, all, traffic, tested] of [
    [{}, 8, 5, 3],
    [days, 8, 5, 3],
    [{ gateway: 'Simulator' }, 3, 0, 3],
    [{ range: 'R1', ...days }, 8, 5, 3],
    [{ client: 'client2' }, 4, 3, 1],
    [{ search: ofTwo }, 4, 3, 1],
    [{ status: 'pending' }, 6, 5, 1],
    [{ unowned: 'true' }, 1, 0, 1],
    [{ settlement: 'none' }, 3, 0, 3],
  ] as const) {
    expect([filters, await found(staff, filters)]).toEqual([filters, [all, all]])
    expect([filters, await found(staff, { ...filters, test: 'false' })]).toEqual([
      filters,
      [traffic, traffic],
    ])
    expect([filters, await found(staff, { ...filters, test: 'true' })]).toEqual([filters, [tested, tested]])
  }
  expect(await found(client, {})).toEqual([4, 4])
  expect(await found(client, { status: 'pending', test: 'false' })).toEqual([3, 3])
  const report = await reportRecords(deps, staff, {}, 'gateway')
  expect(report.map(({ group, count }) => [group, count])).toEqual([
    ['supplier', 5],
    ['Simulator', 3],
  ])
}

/** All that works behind ingest has done its work. */
async function catchUp(): Promise<void> {
  await transaction(db, foldCounters)
  const numberDays = countNumberDays({
    db,
    overload: new Overload({ isBusy: () => false }),
    onFault: () => undefined,
  })
  while ((await numberDays.step()) > 0);
  const builder = new BlockIndexer(db, 1)
  while ((await builder.build()) > 0);
}

test('test messages are listed, filtered and summed, and no figure counts them', async () => {
  expect(tests.every((each) => 'recordId' in each)).toBe(true)
  // Two of the tests reach their client and are completed, which moves no counter.
  const keys = tests.flatMap((each, index) =>
    'recordId' in each && index > 0
      ? [{ recordId: each.recordId, createdAtMs: sentTests[index]?.createdAtMs ?? 0 }]
      : [],
  )
  await transaction(db, (tx) => changeRecords(tx, keys, { status: 'completed' }))
  await expectFigures()
  await expectLists()
  await catchUp()
  await expectFigures()
  await expectLists()
  const traffic = await rows<{ kind: string; count: number }>(
    db,
    sql`select kind, sum(record_count)::int as count from traffic_hours group by 1 order by 1`,
  )
  expect(traffic).toEqual([
    { kind: 'gateway', count: 5 },
    { kind: 'range', count: 5 },
  ])
})

test('a number that was only tested has a record, so it does not become another one', async () => {
  await catchUp()
  const found = await rows<{ client_id: number }>(
    db,
    sql`select client_id from record_numbers r join numbers n on n.id = r.number_id where n.number = ${tested}`,
  )
  expect(found).toEqual([{ client_id: -2 }])
})

test('no counter is below zero', async () => {
  await catchUp()
  const tables = ['record_hour_counters', 'record_day_counters', 'record_cycle_counters']
  for (const table of [...tables, 'record_number_days', 'record_number_weeks'])
    expect([table, await rows(db, sql`select * from ${sql.table(table)} where record_count < 0`)]).toEqual([
      table,
      [],
    ])
})
