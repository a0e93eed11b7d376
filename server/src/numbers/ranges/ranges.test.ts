import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addCounts } from '../../../test/traffic/counters.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'

async function openEnvironment() {
  const { person } = await openTestNumbers()
  return { support: await person('support'), user: await person('user'), tester: await person('test') }
}

const input = (rangeNumber: string, extra: object = {}) => ({
  rangeNumber,
  startNumber: '449090000000',
  endNumber: '449099999999',
  ...extra,
})

test('a range is added, changed in part, found, counted, exported and deleted', async () => {
  const { support, user } = await openEnvironment()
  const made = await support.post('/api/ranges', input('0901', { description: 'Quiz', rate: '0.90' }))
  expect([made.status, made.body]).toMatchObject([
    201,
    { rangeNumber: '0901', rate: '0.90', status: 'active' },
  ])
  const path = `/api/ranges/${made.body.id}`
  const edited = await support.put(path, { status: 'inactive' })
  expect(edited.body).toEqual({ ...made.body, status: 'inactive', version: 2 })
  expect((await support.put(path, { rate: '1', version: 1 })).body.code).toBe('stale')
  expect((await user.get('/api/ranges?search=quiz&status=inactive')).body).toEqual([edited.body])
  expect((await user.get('/api/ranges?status=active')).body).toEqual([])
  expect((await user.get('/api/ranges/summary')).body).toEqual({ count: 1, active: 0 })
  expect((await user.get('/api/ranges/export')).text).toContain(
    ',0901,449090000000,449099999999,Quiz,0.90,inactive',
  )
  expect((await support.delete(path)).status).toBe(200)
  expect((await support.delete(path)).status).toBe(404)
  expect((await support.put(path, { rate: '1' })).status).toBe(404)
  expect((await user.get('/api/ranges')).body).toEqual([])
})

test('an export for some days says what each range earned in them: all for staff, its own part for a client', async () => {
  const { db, person } = await openTestNumbers()
  const [admin, client] = [await person('admin'), await person('user')]
  const made = await Promise.all(['0905', '0906'].map((name) => admin.post('/api/ranges', input(name))))
  const [first, second] = made.map(({ body }) => body)
  await addCounts(db, [
    {
      at: '2026-03-01T09:00Z',
      client: Number(client.id),
      range: first.id,
      status: 0,
      count: 10,
      amountMicro: 500_000,
    },
    { at: '2026-03-02T09:00Z', range: first.id, status: 0, count: 5, amountMicro: 250_000 },
  ])
  await sql`insert into purchase_prices (range_id, supplier, price_micro, starts_on, entered_by, entered_at)
    values (${first.id}::int, 'Carrier One', 80000, '2026-03-02', ${admin.id}, now())`.execute(db)
  const days = { dateFrom: '2026-03-01', dateTo: '2026-03-02' }
  const query = new URLSearchParams(days).toString()
  const lines = ({ text }: { text: string }) => text.trimEnd().split('\r\n')
  const [head, ...all] = lines(await admin.get(`/api/ranges/export?${query}`))
  expect(head).toMatch(/,Rate,Status,Earned From,Earned To,Messages,Earned USD,Margin USDT$/)
  expect(all).toEqual([
    expect.stringMatching(/,0906,.*,active,2026-03-01,2026-03-02,0,0,$/),
    expect.stringMatching(/,0905,.*,active,2026-03-01,2026-03-02,15,0.75,0.15$/),
  ])
  const own = lines(await client.post('/api/ranges/export', { ids: [first.id], ...days }))
  expect(own).toEqual([
    expect.stringMatching(/,Earned USD$/),
    expect.stringMatching(/,0905,.*,2026-03-01,2026-03-02,10,0.5$/),
  ])
  // Without days, nothing of money; with half of them, or in the wrong order, it is refused.
  expect(lines(await client.post('/api/ranges/export', { ids: [second.id] }))[0]).toMatch(/,Rate,Status$/)
  for (const wrong of [
    { dateFrom: days.dateFrom },
    { dateTo: days.dateTo },
    { dateFrom: days.dateTo, dateTo: days.dateFrom },
  ])
    expect((await client.post('/api/ranges/export', { ids: [first.id], ...wrong })).status).toBe(400)
})

test('many ranges get a status at once; one that was changed or deleted meanwhile is left unchanged and reported', async () => {
  const { support, user } = await openEnvironment()
  const made = await Promise.all(
    ['B-1', 'B-2', 'B-3', 'B-4'].map(async (name) => (await support.post('/api/ranges', input(name))).body),
  )
  const [first, second, changed, gone] = made
  await support.put(`/api/ranges/${changed.id}`, { description: 'Mine', version: 1 })
  await support.delete(`/api/ranges/${gone.id}`)
  const rowsTo = (status: string) => made.map(({ id, version }) => ({ id, version, status }))
  const { status, body } = await support.post('/api/ranges/status', { rows: rowsTo('suspended') })
  expect(status).toBe(200)
  expect(body.done).toHaveLength(2)
  for (const range of [first, second])
    expect(body.done).toContainEqual({ ...range, status: 'suspended', version: 2 })
  expect(body.refused).toEqual([
    { id: changed.id, message: expect.stringContaining('Somebody changed this') },
    { id: gone.id, message: expect.stringContaining('There is no such range') },
  ])
  const kept = (await user.get('/api/ranges?search=B-3')).body[0]
  expect(kept).toMatchObject({ status: 'active', description: 'Mine' })
  const again = await support.post('/api/ranges/status', { rows: rowsTo('active') })
  expect([again.body.done, again.body.refused.length]).toEqual([[], 4])
  expect((await user.post('/api/ranges/status', { rows: rowsTo('active') })).status).toBe(403)
  for (const rows of [[], rowsTo('gone'), [{ id: 'x', status: 'active' }], [{ id: first.id }]])
    expect((await support.post('/api/ranges/status', { rows })).status).toBe(400)
})

test('of two people who set the status of the same ranges at once, one is refused', async () => {
  const { support } = await openEnvironment()
  const made = await Promise.all(
    ['R-1', 'R-2', 'R-3'].map(async (name) => (await support.post('/api/ranges', input(name))).body),
  )
  const rowsTo = (status: string) => made.map(({ id, version }) => ({ id, version, status }))
  const answers = await Promise.all([
    support.post('/api/ranges/status', { rows: rowsTo('inactive') }),
    support.post('/api/ranges/status', { rows: rowsTo('suspended').toReversed() }),
  ])
  const counts = answers.map(({ body }) => [body.done.length, body.refused.length])
  expect(counts).toHaveLength(2)
  for (const expected of [
    [3, 0],
    [0, 3],
  ])
    expect(counts).toContainEqual(expected)
})

test('ends that form no range, a name in use and bad fields are refused', async () => {
  const { support } = await openEnvironment()
  await support.post('/api/ranges', input('0902'))
  const taken = await support.post('/api/ranges', input('0902'))
  expect([taken.status, taken.body.fields]).toMatchObject([409, { rangeNumber: expect.any(String) }])
  for (const [field, extra] of [
    ['endNumber', { endNumber: '449080000000' }],
    ['endNumber', { endNumber: '44909999999' }],
    ['endNumber', { endNumber: 'abc' }],
    ['startNumber', { startNumber: '' }],
    ['rangeNumber', { rangeNumber: ' ' }],
    ['rate', { rate: 'much' }],
  ] as const) {
    const { status, body } = await support.post('/api/ranges', input('0903', extra))
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  }
})

test('ranges page through every sort', async () => {
  const { support, user } = await openEnvironment()
  for (const name of ['A', 'B', 'C', 'D', 'E'])
    await support.post('/api/ranges', input(`Z-${name}`, { rate: '0.10' }))
  for (const sort of ['createdAt', 'rangeNumber', 'startNumber', 'rate', 'status']) {
    const seen: string[] = []
    let path: string | undefined = `/api/ranges?search=Z-&limit=2&sort=${sort}`
    while (path !== undefined) {
      const page = await user.get(path)
      seen.push(...page.body.map((range: { rangeNumber: string }) => range.rangeNumber))
      path = page.next
    }
    expect(seen.toSorted()).toEqual(['Z-A', 'Z-B', 'Z-C', 'Z-D', 'Z-E'])
  }
})

test('the test role has no ranges, and a user changes none', async () => {
  const { tester, user } = await openEnvironment()
  expect((await tester.get('/api/ranges')).status).toBe(403)
  expect((await user.post('/api/ranges', input('0904'))).status).toBe(403)
})
