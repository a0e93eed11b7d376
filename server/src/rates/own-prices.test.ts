import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestNumbers } from '../../test/traffic/numbers.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { loadPricing, type Pricing } from './pricing.ts'
import { startDueRates } from './schedule.ts'

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const digits = '449098790142'

async function openEnvironment() {
  const { db, person } = await openTestNumbers({
    stockOffer: async () => 'take',
    stockTakesPerDay: async () => 9,
  })
  const support = await person('support')
  const client = await person('user')
  const { body } = await support.post('/api/number-inventory', { number: digits, pricePerSms: '0.50' })
  const id = Number(body.id)
  const path = `/api/number-inventory/${id}`
  const startDue = () => startDueRates(db)
  const give = (userId: number) => support.put(`${path}/assign`, { userId })
  const item = async () => (await support.get(`/api/number-inventory?search=${digits}`)).body[0]
  return { db, person, support, client, id, path, startDue, give, item }
}

/** Moves the start of the price that waits, and returns it in milliseconds. */
async function startIn(db: Db, seconds: number): Promise<number> {
  const moved = await row<{ at: Date }>(
    db,
    sql`update scheduled_rates set starts_at =
          date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${seconds}) returning starts_at as at`,
  )
  return moved!.at.getTime()
}

const priceAt = (pricing: Pricing, holderId: number, atMs: number) =>
  pricing.rateFor(pricing.find(digits)!, holderId, atMs)

test('a price waits for its chosen time, can be replaced and cancelled, and shows meanwhile', async () => {
  const { db, support, client, path, id, give, item } = await openEnvironment()
  const startsAt = inMinutes(60)
  for (const [index, pricePerSms] of ['0.40', '0.045'].entries()) {
    const { body } = await support.put(path, {
      pricePerSms,
      startsAt,
      operator: `Vox ${index}`,
      version: index + 1,
    })
    expect(body).toMatchObject({
      pricePerSms: '0.50',
      usdPerSms: '0.5',
      operator: `Vox ${index}`,
      scheduled: { startsAt, setBy: support.username },
      version: index + 2,
    })
  }
  const coming = { rate: '0.045', startsAt, setBy: '' }
  // Clients see it where they choose a number, and who set it is not their business.
  expect((await client.get('/api/number-stock')).body).toMatchObject([
    { pricePerSms: '0.50', scheduled: coming },
  ])
  await give(client.id)
  expect((await client.get('/api/numbers')).body).toMatchObject([{ usdPerSms: '0.5', scheduled: coming }])
  expect((await client.get(`/api/numbers/${id}/prices`)).body).toMatchObject([
    { usdPerSms: '0.045', from: 'number', validFrom: startsAt, validTo: null },
    { usdPerSms: '0.5', from: 'number', validTo: startsAt },
  ])
  expect((await support.get(`/api/numbers/${id}`)).body.scheduled.setBy).toBe(support.username)
  // A change of now leaves what waits, and so does one of another field.
  expect((await support.put(path, { pricePerSms: '0.60' })).body).toMatchObject({
    pricePerSms: '0.60',
    scheduled: { rate: '0.045' },
  })
  expect((await support.put(path, { operator: 'BT' })).body.scheduled.rate).toBe('0.045')
  expect((await support.delete(`${path}/scheduled`)).status).toBe(204)
  expect(await item()).toMatchObject({ pricePerSms: '0.60', scheduled: null })
  expect((await support.delete(`${path}/scheduled`)).status).toBe(404)
  expect((await support.delete('/api/number-inventory/999/scheduled')).status).toBe(404)
  const entries = await rows<{ action: string; before: object; after: object | null }>(
    db,
    sql`select action, before, after from audit_entries where object_type = 'number' order by id`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'number.create',
    'number.edit',
    'number.edit',
    'number.assign',
    'number.edit',
    'number.edit',
    'number.cancel_scheduled',
  ])
  expect(entries[1]?.after).toMatchObject({ scheduled: { rate: '0.40', startsAt } })
  expect(entries.at(-1)?.before).toEqual({ rate: '0.045', startsAt })
})

test('a message has the price of its own time on every node and after a restart', async () => {
  const { db, support, client, path, startDue, give, item } = await openEnvironment()
  await give(client.id)
  const nodes = [await loadPricing(db), await loadPricing(db)]
  await support.put(path, { pricePerSms: '0.045', startsAt: inMinutes(60) })
  await startIn(db, 60)
  await startDue()
  expect(await item()).toMatchObject({ pricePerSms: '0.50', scheduled: { rate: '0.045' } })
  const startMs = await startIn(db, 4)
  await Promise.all([startDue(), startDue()])
  nodes.push(await loadPricing(db))
  for (const node of nodes) {
    await node.refresh(db)
    expect([startMs - 1, startMs].map((at) => priceAt(node, client.id, at).rateMicro)).toEqual([
      500_000, 45_000,
    ])
  }
  expect(await item()).toMatchObject({ scheduled: null, version: 4 })
  // What a client earns is told by the clock.
  expect((await client.get('/api/numbers')).body[0].usdPerSms).toBe('0.5')
  // It is written by now, and starts in a few seconds.
  for (const body of [{ pricePerSms: '0.60' }, { pricePerSms: '0.60', startsAt: inMinutes(60) }]) {
    const answer = await support.put(path, body)
    expect([answer.status, answer.body.message]).toEqual([
      409,
      expect.stringContaining('starts in a few seconds'),
    ])
  }
  expect((await support.put(path, { operator: 'BT' })).status).toBe(200)
  expect((await support.delete(`${path}/scheduled`)).status).toBe(404)
})

test('one that is late, because no gateway ran at its start, starts now; an empty one ends the own price', async () => {
  const { db, support, client, path, startDue, give, item } = await openEnvironment()
  await give(client.id)
  const { body: seen } = await support.put(path, { pricePerSms: '', startsAt: inMinutes(60) })
  expect(seen.scheduled.rate).toBe('')
  const lateMs = await startIn(db, -30)
  await startDue()
  const pricing = await loadPricing(db)
  expect(priceAt(pricing, client.id, lateMs + 1)).toMatchObject({ rateMicro: 500_000, from: 'number' })
  expect(priceAt(pricing, client.id, Date.now() + 60_000)).toMatchObject({ from: 'global' })
  expect(await item()).toMatchObject({ pricePerSms: '', usdPerSms: '0.05', scheduled: null })
  // A form from before the start would bring the old price back.
  const late = await support.put(path, { pricePerSms: '0.50', version: seen.version })
  expect([late.status, late.body.code]).toEqual([409, 'stale'])
})

test('a price that waits stays with its number when it changes hands, and goes with a deleted one', async () => {
  const { db, person, support, client, id, path, startDue, give } = await openEnvironment()
  const other = await person('user')
  await give(client.id)
  await support.put(path, { pricePerSms: '0.045', startsAt: inMinutes(60) })
  await support.put(`${path}/unassign`)
  await give(other.id)
  expect((await client.get('/api/numbers')).body).toEqual([])
  expect((await other.get('/api/numbers')).body).toMatchObject([{ scheduled: { rate: '0.045' } }])
  // What its callers pay is another matter.
  const range = { rangeNumber: '0909', startNumber: '449098790000', endNumber: '449098799999', rate: '1.50' }
  const { body: made } = await support.post('/api/ranges', range)
  await support.put(`/api/ranges/${made.id}`, { rate: '2.00' })
  const startMs = await startIn(db, 2)
  await startDue()
  expect(priceAt(await loadPricing(db), other.id, startMs).rateMicro).toBe(45_000)

  const { body } = await support.post('/api/number-inventory', { number: '449098790143' })
  await support.put(`/api/number-inventory/${body.id}`, { pricePerSms: '0.03', startsAt: inMinutes(60) })
  await support.delete(`/api/premium-numbers/${body.id}`)
  expect(await row(db, sql`select 1 from scheduled_rates`)).toBeUndefined()
  const deleted = await row<{ before: object }>(
    db,
    sql`select before from audit_entries where action = 'number.delete' and object_id <> ${String(id)}`,
  )
  expect(deleted?.before).toMatchObject({ scheduled: { rate: '0.03' } })
  // The same digits again begin without it.
  const again = await support.post('/api/number-inventory', { number: '449098790143' })
  expect(again.body.scheduled).toBeNull()
})

test('a start needs a price, is a minute to a year ahead, and is for staff who do not hold the number', async () => {
  const { person, support, path, give, item } = await openEnvironment()
  for (const minutes of [-5, 0.5, 366 * 1440 + 1])
    expect(
      (await support.put(path, { pricePerSms: '0.40', startsAt: inMinutes(minutes) })).body.fields,
    ).toEqual({
      startsAt: expect.stringContaining('one year'),
    })
  const startsAt = inMinutes(60)
  const without = await support.put(path, { startsAt })
  expect([without.status, without.body.fields]).toEqual([400, { pricePerSms: expect.any(String) }])
  const made = { number: '449098790144', pricePerSms: '0.40', startsAt }
  expect((await support.post('/api/number-inventory', made)).body.fields).toEqual({
    startsAt: expect.any(String),
  })
  await support.put(path, { pricePerSms: '0.40', startsAt })
  for (const role of ['user', 'test'] as const) {
    const stranger = await person(role)
    expect((await stranger.put(path, { pricePerSms: '0.60', startsAt })).status).toBe(403)
    expect((await stranger.delete(`${path}/scheduled`)).status).toBe(403)
  }
  const holder = await person('support')
  await give(holder.id)
  expect((await holder.put(path, { pricePerSms: '0.60', startsAt })).status).toBe(403)
  expect((await holder.delete(`${path}/scheduled`)).status).toBe(403)
  expect((await item()).scheduled.rate).toBe('0.40')
})
