import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters, SmsRecord } from '@tollgate/contract/records/records.ts'
import { dayStart, offsetsOf } from '@tollgate/contract/zones.ts'
import { bufferRecords } from '../../../test/traffic/counters.ts'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { seededRandom } from '../../programs/demo/seeded-random.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { rows } from '../../platform/db.ts'
import { parseMessageId } from '../../ingest/message-id.ts'
import { testSecrets } from '../../ingest/testing/traffic.ts'
import { BlockIndexer } from '../search/index-blocks.ts'
import { explainSearch } from './explain-search.ts'
import { csvOf, exportRecords } from './export-records.ts'
import { listRecords } from './list-records.ts'
import { reportRecords, summariseRecords } from './totals.ts'
import type { Viewer } from './viewer.ts'

const { db, pool } = await openTestDatabase()
const clock = fixedClock('2026-03-04T12:00:00Z')
const around = { db, clock }
const exporting = {
  ...around,
  secrets: testSecrets,
  peerMessageIds: async () => new Map<number, string>(),
}
const builder = new BlockIndexer(db)
const staff: Viewer = { userId: 0, role: 'admin' }
const client: Viewer = { userId: 1, role: 'user' }
const tester: Viewer = { userId: 1, role: 'test' }

interface Fact {
  readonly id: number
  readonly at: number
  readonly number: string
  readonly clientId: number | null
  readonly client: string
  readonly range: string
  readonly gateway: string
  readonly alias: string
  readonly status: string
  readonly sender: string
  readonly bill: bigint
}
let facts: Fact[] = []
const dayMs = 86_400_000
const statuses = ['pending', 'in_progress', 'completed', 'failed', 'reported', 'no_report'] as const

beforeAll(async () => {
  await fillRecords(pool, {
    records: 30_000,
    days: 40,
    now: clock.now(),
    clients: 20,
    ranges: 8,
    numbers: 400,
  })
  while ((await builder.build()) > 0);
  await addStragglers()
  // Two suppliers may look like one to clients.
  await sql`update gateways set chosen_alias = 'Northern' where name in ('gateway4', 'gateway5')`.execute(db)
  facts = (
    await rows<
      Omit<Fact, 'id' | 'at' | 'bill' | 'status'> & { id: string; at: Date; bill: string; code: number }
    >(
      db,
      sql`select r.id, r.created_at as at, n.number, r.client_id as "clientId", coalesce(u.username, '') as client,
            coalesce(g.range_number, '') as range, w.name as gateway, w.alias, r.status as code, r.sender, r.bill_micro as bill
          from records r join numbers n on n.id = r.number_id left join users u on u.id = r.client_id
          left join ranges g on g.id = r.range_id join gateways w on w.id = r.gateway_id
          order by r.created_at desc, r.id desc`,
    )
  ).map(({ id, at, bill, code, ...rest }) => ({
    ...rest,
    id: Number(id),
    at: at.getTime(),
    bill: BigInt(bill),
    status: statuses[code] ?? '',
  }))
})

/** Unusual records: old times in new batches, without a holder, one batch over weeks; some not indexed yet. */
async function addStragglers(): Promise<void> {
  for (let batch = 0; batch < 12; batch += 1) {
    await sql`
      with made as (
        insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id,
          gateway_id, cycle_id, status, settlement, sender)
        select date_trunc('milliseconds', ${clock.now()}::timestamptz - (i * 17 % 40) * interval '1 day' - i * interval '7 ms'),
          (9000000 + ${batch}::bigint) * 4096 + i, now(), 1, 2, 1 + i % 400, case when i % 3 = 0 then null else 1 + i % 20 end,
          case when i % 5 = 0 then null else 1 + i % 8 end, 1 + i % 6, 1, i % 6, 1,
          case when i % 50 = ${batch} then 'Needle_' || ${batch}::int else '4917' || i end
        from generate_series(0, 149) i returning *
      ), batch as (
        insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
        select 9000000 + ${batch}::bigint, ${clock.now()}, count(*), min(created_at), max(created_at), ${clock.now()} from made
      )
      ${sql.raw(bufferRecords('made'))}`.execute(db)
    // The last four batches stay in the log's tail.
    if (batch === 7) while ((await builder.build()) > 0);
  }
}

const gatewayOf = ({ gateway, alias }: Fact, viewer: Viewer) => (viewer.role === 'admin' ? gateway : alias)

/** Whether it came within the minutes around the time of a day between these; without days in the last 31. */
function isAround(at: number, { time, within = 15, dateFrom, dateTo }: RecordFilters): boolean {
  if (time === undefined) return true
  const last = Date.parse(dateTo ?? clock.now().toISOString().slice(0, 10))
  const first = dateFrom === undefined ? last - 30 * dayMs : Date.parse(dateFrom)
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  for (let day = first; day <= last; day += dayMs) {
    const centre = day + minutes * 60_000
    if (at >= centre - within * 60_000 && at < centre + (within + 1) * 60_000) return true
  }
  return false
}

function isSent({ at, sender }: Fact, filters: RecordFilters): boolean {
  return isAround(at, filters) && sender.toLowerCase().includes((filters.sender ?? '').toLowerCase())
}

/** The records that match, newest first. Asked of millions of facts, so each ends at the first no. */
function matching(viewer: Viewer, filters: RecordFilters): Fact[] {
  const { search = '', status = 'all', client, range, gateway, number } = filters
  const needle = search.toLowerCase()
  // With a time the day is that of the time: a few minutes may lie on the next one.
  const days = filters.time === undefined ? filters : {}
  const fromMs = dayStart(days.dateFrom ?? '2000-01-01', filters.zone).getTime()
  const untilMs = dayStart(days.dateTo ?? '2100-01-01', filters.zone, 1).getTime()
  const meant = status === 'delivered' ? ['completed', 'reported'] : status === 'all' ? statuses : [status]
  return facts.filter(
    (fact) =>
      (viewer.role === 'admin' || fact.clientId === viewer.userId) &&
      fact.at >= fromMs &&
      fact.at < untilMs &&
      isSent(fact, filters) &&
      meant.some((word) => word === fact.status) &&
      fact.client === (client ?? fact.client) &&
      fact.range === (range ?? fact.range) &&
      gatewayOf(fact, viewer) === (gateway ?? gatewayOf(fact, viewer)) &&
      fact.number === (number ?? fact.number) &&
      [fact.number, fact.client, fact.sender.toLowerCase()].some((text) => text.includes(needle)),
  )
}

async function everyPage(
  viewer: Viewer,
  filters: RecordFilters,
  limit: number,
  pagesMax: number,
  order: 'asc' | 'desc' = 'desc',
): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const { items, next } = await listRecords(around, viewer, { ...filters, limit, cursor, order })
    ids.push(...items.map(({ id }) => parseMessageId(id)!.recordId))
    cursor = next
    if (next === undefined) break
  }
  return ids
}

const random = seededRandom(7)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const maybe = <T>(chance: number, value: () => T): T | undefined => (random() < chance ? value() : undefined)

function someFilters(): RecordFilters {
  const fact = pick(facts)
  const day = () =>
    new Date(clock.now().getTime() - Math.floor(random() * 41) * 86_400_000).toISOString().slice(0, 10)
  const [dateFrom, dateTo] = [day(), day()].toSorted()
  const time = maybe(0.2, () => `${String(Math.floor(random() * 24)).padStart(2, '0')}:3${pick([0, 5, 9])}`)
  const latest = new Date(Date.parse(dateFrom!) + 9 * dayMs).toISOString().slice(0, 10)
  return {
    ...(time !== undefined && { time, within: pick([5, 60, 660]) }),
    ...(time === undefined && {
      zone: maybe(0.4, () => pick(['Asia/Jerusalem', 'America/New_York', 'Asia/Kolkata'])),
    }),
    sender: maybe(0.2, () => pick([fact.sender, fact.sender.slice(1, 6), 'needle'])),
    search: maybe(0.5, () =>
      pick([
        fact.sender,
        fact.sender.slice(2, 2 + Math.ceil(random() * 8)),
        fact.number.slice(-5),
        fact.number.slice(3, 7),
        fact.client.slice(0, 7) || 'x',
        'needle_3',
        'NEEDLE_11',
        'zzz',
        '%',
      ]),
    ),
    status: maybe(0.4, () => pick([...statuses, 'delivered', 'all'] as const)),
    client: maybe(0.3, () => fact.client || 'client2'),
    range: maybe(0.3, () => fact.range || '0903'),
    gateway: maybe(0.3, () => pick(['gateway0', 'gateway4', 'gateway5', 'Northern', 'Supplier 1'])),
    number: maybe(0.1, () => fact.number),
    ...(time === undefined
      ? { dateFrom: maybe(0.3, () => dateFrom!), dateTo: maybe(0.3, () => dateTo!) }
      : maybe(0.5, () => ({ dateFrom: dateFrom!, dateTo: latest }))),
  }
}

test('any filter, page by page, gives exactly the records that match it, newest first', async () => {
  for (let round = 0; round < 60; round += 1) {
    const filters = someFilters()
    const viewer = random() < 0.3 ? client : staff
    const expected = matching(viewer, filters).map(({ id }) => id)
    const limit = pick([7, 40, 100])
    const found = await everyPage(viewer, filters, limit, 6)
    expect({ filters, ids: found }).toEqual({ filters, ids: expected.slice(0, limit * 6) })
  }
})

test('the same, oldest first', async () => {
  for (let round = 0; round < 25; round += 1) {
    const filters = someFilters()
    const viewer = random() < 0.3 ? client : staff
    const expected = matching(viewer, filters).toReversed()
    const limit = pick([7, 40, 100])
    const found = await everyPage(viewer, filters, limit, 4, 'asc')
    expect({ filters, ids: found }).toEqual({
      filters,
      ids: expected.slice(0, limit * 4).map(({ id }) => id),
    })
  }
})

test('a time of day reads its minutes, and not the days between', async () => {
  const lines = await explainSearch(around, { time: '11:30', within: 5, sender: '49' }, 500)
  const walked = lines.map((line) => Number(/: (\d+) rows/.exec(line)?.[1] ?? 0))
  // 11 minutes of each of 31 days, of 30,000 records in 40 days.
  expect(walked.reduce((sum, count) => sum + count, 0)).toBeLessThan(600)
  await expect(
    listRecords(around, staff, { limit: 10, time: '11:30', dateFrom: '2026-01-01', dateTo: '2026-02-01' }),
  ).rejects.toMatchObject({ code: 'invalid', fields: { dateFrom: expect.any(String) } })
})

test('an explained search names its steps and finds what the list finds', async () => {
  const explain = async (filters: RecordFilters) => (await explainSearch(around, filters, 40)).join('\n')
  const { number, sender } = facts[200]!
  const ofNumber = facts.filter((fact) => fact.number === number).length
  expect(await explain({})).toMatch(
    /^Filter: every record\nScan by time .* 40 match.*\nFound 40 of at most 40/,
  )
  expect(await explain({ number })).toMatch(
    new RegExp(`Posting lists of 1 number[^]*read \\d+ × [^]*Found ${Math.min(40, ofNumber)} of`),
  )
  expect(await explain({ search: sender.slice(0, 8), status: 'completed' })).toMatch(
    /source address contains/,
  )
  expect(await explain({ client: 'nobody of this name' })).toMatch(/^No record can match/)
})

const dayIn = (at: number, zone = 'UTC') => new Date(at + offsetsOf(zone)(at)).toISOString().slice(0, 10)

test('sums and reports equal the records, from counters and from the records themselves', async () => {
  for (let round = 0; round < 30; round += 1) {
    const filters = someFilters()
    const viewer = random() < 0.3 ? client : staff
    const expected = matching(viewer, filters)
    const summary = await summariseRecords(around, viewer, filters)
    expect({ filters, count: summary.count }).toEqual({ filters, count: expected.length })
    const bill = expected.reduce((sum, fact) => sum + fact.bill, 0n)
    expect(parseMicro(summary.bill)).toBe(bill)
    const group = pick(['day', 'client', 'range', 'gateway', 'status'] as const)
    const report = await reportRecords(around, viewer, filters, group)
    const counts = new Map<string, number>()
    for (const fact of expected) {
      const keys = {
        ...fact,
        day: dayIn(fact.at, filters.zone),
        gateway: gatewayOf(fact, viewer),
      }
      const key = keys[group]
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    expect({
      filters,
      group,
      report: Object.fromEntries(report.map((row) => [row.group, row.count])),
    }).toEqual({
      filters,
      group,
      report: Object.fromEntries(counts),
    })
  }
})

test('records stored during paging are neither repeated nor left out', async () => {
  const before = matching(staff, { range: '0903' }).map(({ id }) => id)
  const seen: number[] = []
  let cursor: string | undefined
  for (let page = 0; page < 20; page += 1) {
    const reply = await listRecords(around, staff, { range: '0903', limit: 50, cursor })
    seen.push(...reply.items.map(({ id }) => parseMessageId(id)!.recordId))
    cursor = reply.next
    await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id,
        gateway_id, cycle_id, status, settlement, sender)
      select ${new Date(clock.now().getTime() + page)}, 40000000000 + ${page}::int * 10 + i, now(), 0, 0, 1, 1, 3, 1, 1, 2, 1, 'new'
      from generate_series(0, 9) i`.execute(db)
  }
  await sql`delete from records where sender = 'new'`.execute(db)
  expect(seen).toEqual(before.slice(0, seen.length))
  expect(new Set(seen).size).toBe(1_000)
})

test('a client sees only its own records under any filter', async () => {
  const { items } = await listRecords(around, client, { limit: 100 })
  expect(items.length).toBe(100)
  expect(new Set(items.map((item) => item.client))).toEqual(new Set(['client1']))
  expect(items[0]).not.toHaveProperty('held')
  expect((await listRecords(around, client, { client: 'client2', limit: 100 })).items).toEqual([])
  expect((await summariseRecords(around, client, { client: 'client2' })).count).toBe(0)
})

test('a search takes a number as forms take it: with marks that nobody sees, dashes, slashes and (0)', async () => {
  const number = facts[0]!.number
  const found = await listRecords(around, staff, { search: number, limit: 100 })
  expect(found.items.length).toBeGreaterThan(0)
  const [code, rest] = [number.slice(0, 2), number.slice(2)]
  for (const search of [
    `\u202a+${number}\u202c`,
    `00${number}`,
    `+${code} (0)${rest.slice(0, 3)}/${rest.slice(3)}`,
    `${code}–${rest}`,
    `${code}\u200b${rest}`,
    `tel:+${number}`,
  ])
    expect([search, (await listRecords(around, staff, { search, limit: 100 })).items]).toEqual([
      search,
      found.items,
    ])
})

test('the test role sees masked numbers, and a search reveals no digit', async () => {
  const [own] = facts.filter((fact) => fact.clientId === 1)
  const { items } = await listRecords(around, tester, { limit: 5 })
  for (const { phoneNumber, sender, text } of items) {
    expect(phoneNumber).toMatch(/^•+\d{4}$/)
    expect(sender).toMatch(/^(•+\d{4}|Brand-\d+|Needle_\d+)$/)
    expect(text).toMatch(/^•+$/)
  }
  const seen = async (search: string) =>
    (await listRecords(around, tester, { search, limit: 100 })).items.length
  expect(await seen(own!.number.slice(0, 6))).toBe(0)
  expect(await seen(own!.sender.slice(1))).toBe(0)
  expect(await seen(own!.number.slice(-4))).toBeGreaterThan(0)
  expect((await listRecords(around, tester, { sender: own!.sender, limit: 100 })).items).toEqual([])
})

test('a cursor of another list and days in the wrong order are refused with the field named', async () => {
  await expect(listRecords(around, staff, { limit: 10, cursor: 'bm9uc2Vuc2U' })).rejects.toMatchObject({
    code: 'invalid',
    fields: { cursor: expect.any(String) },
  })
  await expect(
    listRecords(around, staff, { limit: 10, dateFrom: '2026-03-02', dateTo: '2026-03-01' }),
  ).rejects.toMatchObject({ code: 'invalid', fields: { dateTo: expect.any(String) } })
})

test('the export has every match once, with the console’s columns, times with their zone, and no text', async () => {
  const filters = { gateway: 'gateway4', dateFrom: '2026-02-01' }
  const reply = await exportRecords(exporting, staff, filters, csvOf)
  expect(reply).toMatchObject({
    contentType: 'text/csv; charset=utf-8',
    fileName: 'sms-records-2026-03-04.csv',
  })
  let text = ''
  for await (const chunk of reply.stream) text += String(chunk)
  const [header, ...lines] = text.trimEnd().split('\r\n')
  expect(header).toMatch(/^Date & Time,Range,Number,LU,Client,Bill,Gateway,No Report,Client Report,/)
  const expected = matching(staff, filters)
  expect(lines.length).toBe(expected.length)
  expect(lines[0]).toMatch(/^2026-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,/)
  expect(new Set(lines.map((line) => line.split(',').at(-1))).size).toBe(expected.length)
  expect(text).not.toContain('•')
})

test('an export that nobody reads stops its queries', async () => {
  const reply = await exportRecords(exporting, staff, {}, csvOf)
  const parts = reply.stream[Symbol.asyncIterator]()
  expect((await parts.next()).done).toBe(false)
  await parts.return?.()
  expect((await parts.next()).done).toBe(true)
})

test('a page has every field of the contract', async () => {
  const { items } = await listRecords(around, staff, { limit: 1 })
  const [record] = items as [SmsRecord]
  expect(record).toMatchObject({
    messageId: record.id,
    clientReport: 'pending',
    noReport: 'No Report',
    held: false,
  })
  expect(record.bill).toMatch(/^\d+\.\d{2,6}$/)
})
