// A carrier's counts against the counters: by day and number, by day and status, of all suppliers or of one.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'

const { db, call } = await openTestBilling()
await sql`insert into gateways (source, name) values (0, 'north'), (1, 'north'), (0, 'south')`.execute(db)
await sql`insert into record_number_days (day, client_id, number_id, range_id, gateway_id, record_count, bill_micro, amount_micro)
  values ('2026-03-01', 1, 1, 0, 1, 100, 0, 0), ('2026-03-01', 2, 1, 0, 2, 20, 0, 0), ('2026-03-01', 1, 1, 0, 3, 7, 0, 0),
    ('2026-03-02', 1, 1, 0, 1, 50, 0, 0), ('2026-03-01', 2, 2, 0, 1, 9, 0, 0)`.execute(db)
await sql`insert into record_day_counters (day, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro)
  values ('2026-03-01', -1, -1, -1, 2, 130, 0, 0), ('2026-03-01', -1, -1, -1, 3, 6, 0, 0),
    ('2026-03-01', -1, -1, 1, 2, 109, 0, 0), ('2026-03-01', 1, -1, -1, 2, 107, 0, 0)`.execute(db)

const compare = (data: string, query = '') =>
  call(4, 'POST', `/api/integrity/carrier-counts${query}`, { body: { data } })
const one = '447700000001'
const two = '447700000002'
const difference = (day: string, number: string, theirCount: number, ourCount: number) => ({
  day,
  number,
  status: null,
  theirCount,
  ourCount,
})

test('lines of a day and number are added up and compared; what only we counted is a difference too', async () => {
  const { body } = await compare(`Date,B-Number,Qty
2026-03-01,+${one},100
2026-03-01,${one},27
2026-03-02,${one},45
2026-03-02,${two},3
2026-03-01,449999999,4`)
  expect(body).toEqual({
    lineCount: 5,
    faults: [],
    faultCount: 0,
    sameCount: 1,
    theirCount: 179,
    ourCount: 186,
    differenceCount: 4,
    differences: [
      difference('2026-03-01', two, 0, 9),
      difference('2026-03-02', one, 45, 50),
      difference('2026-03-01', '449999999', 4, 0),
      difference('2026-03-02', two, 3, 0),
    ],
  })
})

test('one supplier is all sources of its name', async () => {
  const { body } = await compare(`day,number,count\n2026-03-01,${one},120`, '?gateway=north')
  expect([body.sameCount, body.differenceCount]).toEqual([1, 0])
  expect((await compare(`day,number,count\n2026-03-01,${one},120`, '?gateway=west')).status).toBe(400)
})

test('a line of a status, or of a day alone, is compared with the counters of all numbers', async () => {
  const { body } = await compare(
    'day,status,count\n2026-03-01,completed,131\n2026-03-01,failed,6\n2026-03-01,,136',
  )
  expect(body).toMatchObject({ sameCount: 2, differenceCount: 1 })
  expect(body.differences).toEqual([
    { day: '2026-03-01', number: '', status: 'completed', theirCount: 131, ourCount: 130 },
  ])
})

test('a faulty line is named and not compared', async () => {
  const { body } = await compare(`day,number,status,count
01/03/2026,${one},,1
2026-03-01,x,,1
2026-03-01,${one},failed,1
2026-03-01,,lost,1
2026-03-01,${one},,many
2026-03-01,${one},,127`)
  expect(body).toMatchObject({ lineCount: 6, faultCount: 5, sameCount: 1, differenceCount: 0 })
  expect(
    (await call(1, 'POST', '/api/integrity/carrier-counts', { body: { data: 'day,count' } })).status,
  ).toBe(403)
})
