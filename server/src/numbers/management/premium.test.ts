import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../../platform/db.ts'
import { loadCatalog } from '../index.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')
const user = await environment.person('user')
const tester = await environment.person('test')
const path = '/api/premium-numbers'

let last = 449_091_000_000
const nextDigits = () => String((last += 1))
const add = async (extra: object = {}) => (await support.post(path, { number: nextDigits(), ...extra })).body

test('a number is added with its input, and the other fields follow from its digits', async () => {
  const answer = await support.post(path, {
    number: '+49 900 1234567',
    description: 'Quiz',
    rate: 1.99,
    status: 'active',
    country: '',
    countryCode: '',
  })
  expect([answer.status, answer.body]).toMatchObject([
    201,
    {
      number: '499001234567',
      description: 'Quiz',
      rate: '1.99',
      country: 'Germany',
      countryCode: '+49',
      type: 'premium',
    },
  ])
  expect(typeof answer.body.id).toBe('string')
})

test('a short code is a number too', async () => {
  const { status, body } = await support.post(path, { number: '77912', rate: '1.00' })
  expect([status, body.number]).toEqual([201, '77912'])
})

test('a number that exists is refused with 409, and bad fields are named', async () => {
  const number = nextDigits()
  const answers = await Promise.all(Array.from({ length: 10 }, () => support.post(path, { number })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201,
    ...Array.from({ length: 9 }, () => 409),
  ])
  for (const [field, extra] of [
    ['rate', { rate: '-1' }],
    ['rate', { rate: '100001' }],
    ['status', { status: 'gone' }],
    ['countryCode', { countryCode: 'abc' }],
    ['description', { description: 'x'.repeat(501) }],
    ['country', { country: 'a\u0000b' }],
    ['number', { number: '+0123456' }],
    ['type', { type: 'free' }],
  ] as const) {
    const { status, body } = await support.post(path, { number: nextDigits(), ...extra })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
  }
})

test('an edit changes only the fields that it names', async () => {
  const made = await add({ description: 'Old', rate: '0.90', country: 'Atlantis', countryCode: '+99' })
  const edited = await support.put(`${path}/${made.id}`, { description: 'New' })
  expect(edited.body).toEqual({ ...made, description: 'New', version: made.version + 1 })
  const stale = await support.put(`${path}/${made.id}`, { description: 'Late', version: made.version })
  expect([stale.status, stale.body.code]).toEqual([409, 'stale'])
  const suspended = await support.put(`${path}/${made.id}`, { ...edited.body, status: 'suspended' })
  expect(suspended.body).toMatchObject({ description: 'New', status: 'suspended', country: 'Atlantis' })
})

test("sending a form back does not make the range's tariff the number's own", async () => {
  const range = await support.post('/api/ranges', {
    rangeNumber: '0900',
    startNumber: '449091000000',
    endNumber: '449091999999',
    rate: '2.50',
  })
  const made = await add()
  expect(made.rate).toBe('2.50')
  const saved = await support.put(`${path}/${made.id}`, { ...made, description: 'touched' })
  expect(saved.body.rate).toBe('2.50')
  await support.put(`/api/ranges/${range.body.id}`, { rate: '3.00' })
  expect((await support.get(`${path}?search=${made.number}`)).body[0].rate).toBe('3.00')
  const own = await support.put(`${path}/${made.id}`, { rate: '0.10' })
  expect(own.body.rate).toBe('0.10')
  expect((await support.put(`${path}/${made.id}`, { rate: '' })).body.rate).toBe('3.00')
})

test('digits may be corrected until the first record', async () => {
  const made = await add()
  const right = nextDigits()
  expect((await support.put(`${path}/${made.id}`, { number: right })).body.number).toBe(right)
  const other = await add()
  expect((await support.put(`${path}/${made.id}`, { number: other.number })).status).toBe(409)
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, gateway_id, cycle_id,
      status, settlement, sender) values ('2026-03-03', 4096, now(), 0, 0, ${made.id}, 1, 1, 2, 0, '')`.execute(
    db,
  )
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    values (1, now(), 1, '2026-03-03', '2026-03-03', now())`.execute(db)
  // The other one's record was noted, and may be gone since.
  await sql`insert into record_numbers (client_id, number_id) values (0, ${other.id})`.execute(db)
  for (const { id } of [made, other]) {
    const refused = await support.put(`${path}/${id}`, { number: nextDigits() })
    expect([refused.status, refused.body.code]).toEqual([409, 'wrong_state'])
  }
})

test('a deleted number gets no messages and is in no list, its holding ends, and it can be added again', async () => {
  const made = await add()
  await support.put(`/api/number-inventory/${made.id}/assign`, { userId: user.id })
  expect((await support.delete(`${path}/${made.id}`)).status).toBe(200)
  expect((await support.delete(`${path}/${made.id}`)).status).toBe(404)
  expect((await support.put(`${path}/${made.id}`, {})).status).toBe(404)
  expect((await support.get(`${path}?search=${made.number}`)).body).toEqual([])
  expect((await loadCatalog(db)).find(made.number)).toBeUndefined()
  const holding = await row<{ open: number }>(
    db,
    sql`select count(*)::int as open from number_holders where number_id = ${made.id} and held_to is null`,
  )
  expect(holding?.open).toBe(0)
  const again = await support.post(path, { number: made.number })
  expect(again.status).toBe(201)
  expect(again.body.id).not.toBe(made.id)
})

test('several numbers change their status together, or none does', async () => {
  const made = [await add(), await add(), await add({ status: 'suspended' })]
  const ids = made.map(({ id }) => id)
  const none = await support.post(`${path}/status`, { ids: [...ids, '999999'], status: 'suspended' })
  expect(none.status).toBe(404)
  expect((await support.get(`${path}?search=${made[0].number}`)).body[0].status).toBe('active')
  const all = await support.post(`${path}/status`, { ids, status: 'suspended' })
  expect(all.body).toEqual({ changed: 2, changeId: expect.any(String) })
  expect((await support.post(`${path}/status`, { ids: [], status: 'active' })).status).toBe(400)
  expect((await loadCatalog(db)).find(made[0].number)?.status).toBe('suspended')
})

test('the summary counts under the filters and names the countries', async () => {
  await add({ country: 'Freedonia', countryCode: '+77' })
  await add({ country: 'Freedonia', countryCode: '+77', status: 'inactive' })
  const { body } = await support.get(`${path}/summary?country=Freedonia`)
  expect(body).toMatchObject({ count: 2, active: 1 })
  expect(body.countries).toContainEqual({ country: 'Freedonia', countryCode: '+77' })
})

test("wildcards and quotes in a search are only characters, and a number's plus and spaces do not matter", async () => {
  const made = await add({ description: "100% o'clock_" })
  const search = async (text: string) =>
    (await support.get(`${path}?search=${encodeURIComponent(text)}`)).body.map(
      (item: { id: string }) => item.id,
    )
  expect(await search("100% o'clock_")).toEqual([made.id])
  expect(await search('1__%')).toEqual([])
  expect(await search(`+${made.number.slice(0, 2)} ${made.number.slice(2)}`)).toEqual([made.id])
})

test('a user sees its own account numbers, staff all, and the test role masked ones that no search reveals', async () => {
  const [mine, theirs] = [await add({ description: 'held by the tester' }), await add()]
  await support.put(`/api/number-inventory/${mine.id}/assign`, { userId: tester.id })
  await support.put(`/api/number-inventory/${theirs.id}/assign`, { userId: user.id })
  expect((await user.get(`/api/numbers?search=${theirs.number}`)).body).toHaveLength(1)
  expect((await user.get(`/api/numbers?search=${mine.number}`)).body).toEqual([])
  expect((await support.get(`/api/numbers?search=${mine.number}`)).body).toHaveLength(1)
  for (const address of ['/api/numbers', '/api/numbers?sort=phoneNumber&limit=1', '/api/numbers/export']) {
    const answer = await tester.get(address)
    expect(answer.text).toContain(`••••${mine.number.slice(-4)}`)
    expect(answer.text).not.toContain(mine.number)
    expect(answer.text).not.toContain(theirs.number)
  }
  const foundBy = async (digits: string) => (await tester.get(`/api/numbers?search=${digits}`)).body.length
  // A search compares only the digits that stay readable.
  expect(await foundBy(mine.number.slice(-4))).toBe(1)
  expect(await foundBy(mine.number.slice(-5))).toBe(0)
  expect(await foundBy(mine.number.slice(0, 4))).toBe(0)
  expect((await tester.get('/api/numbers?search=held+by')).body).toHaveLength(1)
  expect((await tester.get('/api/numbers/summary')).body).toMatchObject({ count: 1, active: 1, premium: 1 })
})
