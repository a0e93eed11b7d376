import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addCounts, bufferCounts } from '../../test/traffic/counters.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'

const admin = 6
const price = { range: 'UK premium', supplier: 'Carrier One', price: '0.08', startsOn: '2026-03-02' }

/** Two ranges, and messages of two clients on three days, folded and not. */
async function openTraffic() {
  const environment = await openTestBilling()
  const { call, db } = environment
  await sql`insert into ranges (range_number, start_number, end_number)
    values ('UK premium', '447700000000', '447700000099'), ('FR premium', '33700000000', '33700000099')`.execute(
    db,
  )
  await addCounts(db, [
    { at: '2026-03-01T09:00Z', client: 1, range: 1, count: 10, amountMicro: 500_000 },
    { at: '2026-03-02T09:00Z', client: 1, range: 1, count: 100, amountMicro: 5_000_000 },
    { at: '2026-03-02T10:00Z', client: 2, range: 1, status: 0, count: 10, amountMicro: 1_000_000 },
    { at: '2026-03-03T00:00Z', client: 2, range: 2, count: 7, amountMicro: 350_000 },
    { at: '2026-03-03T23:00Z', count: 1 },
  ])
  await bufferCounts(db, [
    { at: '2026-03-03T10:00Z', client: 1, range: 1, count: 50, amountMicro: 2_500_000 },
  ])
  const enter = (change: object = {}, by = admin) =>
    call(by, 'POST', '/api/books/purchase-prices', { body: { ...price, ...change } })
  const margin = async (by: string, span = 'from=2026-03-01&to=2026-03-31') =>
    (await call(admin, 'GET', `/api/books/margin?${span}&by=${by}`)).body
  return { ...environment, enter, margin }
}

const figures = ({ name, smsCount, revenue, cost, margin, unpricedCount }: Record<string, unknown>) => [
  name,
  smsCount,
  revenue,
  cost,
  margin,
  unpricedCount,
]

test('without a purchase price there is no margin', async () => {
  const { margin } = await openTraffic()
  const { totals, rows: ranges } = await margin('range')
  expect(totals).toEqual({
    smsCount: 0,
    revenue: null,
    cost: '0.00',
    margin: null,
    unpricedCount: 178,
    unpricedCost: '9.35',
  })
  expect(ranges.every((range: { margin: unknown }) => range.margin === null)).toBe(true)
})

test('a message counts with the price of its range on its day, by range, client and supplier', async () => {
  const { enter, margin } = await openTraffic()
  expect((await enter()).status).toBe(201)
  await enter({ supplier: 'Carrier Two', price: '0.1', startsOn: '2026-03-03' })
  expect((await margin('range')).rows.map(figures)).toEqual([
    ['UK premium', 160, '13.80', '8.50', '5.30', 10],
    ['FR premium', 0, null, '0.00', null, 7],
    ['no range', 0, null, '0.00', null, 1],
  ])
  expect((await margin('client')).rows.map(figures)).toEqual([
    ['u1', 150, '13.00', '7.50', '5.50', 10],
    ['u2', 10, '0.80', '1.00', '-0.20', 7],
    ['nobody', 0, null, '0.00', null, 1],
  ])
  expect((await margin('supplier')).rows.map(figures)).toEqual([
    ['Carrier One', 110, '8.80', '6.00', '2.80', 0],
    ['Carrier Two', 50, '5.00', '2.50', '2.50', 0],
    ['no purchase price', 0, null, '0.00', null, 18],
  ])
  expect((await margin('supplier', 'from=2026-03-03&to=2026-03-03')).totals).toMatchObject({
    revenue: '5.00',
    margin: '2.50',
    unpricedCount: 8,
  })
})

test('a mistyped price is mended by a newer one for the same day, and both stay', async () => {
  const { call, enter, margin } = await openTraffic()
  await enter({ price: '8' })
  await enter({ price: '0.05' })
  expect((await margin('range')).totals.revenue).toBe('8.00')
  const first = await call(admin, 'GET', '/api/books/purchase-prices?limit=1')
  const second = await call(admin, 'GET', first.next ?? '')
  expect([first.body[0].price, second.body[0].price, second.next]).toEqual(['0.05', '8.00', undefined])
})

test.each([
  ['a range that there is not', { range: 'DE premium' }, 'range'],
  ['no supplier', { supplier: ' ' }, 'supplier'],
  ['a price below 0', { price: '-1' }, 'price'],
  ['a price beyond 100', { price: '101' }, 'price'],
  ['a price of seven decimals', { price: '0.0000001' }, 'price'],
  ['a day that is none', { startsOn: '2026-02-30' }, 'startsOn'],
])('%s is refused', async (_, change, field) => {
  const { enter } = await openTraffic()
  const { status, body } = await enter(change)
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
})

test('support sees no purchase price, and an export names its formulas', async () => {
  const { call, db, enter } = await openTraffic()
  expect((await enter({}, 4)).status).toBe(403)
  expect((await call(4, 'GET', '/api/books/margin?from=2026-03-01&to=2026-03-02')).status).toBe(403)
  expect((await call(admin, 'GET', '/api/books/margin?from=2026-03-02&to=2026-03-01')).status).toBe(400)
  await enter({ supplier: '=HYPERLINK()' })
  const { text } = await call(
    admin,
    'GET',
    '/api/books/margin/export?from=2026-03-01&to=2026-03-31&by=supplier',
  )
  expect(text).toContain("'=HYPERLINK(),160,12.80,8.50,4.30,0,0.00")
  expect(
    await rows(db, sql`select action from audit_entries where action = 'books.purchase_price'`),
  ).toHaveLength(1)
})

test('what a range earned is for staff everybody’s, for a client its own, and the margin for admins', async () => {
  const { call, db, enter } = await openTraffic()
  await enter()
  const earned = async (by: number, query: string) =>
    (await call(by, 'GET', `/api/ranges/earnings?dateFrom=2026-03-01&dateTo=2026-03-31${query}`)).body
  const uk = { id: '1', count: 170, amountUsd: '9' }
  const fr = { id: '2', count: 7, amountUsd: '0.35', margin: null }
  const total = { count: 177, amountUsd: '9.35' }
  expect(await earned(admin, '')).toEqual({
    total: { ...total, margin: '4.30' },
    rows: [{ ...uk, margin: '4.30' }, fr],
    left: 0,
  })
  expect(await earned(4, '')).toEqual({
    total: { ...total, margin: null },
    rows: [{ ...uk, margin: null }, fr],
    left: 0,
  })
  expect((await earned(2, '')).rows).toEqual([
    { id: '1', count: 10, amountUsd: '1', margin: null },
    { id: '2', count: 7, amountUsd: '0.35', margin: null },
  ])
  // The filters of the list, one range alone, other days.
  expect((await earned(admin, '&search=FR')).total).toMatchObject({ count: 7 })
  expect((await earned(admin, '&id=2')).rows).toEqual([fr])
  expect((await earned(admin, '&id=2&status=inactive')).rows).toEqual([])
  const first = await call(admin, 'GET', '/api/ranges/earnings?dateFrom=2026-03-01&dateTo=2026-03-01')
  expect(first.body.total).toEqual({ count: 10, amountUsd: '0.5', margin: null })
  expect(
    (await call(admin, 'GET', '/api/ranges/earnings?dateFrom=2026-03-02&dateTo=2026-03-01')).status,
  ).toBe(400)
  // A range that took the name of a deleted one shows its messages, as the records by that name do.
  await sql`update ranges set deleted_at = now() where id = 1`.execute(db)
  await sql`insert into ranges (range_number, start_number, end_number)
    values ('UK premium', '447700000000', '447700000999')`.execute(db)
  expect((await earned(admin, '&id=3')).rows).toEqual([{ ...uk, id: '3', margin: '4.30' }])
})
