// Whatever a person corrects in a mapping, a row that became a record stays that record; an address that was a provider
// before is recognised.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestProviders, secondsAgo } from '../../test/traffic/providers.ts'
import { row } from '../platform/db.ts'

const { environment, call, db, numbers, standIn, add, sms, recordsAre, anotherPoll } =
  await openTestProviders()

let made = 0
/** A row as a provider has it that calls its id otherwise. */
function uuidRow(over: object = {}): object {
  made += 1
  return {
    uuid: `u${made}`,
    timestamp: secondsAgo(90),
    number: numbers[0],
    sender: 'ACME',
    text: `t${made}`,
    ...over,
  }
}

const edit = async (id: string, body: object) => {
  const { status } = await call('PUT', `/api/providers/${id}`, body)
  expect(status).toBe(200)
  await anotherPoll()
}

async function amountOfRecords(): Promise<number> {
  const found = await row<{ sum: number }>(
    db,
    sql`select coalesce(sum(amount_micro), 0)::float8 as sum from records`,
  )
  return found!.sum
}

const four = () => Array.from({ length: 4 }, () => uuidRow())

test.each<[string, object[]]>([
  ['the id, which was missing', [{ id: '' }, { id: 'uuid' }]],
  ['the id, which was missing by its default', [{}, { id: 'uuid' }]],
  ['the id, which is given up', [{ id: 'uuid' }, { id: '' }]],
  ['the id, there and back', [{ id: '' }, { id: 'uuid' }, { id: '' }, { id: 'uuid' }]],
  ['the sender without an id', [{ id: '', sender: 'from' }, { sender: 'sender' }]],
  ['the text without an id', [{ id: '', text: 'body' }, { text: 'text' }]],
  [
    'all at once',
    [
      { id: '', sender: 'x', text: 'y' },
      { id: 'uuid', sender: 'sender', text: 'text' },
    ],
  ],
  ['the sender, and then the id', [{ id: '', sender: 'x' }, { sender: 'sender' }, { id: 'uuid' }]],
])('a correction of %s makes no record twice', async (_, mappings) => {
  const twin = { timestamp: secondsAgo(70), number: numbers[1], text: 'twin' }
  standIn.rows = [...four(), uuidRow(twin), uuidRow(twin)]
  const [first, ...corrections] = mappings
  const { id } = await add({ mapping: first })
  await recordsAre(6)
  const amount = await amountOfRecords()
  for (const mapping of corrections) await edit(id, { mapping })
  expect([(await environment.records()).length, await amountOfRecords()]).toEqual([6, amount])
  standIn.rows.push(uuidRow(), uuidRow(twin))
  await recordsAre(8)
  await anotherPoll()
  expect(await environment.records()).toHaveLength(8)
  expect(await environment.worker(id)).toMatchObject({ status: 'running', deadLetters: 0 })
})

test('the order in which rows come after a correction does not matter, nor that some come on later pages or polls', async () => {
  const twin = { timestamp: secondsAgo(70), text: 'twin' }
  const rows = [...four(), uuidRow(twin), uuidRow(twin), uuidRow(twin)]
  standIn.rows = rows
  const { id } = await add({ mapping: { id: '' } })
  await recordsAre(7)
  standIn.rows = rows.slice(3, 6).toReversed()
  standIn.pageSize = 2
  await edit(id, { mapping: { id: 'uuid' } })
  standIn.rows = rows.toReversed()
  await anotherPoll()
  expect(await environment.records()).toHaveLength(7)
})

test('a row without an id stays one record when its status and what is not mapped change', async () => {
  const rows = four().map((each) => ({ ...each, status: 'pending' }))
  standIn.rows = rows
  await add()
  await recordsAre(4)
  standIn.rows = rows.map((each) => ({ ...each, status: 'delivered', uuid: 'other', price: '7' }))
  await eventually(async () =>
    expect((await environment.records()).map((each) => each.no_report)).toEqual([2, 2, 2, 2]),
  )
  await anotherPoll()
  expect(await environment.records()).toHaveLength(4)
})

test('an id that came twice under the wrong path loses no row when it is corrected', async () => {
  const at = [300, 200, 100].map(secondsAgo)
  standIn.rows = at.map((timestamp) => uuidRow({ id: 'same', timestamp })).toReversed()
  const { id } = await add()
  await recordsAre(1)
  await edit(id, { mapping: { id: 'uuid' } })
  await recordsAre(3)
  standIn.rows.push(uuidRow({ id: 'same', timestamp: new Date().toISOString() }))
  await recordsAre(4)
  const times = (await environment.records()).map((each) => each.created_at.toISOString())
  expect(new Set(times).size).toBe(4)
})

test('another time zone or other lists leave the records as they are', async () => {
  standIn.rows = four().map((each) => ({ ...each, timestamp: secondsAgo(9_000).slice(0, 19) }))
  const { id } = await add({ mapping: { id: '' } })
  await recordsAre(4)
  await edit(id, { timeZone: 'Europe/London' })
  await edit(id, { timeZone: 'Asia/Jerusalem', mapping: { id: 'uuid' } })
  expect(await environment.records()).toHaveLength(4)
})

test('a row that waits since before a correction becomes a record once, by a repetition or a replay', async () => {
  standIn.rows = [uuidRow({ number: 'x', dst: numbers[0] }), uuidRow({ number: 'x', dst: numbers[0] })]
  const { id } = await add({ mapping: { id: '' } })
  await eventually(async () => expect((await environment.worker(id)).deadLetters).toBe(2))
  const rows = standIn.rows
  standIn.rows = rows.slice(0, 1)
  await edit(id, { mapping: { id: 'uuid', number: 'dst' } })
  await recordsAre(1)
  expect(await environment.worker(id)).toMatchObject({ deadLetters: 1 })
  const replay = await call('POST', `/api/providers/${id}/dead-letters/replay`, {})
  expect(replay.body).toEqual({ stored: 1, failed: 0 })
  standIn.rows = rows
  await anotherPoll()
  expect(await environment.records()).toHaveLength(2)
  expect(await environment.worker(id)).toMatchObject({ deadLetters: 0, messagesSynced: 2 })
})

test('a row that was given up does not come again after a correction', async () => {
  standIn.rows = [uuidRow({ number: '+447111999998' })]
  const { id } = await add({ mapping: { id: '' } })
  await eventually(async () => expect((await environment.worker(id)).deadLetters).toBe(1))
  const [letter] = (await call('GET', `/api/providers/${id}/dead-letters`)).body
  await call('DELETE', `/api/providers/${id}/dead-letters/${letter.id}`)
  await environment.addNumber('447111999998')
  await edit(id, { mapping: { id: 'uuid' } })
  expect(await environment.records()).toHaveLength(0)
  expect((await environment.worker(id)).deadLetters).toBe(0)
})

test('an address that was entered before under another name is asked about, and its rows stay known', async () => {
  standIn.rows = [sms(), sms(), sms(), sms()]
  const first = await add({ name: 'lab one' })
  await recordsAre(4)
  await call('DELETE', `/api/providers/${first.id}`)
  const { status, body } = await call('POST', '/api/providers', {
    name: 'lab two',
    apiUrl: `${standIn.url.replace('127.0.0.1', '127.0.0.1')}/?limit=5`,
    authType: 'bearer',
    apiKey: 'k',
    enabled: true,
    pollInterval: 1_000,
  })
  expect([status, Object.keys(body.fields)]).toEqual([409, ['knownRows']])
  expect(body.message).toBe(
    'The provider lab one read this address until it was deleted: 4 of its rows are records, of 0.20.',
  )
  const kept = await add({ name: 'lab two', knownRows: 'keep' })
  await anotherPoll()
  expect(await environment.records()).toHaveLength(4)
  expect(kept.name).toBe('lab two')
  // A live one is recognised as well, also when another one is moved to its address.
  const live = await call('POST', '/api/providers', {
    name: 'lab three',
    apiUrl: standIn.url,
    apiKey: 'k',
    knownRows: 'keep',
  })
  expect([live.status, live.body.message]).toEqual([
    409,
    'The provider lab two reads this address already: 4 of its rows are records, of 0.20.',
  ])
  const other = await add({ name: 'lab three', apiUrl: `${standIn.url}/other`, enabled: false })
  const moved = await call('PUT', `/api/providers/${other.id}`, { apiUrl: standIn.url })
  expect(moved.status).toBe(409)
  const again = { apiUrl: standIn.url, knownRows: 'again', enabled: true }
  expect((await call('PUT', `/api/providers/${other.id}`, again)).status).toBe(200)
  await recordsAre(8)
})

test('a name that another deleted provider had may be given to the one that goes on', async () => {
  standIn.rows = [sms()]
  const first = await add({ name: 'north' })
  await recordsAre(1)
  await call('PUT', `/api/providers/${first.id}`, { name: 'south' })
  await call('DELETE', `/api/providers/${first.id}`)
  const second = await add({ name: 'north', apiUrl: `${standIn.url}/other`, enabled: false })
  await call('DELETE', `/api/providers/${second.id}`)
  const kept = await add({ name: 'north', knownRows: 'keep' })
  await anotherPoll()
  expect([kept.name, (await environment.records()).length]).toEqual(['north', 1])
})

test('a parameter of ours in the address is refused', async () => {
  const { status, body } = await call('POST', '/api/providers', {
    name: 'own',
    apiUrl: 'https://api.example.com/r?since=1',
    apiKey: 'k',
  })
  expect([status, body.fields]).toEqual([
    400,
    { apiUrl: 'Remove the parameter since: Tollgate adds it itself' },
  ])
})
