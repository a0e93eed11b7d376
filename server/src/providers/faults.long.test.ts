// What providers do wrong, on real sockets, and what our own crashes do: nothing is lost, nothing comes twice.
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openStandIn, type StandInFault, type StandInRow } from '../../test/stand-ins/provider.ts'
import { forgetRecords, openProvidersEnvironment } from '../../test/traffic/providers.ts'
import { differingLevels, totals } from '../ingest/testing/traffic.ts'
import type { ProvidersDeps } from './index.ts'

const environment = await openProvidersEnvironment()
const { call, db, ingest, numbers } = environment
const standIn = await openStandIn()
let made = 0
let id = ''

/** What stores do, while it is set, instead of letting the transaction go on. */
let sabotage: ((tx: Parameters<ProvidersDeps['messages']['storeWithin']>[0]) => Promise<void>) | undefined
const node = environment.newNode({
  pollTimeoutMs: 4_000,
  messages: {
    refuse: (message, reason) => ingest.refuse(message, reason),
    gatewayId: (source, name) => ingest.gatewayId(source, name),
    async storeWithin(tx, messages) {
      const stored = await ingest.storeWithin(tx, messages)
      await sabotage?.(tx)
      return stored
    },
  },
})

beforeEach(async () => {
  await node.start()
  standIn.rows = []
  standIn.pageSize = 1_000
  const { body } = await call('POST', '/api/providers', {
    name: `provider ${(made += 1)}`,
    apiUrl: standIn.url,
    authType: 'basic',
    username: 'bob',
    password: 'pw',
    pollInterval: 1_000,
    enabled: true,
  })
  id = body.id
})

afterEach(async () => {
  standIn.always(undefined)
  sabotage = undefined
  await call('DELETE', `/api/providers/${id}`)
  await node.stop()
  await forgetRecords(db)
})

function sms(over: StandInRow = {}): StandInRow {
  made += 1
  const timestamp = new Date(Date.now() - 60_000).toISOString()
  return { id: `f${made}`, timestamp, number: numbers[0], sender: 'ACME', text: 'hello', ...over }
}

const isInError = (words: string | RegExp) =>
  eventually(async () => {
    const { status, lastError } = await environment.worker(id)
    expect([status, lastError]).toEqual(['error', expect.stringMatching(words)])
  })

/** By itself; rules.long.test.ts has the pauses. */
async function recovers(count: number): Promise<void> {
  await eventually(async () =>
    expect(await environment.worker(id)).toMatchObject({ status: 'running', lastError: '' }),
  )
  await eventually(async () => expect(await environment.records()).toHaveLength(count))
  expect((await environment.worker(id)).messagesSynced).toBe(count)
}

const deep = `{"records":${'['.repeat(50)}${']'.repeat(50)}}`
const many = `{"records":[${'{},'.repeat(1_000_100)}{}]}`

const faults: [string, StandInFault, RegExp][] = [
  ['hangs up', 'hang up', /cannot be reached/],
  ['breaks off', 'half an answer', /cannot be reached|not valid/],
  ['sends a gigabyte', 'a gigabyte', /larger than/],
  ['sends no JSON', { body: '<html>oops hello</html>' }, /^The answer is not valid JSON\.$/],
  ['sends another shape', { body: '{"data": []}' }, /no list at “records”/],
  ['sends a list in place of an object', { body: '[]' }, /no list at “records”/],
  ['nests deeply', { body: deep }, /nested deeper/],
  ['sends a million empty objects', { body: many }, /more than 1,000,000 objects/],
  ['sends a cursor that is none', { body: '{"records":[],"nextCursor":{"a":1}}' }, /cursor is not a text/],
  [
    'redirects',
    { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    /302: redirects are not followed/,
  ],
  ['refuses the credentials', { status: 403 }, /does not accept the credentials/],
  ['is broken', { status: 500, body: 'stack trace' }, /answered 500/],
  [
    'compresses its answer',
    { headers: { 'content-encoding': 'gzip' }, body: '{}' },
    /^The answer is compressed \(gzip\)/,
  ],
  [
    'sends another charset than it says',
    { headers: { 'content-type': 'application/json; charset=us-ascii' }, body: '{"records":["é"]}' },
    /octets that are none of ASCII/,
  ],
  ['has no end', 'endless cursors', /without anything new/],
]

test.each(faults)(
  'a provider that %s is in error, and what it has comes once when it is well',
  async (_, fault, words) => {
    standIn.always(fault)
    standIn.rows = [sms(), sms()]
    await isInError(words)
    standIn.always(undefined)
    await recovers(2)
    expect((await environment.worker(id)).errors).toBeGreaterThan(0)
  },
)

test('of a response of a gigabyte little more than 50 MB is read', async () => {
  standIn.always('a gigabyte')
  await isInError(/larger than/)
  // What the sockets' buffers hold comes on top.
  expect(standIn.sentBytesMax).toBeLessThan(80_000_000)
})

test('a provider that hangs runs into the time-out, and its recovery is noticed', async () => {
  standIn.always('hang')
  standIn.rows = [sms()]
  await isInError(/did not answer in time/)
  standIn.always(undefined)
  await recovers(1)
})

test.each([429, 503])('Retry-After of a %i is kept', async (status) => {
  standIn.always({ status, headers: { 'retry-after': '2' } })
  const next = standIn.requests.length
  await isInError(new RegExp(String(status)))
  const { nextPoll } = await environment.worker(id)
  await standIn.until(next + 2)
  const [first = NaN, second = NaN] = standIn.requests.slice(next).map(({ atMs }) => atMs)
  expect(Date.parse(nextPoll) - first).toBeGreaterThanOrEqual(1_990)
  expect(second - first).toBeGreaterThanOrEqual(1_990)
})

test('a start order polls at once, also during a pause', async () => {
  standIn.script({ status: 503, headers: { 'retry-after': '600' } })
  await isInError(/503/)
  await call('POST', `/api/providers/${id}/start`)
  await recovers(0)
})

test('an unknown cursor makes the walk start from the beginning', async () => {
  standIn.pageSize = 2
  standIn.rows = Array.from({ length: 5 }, () => sms())
  standIn.script(undefined, undefined, { status: 410 })
  await eventually(async () => expect(await environment.records()).toHaveLength(5))
  expect(standIn.requests.slice(-10).some(({ cursor }) => cursor === null)).toBe(true)
})

test('a transaction that fails after the rows are stored leaves nothing, and they come once', async () => {
  standIn.pageSize = 3
  standIn.rows = Array.from({ length: 7 }, () => sms())
  sabotage = () => Promise.reject(new Error('the node broke here'))
  await isInError(/could not be stored/)
  sabotage = undefined
  await recovers(7)
  expect((await totals(db)).facts.count).toBe(7)
})

test('a database connection that dies between the rows and the commit leaves nothing, and they come once', async () => {
  const { id: _, ...twin } = sms()
  standIn.pageSize = 2
  standIn.rows = [twin, twin, sms(), twin, sms()]
  sabotage = async (tx) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
  }
  await isInError(/could not be stored/)
  sabotage = undefined
  await recovers(5)
  const sums = await totals(db)
  expect([sums.facts.count, differingLevels(sums)]).toEqual([5, []])
})

test('when a node stops during a walk, the next node continues from its cursor', async () => {
  standIn.pageSize = 50
  standIn.rows = Array.from({ length: 1_000 }, () => sms())
  // The page in the middle is not answered until the node is stopping.
  const stopping = new AbortController()
  standIn.onRequest = async ({ cursor }) => {
    if (cursor === '500' && !stopping.signal.aborted) await once(stopping.signal, 'abort')
  }
  await eventually(async () => expect(standIn.requests.at(-1)?.cursor).toBe('500'))
  const stopped = node.stop()
  stopping.abort()
  await stopped
  const cursors = standIn.requests.length
  await node.start()
  await eventually(async () => expect(await environment.records()).toHaveLength(1_000))
  standIn.onRequest = () => undefined
  // At most the current page is requested again.
  expect(Number(standIn.requests[cursors]!.cursor)).toBeGreaterThan(50)
})

test('a provider that is changed while it is polled is polled by its new settings, its rows once', async () => {
  standIn.rows = [sms(), sms()]
  let isChanged = false
  standIn.onRequest = async () => {
    if (isChanged) return
    isChanged = true
    await call('PUT', `/api/providers/${id}`, {
      mapping: { records: 'records', text: '' },
      pollInterval: 1_000,
    })
  }
  await eventually(async () => expect(isChanged).toBe(true))
  standIn.onRequest = () => undefined
  await eventually(async () => expect(await environment.records()).toHaveLength(2))
  expect((await environment.worker(id)).messagesSynced).toBe(2)
})

test('a provider that brings nothing new for too long raises the alarm', async () => {
  standIn.rows = [sms()]
  await eventually(async () => expect(await environment.records()).toHaveLength(1))
  expect((await environment.worker(id)).gapSince).toBeNull()
  await sql`update providers set gap_alarm_ms = 1000, enabled_at = enabled_at - interval '1 min' where id = ${id}::int`.execute(
    db,
  )
  await eventually(async () => expect((await environment.worker(id)).gapSince).not.toBeNull())
})
