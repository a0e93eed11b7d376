import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sentence } from '@tollgate/contract/sentences.ts'
import { openTestApi } from '../../test/http/api.ts'
import { readParquet } from '../../test/files/parquet.ts'
import { afterUse, fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import type { BoundRoutes } from '../http/handlers.ts'
import { row, rows } from '../platform/db.ts'
import { composeReads } from '../compose-reads.ts'
import type { Ingest, IngestMessage } from '../ingest/index.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../ingest/testing/traffic.ts'

// Noon of yesterday: five records are of one day, whenever the test runs.
const nowMs = Math.floor(Date.now() / 86_400_000) * 86_400_000 - 43_200_000
const clock = fixedClock(new Date(nowMs))

/** Five records over HTTP, one of them with the text 'PIN 4711', and people of each role. */
async function openReads() {
  const { db } = await openTestDatabase()
  const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
  const ingest = await makeIngest(db)
  const faults: Error[] = []
  const reads = composeReads({
    db,
    clock,
    secrets: testSecrets,
    audit: createTestAudit({ db, clock }),
    currentActor: async (actor) => actor,
    laterSteps: async (_, record) => [
      {
        // After the commit, which has the machine's time.
        at: new Date(record.createdAt.getTime() + 2 * 86_400_000).toISOString(),
        step: 'taken',
        title: sentence('Taken'),
        detail: sentence('client'),
        status: 'ok',
      },
    ],
    onFault: (error) => faults.push(error),
  })
  await reads.start({ follows: true })
  afterUse(async () => {
    await reads.stop()
    await ingest.stop()
    expect(faults).toEqual([])
  })
  await sql`insert into users (id, username, email, first_name, last_name, password_hash, role) overriding system value
    values (100, 'boss', 'b@example.org', 'B', 'B', 'x', 'admin')`.execute(db)
  await sql`insert into gateways (source, name) values (0, 'supplier1')`.execute(db)
  return { db, numbers, ingest, messageId: await storeFive(ingest, numbers), ...(await people(reads.routes)) }
}

async function people(routes: readonly BoundRoutes[]) {
  const api = await openTestApi(routes, undefined, clock)
  return {
    api,
    admin: api.signIn({ userId: 100, username: 'boss', role: 'admin' }),
    support: api.signIn({ userId: 101, username: 'helper', role: 'support' }),
    // numbers[0] is held by client2, whose id is 2.
    owner: api.signIn({ userId: 2, username: 'client2', role: 'user' }),
    other: api.signIn({ userId: 1, username: 'client1', role: 'user' }),
    tester: api.signIn({ userId: 2, username: 'client2', role: 'test' }),
  }
}

/** A part of a long message in UCS-2, as a PDU carries it. */
const secondOfThree: Partial<IngestMessage> = {
  esmClass: 0x40,
  dataCoding: 8,
  body: Buffer.from('05000309030200780079', 'hex'),
  sent: {
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    destAddrTon: 1,
    destAddrNpi: 1,
    serviceType: '',
    protocolId: 0,
    priorityFlag: 0,
    tlvs: [],
  },
}

/** Gives the message id of the one with the text. */
async function storeFive(ingest: Ingest, numbers: readonly string[]): Promise<string> {
  const answers = new Answers()
  ingest.accept(
    messageTo(numbers[0]!, answers, {
      body: Buffer.from('PIN 4711'),
      createdAtMs: nowMs,
      displayedSourceAddress: '4915112345678',
    }),
  )
  for (const [index, number] of [numbers[1]!, numbers[0]!, numbers.at(-1)!, numbers[0]!].entries())
    ingest.accept(
      messageTo(number, answers, {
        createdAtMs: nowMs - (1 + index) * 1_000,
        ...(index === 1 && secondOfThree),
      }),
    )
  await answers.until(5)
  expect(answers.failures.map(({ reason }) => reason)).toEqual([])
  return [...answers.committedIds].find(([, { body }]) => Buffer.from(body).toString() === 'PIN 4711')![0]
}

const { db, numbers, messageId, api, admin, support, owner, other, tester } = await openReads()

test('a caller without a session or permission is refused', async () => {
  for (const path of [
    '/api/records',
    '/api/records/summary',
    '/api/stats',
    '/api/events',
    '/api/records/export',
  ])
    expect((await api.call('GET', path)).status).toBe(401)
  for (const cookie of [support, tester])
    expect((await api.call('GET', `/api/records/${messageId}/text`, { cookie })).status).toBe(403)
})

test('the list pages by its Link and shows each role what it may see', async () => {
  const first = await api.call('GET', '/api/records?limit=2', { cookie: admin })
  expect(first.status).toBe(200)
  expect(first.body).toHaveLength(2)
  const second = await api.call('GET', first.next!, { cookie: admin })
  const third = await api.call('GET', second.next!, { cookie: admin })
  expect(third.next).toBeUndefined()
  const ids = [first, second, third].flatMap(({ body }) => body.map(({ id }: { id: string }) => id))
  expect(new Set(ids).size).toBe(5)
  const own = await api.call('GET', '/api/records', { cookie: owner })
  expect(own.body).toHaveLength(3)
  expect(own.body[0]).toMatchObject({
    client: 'client2',
    gateway: 'Supplier 1',
    range: 'R1',
    source: 'smpp',
    bill: '1.50',
    amountUsd: '0.05',
  })
  const masked = await api.call('GET', '/api/records', { cookie: tester })
  expect(masked.text).not.toContain(numbers[0])
  expect(masked.text).not.toContain('4915112345678')
})

test('wrong filters are refused with the field named', async () => {
  for (const [query, field] of [
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['dateFrom=03/04/2026', 'dateFrom'],
    ['dateFrom=2026-03-05&dateTo=2026-03-04', 'dateTo'],
    ['status=lost', 'status'],
    ['cursor=@@', 'cursor'],
    [`search=${'x'.repeat(101)}`, 'search'],
  ] as const) {
    const { status, body } = await api.call('GET', `/api/records?${query}`, { cookie: admin })
    expect({ query, status, fields: Object.keys(body.fields ?? {}) }).toEqual({
      query,
      status: 400,
      fields: [field],
    })
  }
})

test('text that looks like SQL or a pattern is searched literally', async () => {
  for (const search of ["'; drop table records; --", '%', '_', '\\', '\u{1F600}', '"', "' or '1'='1"])
    expect(
      await api.call('GET', `/api/records?search=${encodeURIComponent(search)}`, { cookie: admin }),
    ).toMatchObject({ status: 200, body: [] })
})

test('summary, report and filters count what the viewer may see', async () => {
  expect((await api.call('GET', '/api/records/summary', { cookie: admin })).body).toEqual({
    count: 5,
    bill: '7.50',
    amountUsd: '0.2',
  })
  expect((await api.call('GET', '/api/records/summary', { cookie: owner })).body).toEqual({
    count: 3,
    bill: '4.50',
    amountUsd: '0.15',
  })
  expect(
    (await api.call('GET', `/api/records/summary?search=${numbers[0]}`, { cookie: admin })).body,
  ).toMatchObject({ count: 3 })
  const report = await api.call('GET', '/api/records/report?groupBy=client', { cookie: admin })
  expect(report.body.map(({ group, count }: { group: string; count: number }) => [group, count])).toEqual([
    ['client2', 3],
    ['', 1],
    ['client3', 1],
  ])
  expect((await api.call('GET', '/api/records/filters', { cookie: owner })).body).toEqual({
    ranges: ['R1'],
    clients: ['client2'],
    gateways: ['Supplier 1'],
    countries: ['United Kingdom'],
    withoutReceiver: ['client2'],
  })
})

test('one record shows its history with evidence, and is not found by another client', async () => {
  const { body } = await api.call('GET', `/api/records/${messageId.toLowerCase()}`, { cookie: admin })
  expect(body).toMatchObject({
    messageId,
    held: false,
    clientId: 2,
    rate: { usd: '0.05', from: 'global' },
    settlesIn: { settlement: 'bill' },
  })
  expect(body.timeline.map(({ step }: { step: string }) => step)).toEqual([
    'received',
    'decoded',
    'number_matched',
    'priced',
    'committed',
    'taken',
  ])
  const times = body.timeline.map(({ at }: { at: string }) => at)
  expect(times).toEqual(times.toSorted())
  expect(body.timeline[2].detail).toContain('Held by client2 since 01/01/2020.')
  for (const id of [messageId, 'nonsense', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '0'.repeat(26)])
    expect((await api.call('GET', `/api/records/${id}`, { cookie: other })).status).toBe(404)
})

test('the text is read by its owner and the admin, each time with an audit entry, and by nobody else', async () => {
  const read = await api.call('GET', `/api/records/${messageId}/text`, { cookie: owner, ip: '198.51.100.7' })
  expect(read.body).toEqual({
    text: 'PIN 4711',
    encoding: expect.any(String),
    flags: [],
    raw: {
      octets: Buffer.from('PIN 4711').toString('hex'),
      header: '',
      dataCoding: 0,
      esmClass: 0,
      defaultAlphabet: 'gsm7',
    },
  })
  expect((await api.call('GET', `/api/records/${messageId}/text`, { cookie: admin })).status).toBe(200)
  expect((await api.call('GET', `/api/records/${messageId}/text`, { cookie: other })).status).toBe(404)
  const entries = await rows(
    db,
    sql`select actor, ip, object_id from audit_entries where action = 'record.read_text' order by id`,
  )
  expect(entries).toEqual([
    { actor: 'client2', ip: '198.51.100.7', object_id: messageId },
    { actor: 'boss', ip: '192.0.2.1', object_id: messageId },
  ])
  expect(JSON.stringify(await rows(db, sql`select * from audit_entries`))).not.toContain('4711')
})

test('an expired text is not found, with the reason', async () => {
  const { db, api, owner, messageId } = await openReads()
  await sql`update record_batches set encrypted_bodies = null`.execute(db)
  const answer = await api.call('GET', `/api/records/${messageId}/text`, { cookie: owner })
  expect(answer).toMatchObject({ status: 404, body: { message: expect.stringContaining('not stored') } })
})

test('the dashboard’s figures equal the records, before and after the fold', async () => {
  // On a Monday the records are older than the cycle.
  await sql`update cycles set starts_at = ${new Date(nowMs - 43_200_000)},
    ends_at = ${new Date(nowMs + 6.5 * 86_400_000)} where closed_at is null`.execute(db)
  const check = async () => {
    const stats = await api.call('GET', '/api/stats', { cookie: admin })
    expect(stats.body).toMatchObject({
      totalRecords: 5,
      completed: 5,
      pending: 0,
      issues: 0,
      uniqueNumbers: 3,
      activeProviders: 1,
    })
    expect(stats.body.today.processed).toBe(5)
    expect((await api.call('GET', '/api/stats', { cookie: other })).body).toMatchObject({
      totalRecords: 0,
      uniqueNumbers: 0,
    })
    const activity = (await api.call('GET', '/api/stats/activity', { cookie: owner })).body
    expect(activity.today).toEqual({ processed: 3, delivered: 3, pending: 0, failed: 0 })
    expect(activity.hours).toHaveLength(24)
    expect(
      activity.hours.reduce((sum: number, { delivered }: { delivered: number }) => sum + delivered, 0),
    ).toBe(3)
    const week = (await api.call('GET', '/api/stats/week', { cookie: owner })).body
    expect(week).toMatchObject({ count: 3, amountUsd: '0.15' })
    expect(week.days).toHaveLength(7)
    expect(week.days.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3)
  }
  await check()
  await expect
    .poll(() => row(db, sql`select count(*)::int as n from record_counter_buffers`))
    .toEqual({ n: 0 })
  await check()
})

test('the same weekday a week ago counts up to the same time of day', async () => {
  const { numbers, ingest, api, admin } = await openReads()
  const weekAgo = nowMs - 7 * 86_400_000
  const answers = new Answers()
  for (const createdAtMs of [weekAgo - 1, weekAgo - 2, weekAgo + 60_000])
    ingest.accept(messageTo(numbers[1]!, answers, { createdAtMs }))
  await answers.until(3)
  expect((await api.call('GET', '/api/stats/activity', { cookie: admin })).body.lastWeek).toBe(2)
  const past = new Date(weekAgo).toISOString().slice(0, 10)
  const day = (await api.call('GET', `/api/stats/activity?day=${past}`, { cookie: admin })).body
  expect(day.today.processed).toBe(3)
})

test('a feed cannot be resumed from an invalid id', async () => {
  const answer = await api.call('GET', '/api/events?lastEventId=nonsense', { cookie: admin })
  expect(answer).toMatchObject({ status: 400, body: { fields: { lastEventId: expect.any(String) } } })
})

test('chosen records are exported newest first, without unknown ones and those of other clients', async () => {
  const listed = async (cookie: string) =>
    (await api.call('GET', '/api/records', { cookie })).body.map(({ id }: { id: string }) => id) as string[]
  const ids = await listed(admin)
  const whole = await api.call('GET', '/api/records/export', { cookie: admin })
  const lines = whole.text.trimEnd().split('\r\n')
  const chosen = [
    ids[3],
    ids[1],
    ids[1],
    'nonsense',
    '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ]
  const exported = (cookie: string, body: object) => api.call('POST', '/api/records/export', { cookie, body })
  const some = await exported(admin, { ids: chosen })
  expect(some.text.trimEnd().split('\r\n')).toEqual([lines[0], lines[2], lines[4]])
  expect(some.headers['content-disposition']).toBe(whole.headers['content-disposition'])
  const own = await exported(owner, { ids })
  expect(own.text).toBe((await api.call('GET', '/api/records/export', { cookie: owner })).text)
  expect((await exported(tester, { ids })).text).not.toContain(numbers[0])
  expect((await exported(admin, { ids: [] })).status).toBe(400)
  expect((await api.call('POST', '/api/records/export', { body: { ids } })).status).toBe(401)
})

test('an export with chosen columns has these, in their order, with exact times, and masks what the list masks', async () => {
  const columns =
    'createdAt,messageId,dataCoding,partReference,partTotal,partPosition,sender,phoneNumber,amountUsd'
  const path = `/api/records/export?columns=${columns},settlement,period`
  const lines = (await api.call('GET', path, { cookie: owner })).text.trimEnd().split('\r\n')
  const { id: cycle } = await row<{ id: number }>(
    db,
    sql`select id from cycles where closed_at is null`,
  ).then((found) => found!)
  const money = `4915112345678,${numbers[0]},0.05,bill,${cycle}-2`
  const part = new Date(nowMs - 2_000).toISOString()
  expect(lines).toHaveLength(4)
  expect(lines[0]).toBe(`${columns},settlement,period`)
  expect(lines[1]).toBe(`${new Date(nowMs).toISOString()},${messageId},,,,,${money}`)
  expect(lines[2]!.replace(/,[0-9A-Z]{26},/, ',ID,')).toBe(`${part},ID,8,9,3,2,${money}`)
  const masked = (await api.call('GET', path, { cookie: tester })).text
  expect(masked).not.toContain('4915112345678')
  expect(masked).not.toContain(numbers[0])
  expect(masked).toContain(messageId)
})

test('chosen records have chosen columns too, with the rate and the ids of the peer', async () => {
  const listed = await api.call('GET', '/api/records', { cookie: owner })
  const ids = listed.body.map(({ id }: { id: string }) => id) as string[]
  const columns = 'messageId,peerMessageId,peerReference,rate,amountUsd'
  const { text } = await api.call('POST', '/api/records/export', { cookie: owner, body: { ids, columns } })
  const [header, ...lines] = text.trimEnd().split('\r\n')
  expect(header).toBe(columns)
  // Only one of them came with a PDU.
  expect(lines.map((line) => line.replace(/[0-9A-Z]{26}/g, 'ID')).toSorted()).toEqual([
    'ID,,,0.05,0.05',
    'ID,,,0.05,0.05',
    'ID,ID,,0.05,0.05',
  ])
  const refused = await api.call('POST', '/api/records/export', {
    cookie: owner,
    body: { ids, columns: 'text' },
  })
  expect(refused).toMatchObject({ status: 400, body: { fields: { columns: expect.any(String) } } })
})

test('Parquet has the same records under the same rights, with exact money and times', async () => {
  const columns = 'messageId,createdAt,amountUsd,dataCoding,phoneNumber'
  const read = async (cookie: string) => {
    const { headers, rawPayload: bytes } = await api.call(
      'GET',
      `/api/records/export/parquet?columns=${columns}`,
      {
        cookie,
      },
    )
    expect(headers['content-type']).toBe('application/vnd.apache.parquet')
    return readParquet(bytes)
  }
  const mine = await read(owner)
  expect(mine).toHaveLength(3)
  // The file has a decimal; this reader makes a float of it.
  const { amountUsd, ...others } = mine[0] ?? {}
  expect(Math.round(Number(amountUsd) * 1e6)).toBe(50_000)
  expect(others).toEqual({
    messageId,
    createdAt: new Date(nowMs),
    dataCoding: null,
    phoneNumber: numbers[0],
  })
  expect(JSON.stringify(await read(tester))).not.toContain(numbers[0])
  expect(await read(admin)).toHaveLength(5)
})

test('an export refuses columns that are unknown, empty or there twice, and names the field', async () => {
  for (const columns of ['text', 'messageId,messageId', 'messageId,', 'toString', '']) {
    const refused = await api.call('GET', `/api/records/export?columns=${columns}`, { cookie: owner })
    expect({ columns, status: refused.status, fields: Object.keys(refused.body.fields ?? {}) }).toEqual({
      columns,
      status: 400,
      fields: ['columns'],
    })
  }
})

test('an export answers with a file name that the console expects', async () => {
  const { headers, text } = await api.call('GET', '/api/records/export', { cookie: owner })
  expect(headers['content-disposition']).toMatch(/^attachment; filename="sms-records-\d{4}-\d\d-\d\d\.csv"$/)
  expect(text.trimEnd().split('\r\n')).toHaveLength(4)
})
