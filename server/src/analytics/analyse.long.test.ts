// Every view of Analytics against the records themselves: counters folded and not, numbers counted and not, hours moved.
import { analyticsDimensions } from '@tollgate/contract/analytics/analytics.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../platform/db.ts'
import { changeRecords } from '../ingest/change/store.ts'
import { foldCounters } from '../ingest/fold-store.ts'
import type { Viewer } from '../records/read/viewer.ts'
import { forgetCounters } from './forget-counters.ts'
import { openAnalyseEnvironment, staff, client, month } from './testing/analyse-environment.ts'

const { db, now, numberDays, addRecords, compare } = await openAnalyseEnvironment()

const lastDays = { dateFrom: '2026-02-28', dateTo: '2026-03-04' }

const single = analyticsDimensions.map((by) => [by] as const)
const pairs = [
  ['number', 'week'],
  ['number', 'day'],
  ['country', 'range'],
  ['status', 'hour'],
  ['gateway', 'range'],
  ['gateway', 'country'],
  ['client', 'status'],
  ['range', 'hour'],
  ['day', 'gateway'],
  ['country', 'number'],
  ['number', 'gateway'],
  ['month', 'client'],
] as const

const views = [...single, ...pairs].map(([by, andBy]) => ({
  ...(by === 'hour' || andBy === 'hour' ? lastDays : month),
  by,
  ...(andBy && { andBy }),
}))

async function compareAll(viewers: readonly Viewer[]): Promise<void> {
  for (const viewer of viewers) for (const view of views) await compare(viewer, view)
}

test('each view equals the records, before and after the counters are folded and counted and old hours deleted', async () => {
  await compareAll([staff])
  const keys = Array.from({ length: 40 }, (_, place) => ({
    createdAtMs: now.getTime() - place * 71 * 60_000,
    recordId: 8_000_001 * 4096 + place,
  }))
  await db.transaction().execute((tx) => changeRecords(tx, keys, { status: 'failed' }))
  await db.transaction().execute(foldCounters)
  while ((await numberDays.step()) > 0);
  await forgetCounters(db, now)
  expect(
    await row(db, sql`select from record_hour_counters where hour < '2026-02-17' and range_id >= 0 limit 1`),
  ).toBeUndefined()
  await compareAll([staff, client])
  await addRecords(2)
  await compareAll([client])
})
