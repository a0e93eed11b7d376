import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row, rows } from '../../platform/db.ts'
import { loadPricing } from '../../rates/index.ts'
import { openTestNumbers, type TestPerson } from '../../../test/traffic/numbers.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')
const admin = await environment.person('admin')
const clients: TestPerson[] = [await environment.person('user'), await environment.person('user')]
const [alice, bob] = clients as [TestPerson, TestPerson]

let last = 449_090_000_000
const nextDigits = () => String((last += 1))
const stock = async (extra: object = {}) =>
  (await support.post('/api/number-inventory', { number: nextDigits(), ...extra })).body

test('an inventory item has its own price, 0.50 by default, and is available', async () => {
  const { status, body } = await support.post('/api/number-inventory', {
    number: '+44 (909) 879-0142',
    countryCode: 'GB',
    operator: 'BT',
  })
  expect([status, body]).toMatchObject([
    201,
    {
      number: '449098790142',
      countryCode: 'GB',
      country: 'United Kingdom',
      operator: 'BT',
      pricePerSms: '0.50',
      status: 'available',
      assignedTo: null,
    },
  ])
  const premium = await support.get('/api/premium-numbers?search=449098790142')
  expect(premium.body).toMatchObject([{ id: body.id, countryCode: '+44', rate: '0.00' }])
})

test('a country is accepted in several forms and stored in one', async () => {
  for (const [entered, kept] of [
    ['gb', 'GB'],
    ['44', '+44'],
    [' +44 ', '+44'],
    ['', '+44'],
  ])
    expect((await stock({ countryCode: entered })).countryCode).toBe(kept)
  const { id } = await stock({ countryCode: 'SE' })
  const edited = await support.put(`/api/number-inventory/${id}`, { countryCode: 'QQ' })
  expect([edited.status, Object.keys(edited.body.fields)]).toEqual([400, ['countryCode']])
  const { text } = await support.get('/api/premium-numbers/export')
  const back = await support.post('/api/premium-numbers/import?dryRun=true', { data: text })
  expect(back.body).toMatchObject({ faultCount: 0 })
})

test('a number that exists without a price gets one; with a price it is taken', async () => {
  const number = nextDigits()
  const made = await support.post('/api/premium-numbers', { number, rate: '1.50' })
  const [unpriced] = (await support.get(`/api/number-inventory?search=${number}`)).body
  expect(unpriced).toMatchObject({ pricePerSms: '', usdPerSms: '0.05' })
  const priced = await support.post('/api/number-inventory', { number, pricePerSms: 0.123456 })
  expect([priced.status, priced.body]).toMatchObject([
    201,
    { id: made.body.id, pricePerSms: '0.123456', usdPerSms: '0.123456' },
  ])
  const again = await support.post('/api/number-inventory', { number })
  expect([again.status, again.body.code, again.body.fields]).toMatchObject([
    409,
    'taken',
    { number: expect.any(String) },
  ])
})

test('one form adds and changes all of a number; what it leaves out stays with a number of the list', async () => {
  const number = nextDigits()
  const fields = { description: 'Quiz', rate: '1.50', type: 'standard', operator: 'BT' }
  const bare = await support.post('/api/number-inventory', { number, ...fields, pricePerSms: '' })
  expect([bare.status, bare.body.pricePerSms]).toEqual([201, ''])
  expect((await support.post('/api/number-inventory', { number, pricePerSms: '' })).status).toBe(409)
  expect((await support.post('/api/number-inventory', { number, pricePerSms: '0.40' })).status).toBe(201)
  const path = `/api/numbers/${bare.body.id}`
  const kept = (await support.get(path)).body
  expect(kept).toMatchObject({ ...fields, pricePerSms: '0.40', status: 'active', usdPerSmsNow: '0.4' })
  const edit = { description: 'Vote', status: 'inactive', pricePerSms: '0.30', version: kept.version }
  expect((await support.put(`/api/number-inventory/${bare.body.id}`, edit)).status).toBe(200)
  const { version: _version, ...shown } = edit
  expect((await support.get(path)).body).toMatchObject({ ...fields, ...shown })
})

test('bad prices and numbers are refused with the field named', async () => {
  for (const [field, body] of [
    ['countryCode', { number: nextDigits(), countryCode: 'x' }],
    ['countryCode', { number: nextDigits(), countryCode: 'ZZ' }],
    ['countryCode', { number: nextDigits(), countryCode: 'GBR' }],
    ['countryCode', { number: nextDigits(), countryCode: '=1+1' }],
    ['countryCode', { number: nextDigits(), countryCode: '+12345' }],
    ['pricePerSms', { number: nextDigits(), pricePerSms: '0' }],
    ['pricePerSms', { number: nextDigits(), pricePerSms: '-1' }],
    ['pricePerSms', { number: nextDigits(), pricePerSms: '100.000001' }],
    ['pricePerSms', { number: nextDigits(), pricePerSms: '1e3' }],
    ['pricePerSms', { number: nextDigits(), pricePerSms: '0.1234567' }],
    ['number', { number: '12ab' }],
    ['number', { number: '0' }],
    ['number', { number: '1234567890123456' }],
    ['number', {}],
    ['operator', { number: nextDigits(), operator: 'a\nb' }],
  ] as const) {
    const { status, body: answer } = await support.post('/api/number-inventory', body)
    expect([status, Object.keys(answer.fields)]).toEqual([400, [field]])
  }
})

test('what a number earned its holder in the open cycle stands in the lists of staff and of the client', async () => {
  const item = await stock()
  expect(item.earned).toBe('')
  await support.put(`/api/number-inventory/${item.id}/assign`, { userId: alice.id })
  const earned = async () => [
    (await support.get(`/api/number-inventory?search=${item.number}`)).body[0].earned,
    (await alice.get(`/api/numbers?search=${item.number}`)).body[0].earned,
  ]
  expect(await earned()).toEqual(['0.00', '0.00'])
  const cycle = async (startsAt: string, closedAt: string | null) =>
    (
      await rows<{ id: number }>(
        db,
        sql`insert into cycles (starts_at, ends_at, closed_at)
            values (${startsAt}, ${startsAt}::timestamptz + interval '7 days', ${closedAt}) returning id`,
      )
    )[0]?.id
  const [past, open] = [await cycle('2026-11-02', '2026-11-09'), await cycle('2026-11-09', null)]
  await sql`insert into record_line_sums values
    (${past}, ${alice.id}, ${item.id}, 1, 0, 10, 9000000),
    (${open}, ${alice.id}, ${item.id}, 1, 0, 4, 200000),
    (${open}, ${alice.id}, ${item.id}, 2, 1, 2, 1000000),
    (${open}, ${bob.id}, ${item.id}, 1, 0, 5, 5000000)`.execute(db)
  expect(await earned()).toEqual(['1.20', '1.20'])
})

test('assigning gives the number a holder and an account number, and the client sees it', async () => {
  const item = await stock()
  const assigned = await support.put(`/api/number-inventory/${item.id}/assign`, { userId: alice.id })
  expect(assigned.body).toMatchObject({
    status: 'assigned',
    assignedTo: alice.id,
    assignedUsername: alice.username,
  })
  const own = await alice.get(`/api/numbers?search=${item.number}`)
  expect(own.body).toMatchObject([
    {
      phoneNumber: item.number,
      clientName: alice.username,
      accountNumber: expect.stringMatching(/^ACC-\d{4,}$/),
    },
  ])
  expect((await bob.get(`/api/numbers?search=${item.number}`)).body).toEqual([])
  const freed = await support.put(`/api/number-inventory/${item.id}/unassign`)
  expect(freed.body).toMatchObject({ status: 'available', assignedTo: null, assignedFrom: null })
  const second = await support.put(`/api/number-inventory/${item.id}/assign`, { userId: bob.id })
  expect(second.status).toBe(200)
  const held = await rows<{ user_id: number; open: boolean }>(
    db,
    sql`select user_id, held_to is null as open from number_holders where number_id = ${item.id} order by held_from`,
  )
  expect(held).toEqual([
    { user_id: alice.id, open: false },
    { user_id: bob.id, open: true },
  ])
  const after = await bob.get(`/api/numbers?search=${item.number}`)
  expect(after.body[0].accountNumber).toBe(own.body[0].accountNumber)
})

test('nobody assigns a number to himself; undoing gives back what one had, unless its price was changed', async () => {
  const [mine, priced] = [await stock(), await stock()]
  const ids = [mine.id, priced.id]
  const assign = (by: TestPerson) => by.post('/api/number-inventory/assign', { ids, userId: support.id })
  const refused = await assign(support)
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'This is your own account. Somebody else must do it.',
  ])
  expect((await assign(admin)).status).toBe(200)
  const freed = await support.post('/api/number-inventory/unassign', { ids })
  expect((await support.put(`/api/number-inventory/${priced.id}`, { pricePerSms: '90' })).status).toBe(200)
  const undone = await support.post(`/api/number-changes/${freed.body.changeId}/undo`, {})
  expect(undone.body).toEqual({ restoredCount: 1, leftCount: 1 })
  const found = await support.get(`/api/number-inventory?search=${mine.number}`)
  expect(found.body).toMatchObject([{ assignedTo: support.id }])
})

test('a suspended number, a second holder, an unknown or inactive user are refused', async () => {
  const item = await stock()
  const assign = (body: object) => support.put(`/api/number-inventory/${item.id}/assign`, body)
  expect((await assign({ userId: 999_999 })).body).toMatchObject({
    code: 'invalid',
    fields: { userId: expect.any(String) },
  })
  expect((await assign({ userId: 'x' })).status).toBe(400)
  expect((await assign({})).status).toBe(400)
  const inactive = await environment.person('user', 'suspended')
  expect((await assign({ userId: inactive.id })).status).toBe(409)
  expect((await support.put(`/api/number-inventory/${item.id}/suspend`)).body.status).toBe('suspended')
  expect((await support.put(`/api/number-inventory/${item.id}/suspend`)).status).toBe(409)
  expect((await assign({ userId: alice.id })).status).toBe(409)
  expect((await support.put(`/api/number-inventory/${item.id}/resume`)).body.status).toBe('available')
  expect((await assign({ userId: alice.id })).status).toBe(200)
  expect((await assign({ userId: bob.id })).status).toBe(409)
  expect((await support.put(`/api/number-inventory/${item.id}/unassign`)).status).toBe(200)
  expect((await support.put(`/api/number-inventory/${item.id}/unassign`)).status).toBe(409)
  for (const id of ['999999', '99999999999999999', '0'])
    expect((await support.put(`/api/number-inventory/${id}/assign`, { userId: alice.id })).status).toBe(404)
})

test('only an admin backdates, never into the future nor over another holder', async () => {
  const item = await stock()
  const path = `/api/number-inventory/${item.id}/assign`
  const from = '2026-01-01T00:00:00Z'
  expect((await support.put(path, { userId: alice.id, from })).status).toBe(403)
  const future = new Date(Date.now() + 60_000).toISOString()
  expect((await admin.put(path, { userId: alice.id, from: future })).body.fields).toEqual({
    from: expect.any(String),
  })
  expect((await admin.put(path, { userId: alice.id, from: 'yesterday' })).status).toBe(400)
  const assigned = await admin.put(path, { userId: alice.id, from })
  expect(assigned.body).toMatchObject({ status: 'assigned', assignedFrom: '2026-01-01T00:00:00.000Z' })
  await support.put(`/api/number-inventory/${item.id}/unassign`)
  const over = await admin.put(path, { userId: bob.id, from: '2026-02-01T00:00:00Z' })
  expect([over.status, over.body.code]).toEqual([409, 'taken'])
  const entry = (await loadPricing(db)).find(item.number)
  expect(entry?.holderAt(Date.parse(from) - 1)).toBe(0)
  expect(entry?.holderAt(Date.parse(from))).toBe(alice.id)
  expect(entry?.holderAt(Date.now() + 1_000)).toBe(0)
})

test('several numbers are assigned to one user, all or none', async () => {
  const items = [await stock(), await stock(), await stock()]
  const ids = items.map(({ id }) => id)
  await support.put(`/api/number-inventory/${ids[2]}/suspend`)
  expect((await support.post('/api/number-inventory/assign', { ids, userId: alice.id })).status).toBe(409)
  expect((await support.get(`/api/number-inventory?search=${items[0].number}`)).body[0].status).toBe(
    'available',
  )
  const some = await support.post('/api/number-inventory/assign', { ids: ids.slice(0, 2), userId: alice.id })
  expect(some.body).toEqual({ changed: 2, changeId: expect.any(String) })
  const gone = await support.post('/api/number-inventory/assign', { ids: ['123456'], userId: alice.id })
  expect(gone.status).toBe(404)
})

test('the price has a history, and an empty one returns the number to the weekly bill', async () => {
  const item = await stock({ pricePerSms: '0.25' })
  const path = `/api/number-inventory/${item.id}`
  expect((await support.put(path, { pricePerSms: '0.30', version: item.version })).body.pricePerSms).toBe(
    '0.30',
  )
  expect((await support.put(path, { pricePerSms: '0.40', version: item.version })).body.code).toBe('stale')
  expect((await support.put(path, { operator: 'EE' })).body).toMatchObject({
    operator: 'EE',
    pricePerSms: '0.30',
  })
  expect((await support.put(path, { pricePerSms: '' })).body.pricePerSms).toBe('')
  const history = await rows<{ rate_micro: string | null }>(
    db,
    sql`select rate_micro from rates where number_id = ${item.id} order by id`,
  )
  expect(history.map((rate) => rate.rate_micro)).toEqual(['250000', '300000', null])
  const pricing = await loadPricing(db)
  const entry = pricing.find(item.number)
  if (entry === undefined) throw new Error('not found')
  // A late message from before the number was entered gets its first price.
  expect(pricing.rateFor(entry, 0, Date.UTC(2020, 0, 1))).toMatchObject({
    rateMicro: 250_000,
    from: 'number',
  })
  expect(pricing.rateFor(entry, 0, Date.now() + 1_000)).toMatchObject({ rateMicro: 50_000, from: 'global' })
})

test('lists are paged by every sort without loss or repetition, and filtered by status and country', async () => {
  const france = ['33900000001', '33900000002', '33900000003', '33900000004', '33900000005']
  for (const number of france)
    await support.post('/api/number-inventory', { number, countryCode: 'FR', pricePerSms: '0.70' })
  for (const sort of ['createdAt', 'number', 'pricePerSms', 'assignedTo'])
    for (const order of ['asc', 'desc']) {
      const seen: string[] = []
      let path: string | undefined = `/api/number-inventory?country=FR&limit=2&sort=${sort}&order=${order}`
      while (path !== undefined) {
        const page = await support.get(path)
        seen.push(...page.body.map((item: { number: string }) => item.number))
        path = page.next
      }
      expect([sort, order, seen.toSorted()]).toEqual([sort, order, france])
    }
  const summary = await support.get('/api/number-inventory/summary?country=FR')
  expect(summary.body).toMatchObject({ count: 5, available: 5, assigned: 0, suspended: 0 })
  expect(summary.body.countries).toContain('FR')
  expect((await support.get('/api/number-inventory?cursor=nonsense')).status).toBe(400)
  const csv = await support.get('/api/number-inventory/export?country=FR')
  expect(csv.headers['content-type']).toContain('text/csv')
  expect(csv.text.trim().split('\r\n')).toHaveLength(6)
})

test('a country filter finds its numbers, whether they have a name or a code', async () => {
  await support.post('/api/number-inventory', {
    number: '81312345601',
    countryCode: 'JP',
    pricePerSms: '0.70',
  })
  await support.post('/api/premium-numbers', { number: '81312345602' })
  await support.post('/api/premium-numbers', {
    number: '81312345603',
    country: 'Elsewhere',
    countryCode: '+81',
  })
  const found = async (country: string) =>
    (await support.get(`/api/number-inventory?country=${encodeURIComponent(country)}`)).body
      .map((item: { number: string }) => item.number)
      .toSorted()
  expect(await found('JP')).toEqual(['81312345601', '81312345602'])
  expect(await found('Japan')).toEqual(['81312345601', '81312345602'])
  expect(await found('+81')).toEqual(['81312345601', '81312345602', '81312345603'])
  expect(await found('AU')).toEqual([])
})

test('each change leaves one audit entry', async () => {
  const before = await row<{ n: number }>(db, sql`select count(*)::int as n from audit_entries`)
  const item = await stock()
  await support.put(`/api/number-inventory/${item.id}/assign`, { userId: alice.id })
  await support.put(`/api/number-inventory/${item.id}/unassign`)
  await support.put(`/api/number-inventory/${item.id}/suspend`)
  await support.put(`/api/number-inventory/${item.id}/resume`)
  const entries = await rows<{ action: string }>(
    db,
    sql`select action from audit_entries order by id offset ${before?.n ?? 0}`,
  )
  expect(entries.map(({ action }) => action)).toEqual([
    'number.create',
    'number.assign',
    'number.unassign',
    'number.suspend',
    'number.resume',
  ])
})
