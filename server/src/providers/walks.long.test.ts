// From a provider's rows to records, once each: pages, repeats, reports, and who polls.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { type StandInRow } from '../../test/stand-ins/provider.ts'
import { openTestProviders, secondsAgo } from '../../test/traffic/providers.ts'
import { row } from '../platform/db.ts'
import { readBody } from '../ingest/index.ts'
import { testSecrets, totals } from '../ingest/testing/traffic.ts'

const { environment, call, db, numbers, standIn, add, sms, recordsAre, anotherPoll } =
  await openTestProviders()

function withoutId(row: StandInRow): StandInRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'id'))
}

test('a row becomes a record with the provider’s time, our price and its text', async () => {
  const at = new Date(Date.now() - 90_000).toISOString()
  standIn.rows = [sms({ timestamp: at, text: 'Grüße' }), sms({ text: 'שלום 👋', sender: 4915112345678 })]
  const { name } = await add()
  await recordsAre(2)
  const [first, second] = await environment.records()
  expect(first).toMatchObject({ sender: 'ACME', number: numbers[0], gateway: name, no_report: 0 })
  expect(first!.created_at.toISOString()).toBe(at)
  expect(Number(first!.amount_micro)).toBe(50_000)
  expect(second!.sender).toBe('4915112345678')
  const text = await readBody(db, testSecrets, BigInt(first!.id))
  expect(Buffer.from(text!.body).toString('latin1')).toBe('Grüße')
  const other = await readBody(db, testSecrets, BigInt(second!.id))
  expect([other!.dataCoding, Buffer.from(other!.body).swap16().toString('utf16le')]).toEqual([8, 'שלום 👋'])
  const sums = await totals(db)
  expect(sums.facts.count).toBe(2)
})

test('a row that comes again and again is one record, and `since` is a little before the newest row', async () => {
  standIn.heedsSince = false
  standIn.rows = [sms(), sms()]
  const { id } = await add()
  await recordsAre(2)
  await anotherPoll()
  expect(await environment.records()).toHaveLength(2)
  expect(standIn.requests[0]!.since).toBe('1970-01-01T00:00:00.000Z')
  expect(standIn.requests.every(({ since }) => since !== null)).toBe(true)
  const newestMs = Date.parse(String((standIn.rows[1] as StandInRow).timestamp))
  const later = Date.parse(standIn.requests.at(-1)!.since!)
  expect(later).toBeLessThanOrEqual(newestMs - 2_000)
  expect(later).toBeGreaterThanOrEqual(newestMs - 3_700_000)
  expect(await environment.worker(id)).toMatchObject({ status: 'running', messagesSynced: 2, errors: 0 })
})

test('rows that come late and out of order are stored, also from long before the newest', async () => {
  standIn.rows = [sms({ timestamp: secondsAgo(60) })]
  await add()
  await recordsAre(1)
  standIn.rows = [sms({ timestamp: secondsAgo(10) }), ...standIn.rows, sms({ timestamp: secondsAgo(75) })]
  await recordsAre(3)
  standIn.rows.push(sms({ timestamp: secondsAgo(1_800) }))
  await recordsAre(4, 60_000)
})

test('two equal rows without id are two messages, also over several pages and when they come again', async () => {
  const [twin, other] = [withoutId(sms()), withoutId(sms())]
  standIn.pageSize = 2
  standIn.rows = [twin, other, { ...twin }, twin, other]
  await add()
  await recordsAre(5)
  await anotherPoll()
  expect(await environment.records()).toHaveLength(5)
  standIn.rows = [other, twin]
  await anotherPoll()
  expect(await environment.records()).toHaveLength(5)
})

test('all pages are read, and an interrupted walk continues from its cursor', async () => {
  standIn.pageSize = 10
  standIn.rows = Array.from({ length: 95 }, () => sms())
  standIn.script(undefined, undefined, undefined, { status: 500 })
  const { id } = await add()
  await recordsAre(95)
  const cursors = standIn.requests.map(({ cursor }) => cursor)
  expect(cursors.slice(0, 5)).toEqual([null, '10', '20', '30', '30'])
  expect(cursors.filter((cursor) => cursor === '10')).toHaveLength(1)
  await eventually(async () =>
    expect(await environment.worker(id)).toMatchObject({ status: 'running', errors: 1 }),
  )
})

test('a cursor that leads back to an earlier one ends the list; what it repeats without an id is not stored again', async () => {
  const twin = withoutId(sms())
  const first = [sms(), twin]
  const last = [sms(), twin]
  standIn.onRequest = ({ cursor }) => {
    standIn.rows = cursor === null ? first : cursor === 'b' ? last : []
  }
  standIn.always('a loop of cursors')
  const { id } = await add()
  await recordsAre(3)
  await anotherPoll()
  expect(await environment.records()).toHaveLength(3)
  expect(await environment.worker(id)).toMatchObject({ status: 'running', errors: 0 })
  // The walk is at its end, so the next one begins behind its rows.
  await eventually(async () =>
    expect(
      await row(
        db,
        sql`select cursor, newest is not null as "isRead" from provider_progress where provider_id = ${id}`,
      ),
    ).toEqual({ cursor: null, isRead: true }),
  )
})

test('a changed report follows the record, a changed amount or text does not', async () => {
  const first = sms({ status: 'pending' })
  standIn.rows = [first]
  await add()
  await recordsAre(1)
  expect((await environment.records())[0]!.no_report).toBe(1)
  standIn.rows = [{ ...first, status: 'DELIVRD', amount: '99', sender: 'OTHER' }]
  await eventually(async () => expect((await environment.records())[0]!.no_report).toBe(2))
  expect(await environment.records()).toMatchObject([{ sender: 'ACME', amount_micro: '50000' }])
  // A final report is not followed by an earlier stage.
  standIn.rows = [{ ...first, status: 'enroute' }]
  const polled = standIn.requests.length
  await eventually(async () => expect(standIn.requests.length).toBeGreaterThan(polled + 1))
  expect((await environment.records())[0]!.no_report).toBe(2)
})

test('ids that differ only in digits beyond a double’s precision are two ids', async () => {
  const [one, two] = [sms(), sms()].map((row) => JSON.stringify(withoutId(row)).slice(1))
  standIn.always({
    body: `{"records":[{"id":9007199254740992001,${one},{"id": 9007199254740992002,${two}]}`,
  })
  await add()
  await recordsAre(2)
})

test('a fraction of many digits beside such ids leaves the page readable', async () => {
  const [one, two] = [sms(), sms()].map((row) => JSON.stringify(withoutId(row)).slice(1))
  standIn.always({
    body: `{"records":[{"id":9007199254740992001,"price":0.30000000000000004,${one},{"id":9007199254740992002,"price":-1.2345678901234567e-7,${two}]}`,
  })
  const { id } = await add()
  await recordsAre(2)
  expect(await environment.worker(id)).toMatchObject({ status: 'running', lastError: '' })
})

test('a page of more rows than one transaction takes is stored whole, once', async () => {
  standIn.pageSize = 10_000
  standIn.rows = Array.from({ length: 9_500 }, () => sms())
  await add()
  await recordsAre(9_500, 60_000)
  const { count } = (await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from provider_messages`,
  ))!
  expect(count).toBe(9_500)
})

test('a provider that was deleted and made again does not bring its records twice', async () => {
  standIn.rows = [sms(), sms()]
  const { id, name } = await add()
  await recordsAre(2)
  expect((await call('DELETE', `/api/providers/${id}`)).status).toBe(200)
  const again = await add({ name: name.toUpperCase() })
  standIn.rows.push(sms())
  await recordsAre(3)
  await anotherPoll()
  expect(await environment.records()).toHaveLength(3)
  expect(again.name).toBe(name.toUpperCase())
})
