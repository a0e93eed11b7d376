import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStandIn, type ProviderRow } from '../../test/provider.ts'
import { openProvidersBench } from '../../test/providers.ts'
import { openDatabase, row, rows } from '../platform/db.ts'
import { readBody } from '../records/index.ts'
import { testSecrets, totals } from '../records/ingest/testing/traffic.ts'

const bench = await openProvidersBench()
const { call, db, numbers } = bench
const standIn = await openStandIn()

let made = 0
let added: string[] = []

beforeEach(async () => {
  standIn.rows = []
  standIn.pageSize = 1_000
  standIn.heedsSince = true
  standIn.always(undefined)
  standIn.asked.length = 0
  standIn.onAsked = () => undefined
  await bench.node.start()
})

afterEach(async () => {
  for (const id of added) await call('DELETE', `/api/providers/${id}`)
  added = []
  await bench.node.stop()
  await sql`truncate records, record_batches, record_tally_packs, record_days, record_hours, record_gateway_days,
    record_cycles, record_totals, provider_messages, provider_dead_letters`.execute(db)
})

async function add(given: Record<string, unknown> = {}) {
  const { status, body } = await call('POST', '/api/providers', {
    name: `provider ${(made += 1)}`,
    apiUrl: standIn.url,
    authType: 'bearer',
    apiKey: 'key-1',
    pollInterval: 1_000,
    enabled: true,
    ...given,
  })
  expect(body).toMatchObject({ apiUrl: given['apiUrl'] ?? standIn.url })
  expect(status).toBe(201)
  added.push(body.id)
  return body
}

const recent = (secondsAgo = 60) => new Date(Date.now() - secondsAgo * 1_000).toISOString()

function sms(over: ProviderRow = {}): ProviderRow {
  made += 1
  return {
    id: `m${made}`,
    timestamp: recent(),
    number: `+${numbers[0]}`,
    sender: 'ACME',
    text: `hello ${made}`,
    ...over,
  }
}

function withoutId(row: ProviderRow): ProviderRow {
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'id'))
}

async function eventually(check: () => Promise<unknown>, patienceMs = 10_000): Promise<void> {
  for (const endMs = Date.now() + patienceMs; ; await sleep(50)) {
    try {
      await check()
      return
    } catch (error) {
      if (Date.now() > endMs) throw error
    }
  }
}

const recordsAre = (count: number, patienceMs?: number) =>
  eventually(async () => expect(await bench.records()).toHaveLength(count), patienceMs)
/** Long enough for another poll or two of a provider that is polled each second. */
const anotherPoll = () => standIn.until(standIn.asked.length + 2)

test('a row becomes a record with the provider’s time, our price and its text', async () => {
  const at = new Date(Date.now() - 90_000).toISOString()
  standIn.rows = [sms({ timestamp: at, text: 'Grüße' }), sms({ text: 'שלום 👋', sender: 4915112345678 })]
  const { name } = await add()
  await recordsAre(2)
  const [first, second] = await bench.records()
  expect(first).toMatchObject({ sender: 'ACME', number: numbers[0], gateway: name, no_report: 0 })
  expect(first!.created_at.toISOString()).toBe(at)
  expect(Number(first!.amount_micro)).toBe(50_000)
  expect(second!.sender).toBe('4915112345678')
  const text = await readBody(db, testSecrets, BigInt(first!.id))
  expect(Buffer.from(text!.body).toString('latin1')).toBe('Grüße')
  const other = await readBody(db, testSecrets, BigInt(second!.id))
  expect([other!.dataCoding, Buffer.from(other!.body).swap16().toString('utf16le')]).toEqual([8, 'שלום 👋'])
  const sums = await totals(db)
  expect(sums['facts']!.count).toBe(2)
})

test('a row that comes again and again is one record, and `since` asks from a little before the newest', async () => {
  standIn.heedsSince = false
  standIn.rows = [sms(), sms()]
  const { id } = await add()
  await recordsAre(2)
  await anotherPoll()
  expect(await bench.records()).toHaveLength(2)
  expect(standIn.asked[0]!.since).toBe('1970-01-01T00:00:00.000Z')
  expect(standIn.asked.every(({ since }) => since !== null)).toBe(true)
  const newestMs = Date.parse(String((standIn.rows[1] as ProviderRow).timestamp))
  const later = Date.parse(standIn.asked.at(-1)!.since!)
  expect(later).toBeLessThanOrEqual(newestMs - 2_000)
  expect(later).toBeGreaterThanOrEqual(newestMs - 3_700_000)
  expect(await bench.worker(id)).toMatchObject({ status: 'running', messagesSynced: 2, errors: 0 })
})

test('rows that come late and out of order are taken in, also from long before the newest', async () => {
  standIn.rows = [sms({ timestamp: recent(60) })]
  await add()
  await recordsAre(1)
  standIn.rows = [sms({ timestamp: recent(10) }), ...standIn.rows, sms({ timestamp: recent(75) })]
  await recordsAre(3)
  standIn.rows.push(sms({ timestamp: recent(1_800) }))
  await recordsAre(4, 20_000)
})

test('two equal rows without id are two messages, also over several pages and when they come again', async () => {
  const [twin, other] = [withoutId(sms()), withoutId(sms())]
  standIn.pageSize = 2
  standIn.rows = [twin, other, { ...twin }, twin, other]
  await add()
  await recordsAre(5)
  await anotherPoll()
  expect(await bench.records()).toHaveLength(5)
  standIn.rows = [other, twin]
  await anotherPoll()
  expect(await bench.records()).toHaveLength(5)
})

test('all pages are walked, and a walk that breaks off goes on from its cursor', async () => {
  standIn.pageSize = 10
  standIn.rows = Array.from({ length: 95 }, () => sms())
  standIn.script(undefined, undefined, undefined, { status: 500 })
  const { id } = await add()
  await recordsAre(95)
  const cursors = standIn.asked.map(({ cursor }) => cursor)
  expect(cursors.slice(0, 5)).toEqual([null, '10', '20', '30', '30'])
  expect(cursors.filter((cursor) => cursor === '10')).toHaveLength(1)
  await eventually(async () => expect(await bench.worker(id)).toMatchObject({ status: 'running', errors: 1 }))
})

test('a changed report follows the record, a changed amount or text does not', async () => {
  const first = sms({ status: 'pending' })
  standIn.rows = [first]
  await add()
  await recordsAre(1)
  expect((await bench.records())[0]!.no_report).toBe(1)
  standIn.rows = [{ ...first, status: 'DELIVRD', amount: '99', sender: 'OTHER' }]
  await eventually(async () => expect((await bench.records())[0]!.no_report).toBe(2))
  expect(await bench.records()).toMatchObject([{ sender: 'ACME', amount_micro: '50000' }])
})

test('ids that differ only in digits that a double cannot hold are two', async () => {
  const [one, two] = [sms(), sms()].map((row) => JSON.stringify(withoutId(row)).slice(1))
  standIn.always({
    body: `{"records":[{"id":9007199254740992001,${one},{"id": 9007199254740992002,${two}]}`,
  })
  await add()
  await recordsAre(2)
})

test('a page of more rows than one transaction takes is stored whole, once', async () => {
  standIn.pageSize = 10_000
  standIn.rows = Array.from({ length: 9_500 }, () => sms())
  await add()
  await recordsAre(9_500, 20_000)
  const { count } = (await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from provider_messages`,
  ))!
  expect(count).toBe(9_500)
})

test('rows that cannot be records wait with their reason, and the rest of the page goes on', async () => {
  standIn.rows = [
    sms({ number: '+999000111222' }),
    sms({ number: 'call me' }),
    sms({ timestamp: 'yesterday' }),
    sms({ timestamp: new Date(Date.now() + 86_400_000).toISOString() }),
    sms({ sender: 'x'.repeat(65) }),
    sms({ text: { a: 1 } }),
    'a row',
    null,
    sms(),
  ]
  standIn.heedsSince = false
  const { id } = await add()
  await recordsAre(1)
  const { body } = await call('GET', `/api/providers/${id}/dead-letters`)
  expect(body.map(({ reason }: { reason: string }) => reason).toSorted()).toEqual([
    'bad_field',
    'bad_field',
    'bad_number',
    'bad_timestamp',
    'bad_timestamp',
    'not_a_row',
    'not_a_row',
    'unknown_number',
  ])
  expect(JSON.stringify(body)).not.toContain('hello')
  await anotherPoll()
  const again = await call('GET', `/api/providers/${id}/dead-letters?reason=unknown_number`)
  expect(again.body).toMatchObject([{ number: '+999000111222', tries: 1 }])
  const { body: oldestFirst } = await call('GET', `/api/providers/${id}/dead-letters?order=asc`)
  expect(oldestFirst).toEqual(body.toReversed())
  const csv = await call('GET', `/api/providers/${id}/dead-letters/export?reason=unknown_number`)
  expect(csv.text).not.toContain('hello')
  const [head, line, end] = csv.text.split('\r\n')
  expect(head).toBe('ID,Came,Reason,Explanation,Their ID,Number,Timestamp,Tries,Last Tried')
  expect(line).toContain(',unknown_number,Its number is none of ours.,')
  expect(line).toContain(',+999000111222,')
  expect(end).toBe('')
  expect(await bench.worker(id)).toMatchObject({ status: 'running', deadLetters: 8, messagesSynced: 1 })
})

test('a waiting row is a record once its number is ours: by replay, once, or when the provider repeats it', async () => {
  standIn.rows = [sms({ number: '+447111000001', text: 'secret one' }), sms({ number: '+447111000002' })]
  const { id } = await add()
  await eventually(async () => expect((await bench.worker(id)).deadLetters).toBe(2))
  standIn.rows = []
  await bench.addNumber('447111000001')
  const { body: deadLetters } = await call('GET', `/api/providers/${id}/dead-letters`)
  const deadLetter = deadLetters.find(({ number }: { number: string }) => number === '+447111000001')
  const shown = await call('GET', `/api/providers/${id}/dead-letters/${deadLetter.id}`)
  expect(JSON.parse(shown.body.row)).toMatchObject({ text: 'secret one' })
  const path = `/api/providers/${id}/dead-letters/${deadLetter.id}/replay`
  const both = await Promise.all([call('POST', path), call('POST', path)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
  expect(await bench.records()).toMatchObject([{ number: '447111000001' }])

  const all = await call('POST', `/api/providers/${id}/dead-letters/replay`, {})
  expect(all.body).toEqual({ stored: 0, failed: 1 })
  await bench.addNumber('447111000002')
  // As after one of 10,000.
  const dueAt = (at: string) => sql`update providers set replay_due_at = ${at} where id = ${id}`.execute(db)
  await dueAt(new Date(Date.now() + 10_000).toISOString())
  expect(await call('POST', `/api/providers/${id}/dead-letters/replay`, {})).toMatchObject({
    status: 429,
    body: { code: 'too_many' },
  })
  await dueAt('-infinity')
  expect((await call('POST', `/api/providers/${id}/dead-letters/replay`, {})).body).toEqual({
    stored: 1,
    failed: 0,
  })
  expect(await bench.records()).toHaveLength(2)
  expect(await bench.worker(id)).toMatchObject({ deadLetters: 0, messagesSynced: 2 })

  const fixed = sms({ number: '+447111000003' })
  standIn.rows = [fixed]
  await eventually(async () => expect((await bench.worker(id)).deadLetters).toBe(1))
  await bench.addNumber('447111000003')
  await recordsAre(3)
  expect((await bench.worker(id)).deadLetters).toBe(0)
})

test('a dismissed row does not come again', async () => {
  standIn.rows = [sms({ number: '+447111999999' })]
  const { id } = await add()
  await eventually(async () => expect((await bench.worker(id)).deadLetters).toBe(1))
  const [deadLetter] = (await call('GET', `/api/providers/${id}/dead-letters`)).body
  expect((await call('DELETE', `/api/providers/${id}/dead-letters/${deadLetter.id}`)).status).toBe(200)
  await bench.addNumber('447111999999')
  await anotherPoll()
  expect((await bench.worker(id)).deadLetters).toBe(0)
  expect(await bench.records()).toHaveLength(0)
  expect((await call('DELETE', `/api/providers/${id}/dead-letters/${deadLetter.id}`)).status).toBe(404)
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
  expect(await bench.records()).toHaveLength(3)
  expect(again.name).toBe(name.toUpperCase())
})

test('start and stop hold over restarts, and stopped means that nobody is asked', async () => {
  const { id } = await add({ enabled: false })
  expect(await bench.worker(id)).toMatchObject({
    status: 'stopped',
    uptime: 0,
    nextPoll: null,
    lastSync: null,
  })
  await sleep(1_200)
  expect(standIn.asked).toHaveLength(0)
  expect((await call('POST', `/api/providers/${id}/start`)).body).toMatchObject({ enabled: true })
  await standIn.until(1)
  await eventually(async () => expect((await bench.worker(id)).lastSync).not.toBeNull())
  expect((await bench.worker(id)).nextPoll).not.toBeNull()
  await bench.node.stop()
  const before = standIn.asked.length
  await bench.node.start()
  await standIn.until(before + 1)
  expect((await call('POST', `/api/providers/${id}/stop`)).body).toMatchObject({ enabled: false })
  await sleep(1_500)
  const stopped = standIn.asked.length
  await sleep(1_500)
  expect(standIn.asked.length).toBe(stopped)
  await bench.node.stop()
  await bench.node.start()
  await sleep(1_500)
  expect(standIn.asked.length).toBe(stopped)
  expect((await bench.worker(id)).status).toBe('stopped')
  expect(bench.news.some(({ providerId, status }) => providerId === id && status === 'running')).toBe(true)
})

test('of two nodes one asks, and when it dies the other one does within 15 s', async () => {
  await bench.node.stop()
  // A node dies here by losing its way to the database, for good.
  const mortal = openDatabase({ address: bench.address, maxConnections: 5 })
  const first = bench.newNode({ db: mortal.db, node: 'first' })
  await first.start()
  const { id } = await add()
  await eventually(async () => expect((await bench.worker(id)).node).toBe('first'))
  const second = bench.newNode({ node: 'second' })
  await second.start()
  standIn.asked.length = 0
  const startedMs = performance.now()
  await sleep(3_200)
  // Once a second, by one of them.
  expect(standIn.asked.length).toBeLessThanOrEqual((performance.now() - startedMs) / 1_000 + 1)
  await mortal.close()
  await eventually(async () => expect((await bench.worker(id)).node).toBe('second'), 15_000)
  standIn.rows = [sms()]
  await recordsAre(1)
  await second.stop()
})

test('an owner that lost its lease cannot store what it fetched', async () => {
  const { id } = await add()
  await standIn.until(1)
  const row = sms()
  let isTaken = false
  // The lease goes while the page is on its way.
  standIn.onAsked = async () => {
    if (isTaken) return
    isTaken = true
    standIn.rows = [row]
    await sql`update leases set owner = 'other', token = token + 1, expires_at = clock_timestamp() + interval '4 s'
      where name = ${`provider:${id}`}`.execute(db)
  }
  await eventually(async () => expect(isTaken).toBe(true))
  await sleep(2_000)
  expect(await bench.records()).toHaveLength(0)
  expect(standIn.asked.length).toBeLessThan(5)
  await recordsAre(1, 15_000)
})

test('a secret is sealed, masked, sent as its kind says and kept when an edit leaves it out', async () => {
  const { id } = await add({ apiKey: 'canary-1' })
  await standIn.until(1)
  expect(standIn.asked[0]!.authorization).toBe('Bearer canary-1')
  expect((await call('PUT', `/api/providers/${id}`, { name: 'Renamed', apiKey: '' })).status).toBe(200)
  const edited = await call('PUT', `/api/providers/${id}`, { authType: 'api_key', apiKey: 'canary-1' })
  expect(edited.body).toMatchObject({ authType: 'api_key', hasApiKey: true, apiKey: '••••••••' })
  standIn.asked.length = 0
  await standIn.until(1)
  await eventually(async () => expect(standIn.asked.at(-1)!.apiKey).toBe('canary-1'))
  await call('PUT', `/api/providers/${id}`, { authType: 'basic', username: 'bob', password: 'canary-2' })
  const basic = `Basic ${Buffer.from('bob:canary-2').toString('base64')}`
  await eventually(async () => expect(standIn.asked.at(-1)!.authorization).toBe(basic))
  const seen = await Promise.all([call('GET', '/api/providers'), call('GET', '/api/workers/stats')])
  expect(seen.map(({ text }) => text).join('')).not.toContain('canary')
  const audit = await rows<{ text: string }>(db, sql`select to_jsonb(a)::text as text from audit_entries a`)
  expect(audit.length).toBeGreaterThan(2)
  expect(JSON.stringify(audit)).not.toContain('canary')
  const kept = await row<{ secret: Buffer }>(
    db,
    sql`select sealed_secret as secret from providers where id = ${id}::int`,
  )
  expect(kept!.secret.toString('latin1')).not.toContain('canary')
})

test('a key goes to no other host, scheme, port or header than it was entered for, unless it is entered again', async () => {
  const stranger = await openStandIn()
  stranger.rows = [sms()]
  const { id, apiUrl } = await add({ apiKey: 'canary-3', enabled: false })
  const path = `/api/providers/${id}`
  const elsewhere = { apiUrl: stranger.url }
  const port = new URL(apiUrl).port
  for (const edit of [
    elsewhere,
    { ...elsewhere, apiKey: '' },
    { apiUrl: `https://127.0.0.1:${port}/` },
    { apiUrl: `http://127.1:${port}/` },
    { apiUrl: `http://localhost:${port}/` },
    { authType: 'api_key' },
  ]) {
    const { status, body } = await call('PUT', path, edit)
    const message = expect.stringContaining('Enter the API key again')
    expect([edit, status, body.fields]).toEqual([edit, 400, { apiKey: message }])
  }
  for (const [asked, field] of [
    [{ ...elsewhere }, 'apiKey'],
    [{ apiUrl, authType: 'api_key' }, 'apiKey'],
    [{ apiUrl, authType: 'basic', username: 'bob' }, 'password'],
  ] as const) {
    const { status, body } = await call('POST', '/api/providers/preview', { id, ...asked })
    expect([asked, status, Object.keys(body.fields)]).toEqual([asked, 400, [field]])
  }
  // Another path, and other ways to write the same origin, are where it was entered for.
  const same = `${apiUrl.replace('http:', 'HTTP:').replace(/\/$/, '')}/other`
  expect((await call('PUT', path, { apiUrl: same })).status).toBe(200)
  expect((await call('POST', '/api/providers/preview', { id, apiUrl: same })).status).toBe(200)
  expect(stranger.asked).toEqual([])
  expect((await call('PUT', path, { ...elsewhere, apiKey: 'theirs' })).status).toBe(200)
  const [entry] = await rows<{ after: object }>(
    db,
    sql`select after from audit_entries where object_type = 'provider' and object_id = ${id}
        and after ? 'isDestinationChanged'`,
  )
  expect(entry?.after).toMatchObject({ isDestinationChanged: true, apiUrl: stranger.url })
})

const valid = { name: 'x', apiUrl: 'https://api.example.com/r', authType: 'bearer', apiKey: 'k' }
test.each([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(65) }],
  ['apiUrl', { apiUrl: '' }],
  ['apiUrl', { apiUrl: 'ftp://example.com' }],
  ['apiUrl', { apiUrl: 'https://user:pw@example.com/' }],
  ['apiUrl', { apiUrl: 'http://[::zz]/' }],
  ['authType', { authType: 'digest' }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: 'a\nb' }],
  ['apiKey', { apiKey: 'x'.repeat(4_001) }],
  ['username', { authType: 'basic', username: '', password: 'x' }],
  ['username', { authType: 'basic', username: 'a:b', password: 'x' }],
  ['password', { authType: 'basic', username: 'a', password: '' }],
  ['pollInterval', { pollInterval: 999 }],
  ['pollInterval', { pollInterval: 86_400_001 }],
  ['pollInterval', { pollInterval: 'soon' }],
  ['lookback', { lookback: -1 }],
  ['gapAlarm', { gapAlarm: 2_592_000_001 }],
  ['startAt', { startAt: 'yesterday' }],
  ['enabled', { enabled: 'yes' }],
  ['mapping.records', { mapping: { records: 'a..b' } }],
  ['mapping.number', { mapping: { number: '' } }],
  ['mapping', { mapping: { colour: 'red' } }],
])('a provider with a bad %s is refused: %j', async (field, over) => {
  const { status, body } = await call('POST', '/api/providers', { ...valid, ...over })
  expect(status).toBe(400)
  expect(Object.keys(body.fields)).toContain(field)
})

test('a taken name is 409, an unknown provider 404, an outdated edit 409', async () => {
  const { id, name, version } = await add({ enabled: false })
  expect((await call('POST', '/api/providers', { ...valid, name: name.toUpperCase() })).status).toBe(409)
  for (const path of ['999999', '9999999999', 'custom', 'abc'])
    expect((await call('POST', `/api/providers/${path}/start`)).status).toBe(404)
  expect((await call('PUT', `/api/providers/${id}`, { pollInterval: 2_000, version })).status).toBe(200)
  expect((await call('PUT', `/api/providers/${id}`, { pollInterval: 3_000, version })).status).toBe(409)
})

test('the custom provider is made and changed by its own call', async () => {
  const configure = (body: object) => call('POST', '/api/providers/custom/configure', body)
  expect((await configure({ apiUrl: standIn.url, authType: 'bearer' })).status).toBe(400)
  const first = await configure({
    apiUrl: standIn.url,
    apiKey: 'k1',
    authType: 'bearer',
    enabled: true,
    pollInterval: 1_000,
  })
  expect(first).toMatchObject({ status: 200, body: { id: 'custom', enabled: true, hasApiKey: true } })
  added.push('custom')
  await standIn.until(1)
  const second = await configure({
    apiUrl: standIn.url,
    authType: 'bearer',
    apiKey: '',
    username: '',
    password: '',
    pollInterval: 60_000,
    enabled: false,
  })
  expect((await configure({ apiUrl: 'https://elsewhere.example.com/r' })).body.fields).toEqual({
    apiKey: 'Enter the API key again: the host of the API URL has changed',
  })
  expect(second.body).toMatchObject({ id: 'custom', pollInterval: 60_000, enabled: false, hasApiKey: true })
  expect((await call('POST', '/api/providers/custom/test')).body).toMatchObject({
    success: true,
    rowCount: 0,
  })
  expect((await call('GET', '/api/providers')).body.map(({ id }: { id: string }) => id)).toEqual(['custom'])
})

test('a test and a preview ask once and store nothing', async () => {
  standIn.rows = [
    { uid: 'a1', when: recent(), dst: numbers[0], from: 'ACME', body: 'top secret' },
    { uid: 'a2' },
  ]
  const { id } = await add({ enabled: false })
  expect((await call('POST', `/api/providers/${id}/test`)).body).toMatchObject({ success: true, rowCount: 2 })
  const mapping = { id: 'uid', timestamp: 'when', number: 'dst', sender: 'from', text: 'body' }
  const form = { apiUrl: standIn.url, authType: 'bearer', apiKey: '', id, mapping }
  const { body } = await call('POST', '/api/providers/preview', form)
  expect(body).toMatchObject({
    success: true,
    rowCount: 2,
    hasNextPage: false,
    rows: [
      { id: 'a1', number: numbers[0], sender: 'ACME', textLength: 10, fault: '' },
      { id: 'a2', fault: 'It has no number.' },
    ],
  })
  expect(body.paths).toContainEqual({ path: 'records[].dst', kind: 'text' })
  expect(JSON.stringify(body)).not.toContain('top secret')
  expect(standIn.asked.at(-1)!.authorization).toBe('Bearer key-1')
  const wrong = await call('POST', '/api/providers/preview', { ...form, mapping: { records: 'data' } })
  expect(wrong.body).toMatchObject({ success: false, error: 'The answer has no list at “data”.' })
  expect(wrong.body.paths).toContainEqual({ path: 'records', kind: 'list' })
  expect(await bench.records()).toHaveLength(0)
  standIn.script({ status: 401 })
  const refused = await call('POST', `/api/providers/${id}/test`)
  expect(refused).toMatchObject({ status: 200, body: { success: false } })
  expect(refused.body.error).toContain('credentials')
})

test('a provider on an address that may not be called is made, and its test says so', async () => {
  const { id } = await add({ apiUrl: 'http://169.254.169.254/latest', enabled: false })
  const { body } = await call('POST', `/api/providers/${id}/test`)
  expect(body).toMatchObject({ success: false })
  expect(body.error).toContain('may not be called')
})
