import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { loadCatalog, type Catalog } from '../catalog/catalog.ts'
import { changeCatalog } from '../change-catalog.ts'
import { startDueTariffs } from './scheduled-tariffs.ts'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const digits = '449090000001'

async function openEnvironment() {
  const { db, person } = await openTestNumbers()
  const support = await person('support')
  const body = { rangeNumber: '0909', startNumber: '449090000000', endNumber: '449099999999', rate: '1.50' }
  const { body: made } = await support.post('/api/ranges', body)
  return { db, person, support, path: `/api/ranges/${made.id}` }
}

/** Moves the start of the tariff that waits, and returns it in milliseconds. */
async function startIn(db: Db, seconds: number): Promise<number> {
  const moved = await transaction(db, async (tx) => {
    const { version } = await changeCatalog(tx)
    return row<{ at: Date }>(
      tx,
      sql`update ranges set catalog_version = ${version}, next_tariff_from =
            date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${seconds})
          where next_tariff_from is not null returning next_tariff_from as at`,
    )
  })
  return moved!.at.getTime()
}

test('a tariff waits for its chosen time, can be replaced and cancelled, and shows meanwhile', async () => {
  const { db, person, support, path } = await openEnvironment()
  const client = await person('user')
  const startsAt = inMinutes(60)
  for (const [index, rate] of ['1.80', '2.00'].entries()) {
    const { body } = await support.put(path, { rate, startsAt, description: 'Chat', version: index + 1 })
    expect(body).toMatchObject({
      rate: '1.50',
      description: 'Chat',
      scheduled: { rate, startsAt, setBy: support.username },
      version: index + 2,
    })
  }
  expect((await support.get(path)).body.scheduled.rate).toBe('2.00')
  const [listed] = (await client.get('/api/ranges')).body
  expect(listed.scheduled).toEqual({ rate: '2.00', startsAt, setBy: '' })
  expect((await client.get(path)).body.scheduled.setBy).toBe('')
  // A change of now leaves what waits.
  expect((await support.put(path, { rate: '1.60' })).body).toMatchObject({
    rate: '1.60',
    scheduled: { rate: '2.00' },
  })
  expect((await support.delete(`${path}/scheduled`)).status).toBe(204)
  // An open form is not refused: it shows nothing that the cancelling has changed.
  expect((await support.put(path, { description: '', version: 4 })).body).toMatchObject({
    rate: '1.60',
    scheduled: null,
  })
  expect((await support.delete(`${path}/scheduled`)).status).toBe(404)
  expect((await support.delete('/api/ranges/999/scheduled')).status).toBe(404)
  const entries = await rows<{ action: string; after: { scheduled?: unknown } | null; before: object }>(
    db,
    sql`select action, before, after from audit_entries where object_type = 'range' order by id`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'range.create',
    'range.edit',
    'range.edit',
    'range.edit',
    'range.cancel_scheduled',
    'range.edit',
  ])
  expect(entries[1]?.after?.scheduled).toEqual({ rate: '1.80', startsAt, setBy: support.username })
  expect(entries[4]?.before).toEqual({ rate: '2.00', startsAt })
})

test('a message has the tariff of its own time on every node, before and after the job has run', async () => {
  const { db, support, path } = await openEnvironment()
  await support.post('/api/premium-numbers', { number: digits })
  await support.post('/api/premium-numbers', { number: '449090000002', rate: '0.70' })
  const nodes = [await loadCatalog(db), await loadCatalog(db)]
  const tariffs = (atMs: number) => nodes.map((node: Catalog) => node.find(digits)?.tariffAt(atMs))
  await support.put(path, { rate: '2.00', startsAt: inMinutes(60) })
  const startMs = await startIn(db, -5)
  for (const node of nodes) await node.refresh(db)
  const expectEdge = () => {
    expect(tariffs(startMs - 1)).toEqual([1_500_000, 1_500_000])
    expect(tariffs(startMs)).toEqual([2_000_000, 2_000_000])
  }
  expectEdge()
  await startDueTariffs(db)
  // Only one of them knows yet.
  await nodes[0]?.refresh(db)
  expectEdge()
  await nodes[1]?.refresh(db)
  expectEdge()
  const kept = await loadCatalog(db)
  expect([startMs - 1, startMs].map((at) => kept.find(digits)?.tariffAt(at))).toEqual([1_500_000, 2_000_000])
  // A number's own tariff is not touched.
  expect(kept.find('449090000002')?.tariffAt(startMs)).toBe(700_000)
  expect((await support.get(path)).body).toMatchObject({ rate: '2.00', scheduled: null, version: 3 })
  expect((await support.get(`/api/premium-numbers?search=${digits}`)).body[0].rate).toBe('2.00')
})

test('one that was cancelled or waits longer does not start', async () => {
  const { db, support, path } = await openEnvironment()
  await support.post('/api/premium-numbers', { number: digits })
  const tariffAt = async (atMs: number) => (await loadCatalog(db)).find(digits)?.tariffAt(atMs)
  await support.put(path, { rate: '2.00', startsAt: inMinutes(60) })
  const startMs = await startIn(db, 30)
  await startDueTariffs(db)
  expect((await support.get(path)).body).toMatchObject({ rate: '1.50', version: 2 })
  expect(await tariffAt(startMs)).toBe(2_000_000)
  await support.delete(`${path}/scheduled`)
  expect(await tariffAt(startMs)).toBe(1_500_000)
  // It has started, though the job has not run: there is nothing to cancel.
  await support.put(path, { rate: '3.00', startsAt: inMinutes(60) })
  const laterMs = await startIn(db, -5)
  const answer = await support.delete(`${path}/scheduled`)
  expect([answer.status, answer.body.message]).toEqual([404, expect.stringContaining('has started')])
  expect(await tariffAt(laterMs)).toBe(3_000_000)
})

test('a form from before the start is refused as stale, also before the job has run, and brings nothing back', async () => {
  const { db, support, path } = await openEnvironment()
  const { body: seen } = await support.put(path, { rate: '2.00', startsAt: inMinutes(60) })
  await startIn(db, -1)
  const late = await support.put(path, { ...seen, description: 'Chat' })
  expect([late.status, late.body.code]).toEqual([409, 'stale'])
  // A program that sends no version changes what it names.
  expect((await support.put(path, { description: 'Chat' })).body).toMatchObject({
    rate: '2.00',
    scheduled: null,
    description: 'Chat',
  })
  await support.put(path, { rate: '2.50', startsAt: inMinutes(60) })
  await startIn(db, -1)
  const { body } = await support.put(path, { rate: '4.00', startsAt: inMinutes(60) })
  expect(body).toMatchObject({ rate: '2.50', scheduled: { rate: '4.00' } })
})

test('a start needs a rate, is a minute to a year ahead, and is for staff', async () => {
  const { person, support, path } = await openEnvironment()
  for (const minutes of [-5, 0.5, 366 * 1440 + 1])
    expect((await support.put(path, { rate: '2', startsAt: inMinutes(minutes) })).body.fields).toEqual({
      startsAt: expect.stringContaining('one year'),
    })
  const startsAt = inMinutes(60)
  const without = await support.put(path, { startsAt })
  expect([without.status, without.body.fields]).toEqual([400, { rate: expect.any(String) }])
  const made = {
    rangeNumber: '0910',
    startNumber: '449100000000',
    endNumber: '449100000009',
    rate: '1',
    startsAt,
  }
  expect((await support.post('/api/ranges', made)).body.fields).toEqual({ startsAt: expect.any(String) })
  await support.put(path, { rate: '2', startsAt })
  for (const role of ['user', 'test'] as const) {
    const stranger = await person(role)
    expect((await stranger.put(path, { rate: '2', startsAt })).status).toBe(403)
    expect((await stranger.delete(`${path}/scheduled`)).status).toBe(403)
  }
  expect((await support.get(path)).body.scheduled.rate).toBe('2.00')
})
