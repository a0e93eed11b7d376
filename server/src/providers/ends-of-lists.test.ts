// How providers say that a list is at its end, or that there is nothing new.
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestProviders } from '../../test/traffic/providers.ts'

const { environment, standIn, add, sms, recordsAre, anotherPoll } = await openTestProviders()

/** Answers with this page, and with that one to each cursor. */
function pages(first: (rows: unknown[]) => object, next: (cursor: string) => object): void {
  standIn.onRequest = ({ cursor }) => ({
    body: JSON.stringify(cursor === null ? first(standIn.rows) : next(cursor)),
  })
}

const ends: [string, (rows: unknown[]) => object, (cursor: string) => object][] = [
  [
    'an empty page that names the cursor that was asked for',
    (records) => ({ records, nextCursor: 'c-3' }),
    (nextCursor) => ({ records: [], nextCursor }),
  ],
  [
    'hasMore, beside ever new cursors',
    (records) => ({ records, nextCursor: 'c-3', hasMore: false }),
    (cursor) => ({ records: [], nextCursor: `${cursor}x`, hasMore: false }),
  ],
  ['a cursor of 0', (records) => ({ records, nextCursor: 0 }), () => ({})],
  ['a cursor of "0"', (records) => ({ records, nextCursor: '0' }), () => ({})],
  ['a cursor of false', (records) => ({ records, nextCursor: false }), () => ({})],
  [
    'a last page whose rows come again for ever',
    (records) => ({ records: records.slice(0, 2), nextCursor: 'last' }),
    (nextCursor) => ({ records: standIn.rows.slice(2), nextCursor }),
  ],
]

test.each(ends)('%s is the end, and the next poll begins behind the newest row', async (_, first, next) => {
  standIn.rows = [sms(), sms(), sms()]
  pages(first, next)
  const { id } = await add()
  await recordsAre(3)
  await anotherPoll()
  await eventually(async () => expect(standIn.requests.at(-1)!.since).not.toMatch(/^1970/))
  standIn.rows.push(sms())
  await recordsAre(4)
  expect(await environment.worker(id)).toMatchObject({ status: 'running', errors: 0, lastError: '' })
})

test.each<[string, object]>([
  ['null', { body: '{"records":null}' }],
  ['a list that is missing', { body: '{"nextCursor":null}' }],
  ['an empty object in its place', { body: '{"records":{}}' }],
  ['204', { status: 204 }],
])('%s is an empty page', async (_, answer) => {
  standIn.always(answer)
  const { id } = await add()
  await anotherPoll()
  expect(await environment.worker(id)).toMatchObject({ status: 'running', errors: 0 })
  standIn.rows = [sms()]
  standIn.always(undefined)
  await recordsAre(1)
})

test('a list that is written as an object of whole numbers is read', async () => {
  standIn.always({ body: JSON.stringify({ records: { 0: sms(), 2: sms() } }) })
  await add()
  await recordsAre(2)
})

test.each([
  ['windows-1255', Buffer.from([0xf9, 0xec, 0xe5, 0xed]), 'שלום'],
  ['iso-8859-1', Buffer.from([0x43, 0x61, 0x66, 0xe9]), 'Café'],
])('a sender in %s is decoded as it is announced', async (charset, octets, sender) => {
  const [before, after] = JSON.stringify({ records: [sms({ sender: '@' })] }).split('@')
  standIn.always({
    headers: { 'content-type': `application/json; charset=${charset}` },
    body: Buffer.concat([Buffer.from(before!), octets, Buffer.from(after!)]),
  })
  await add()
  await recordsAre(1)
  expect(await environment.records()).toMatchObject([{ sender }])
})

test('an address is called as it was written, with our parameters behind its own', async () => {
  const asked: string[] = []
  standIn.onRequest = ({ address }) => void asked.push(address)
  const { id } = await add({ apiUrl: `${standIn.url}?filter=a%20b&flag&key=~x&path=%2Fa%2fb` })
  await standIn.until(1)
  expect(asked[0]).toMatch(
    /^\/records\?filter=a%20b&flag&key=~x&path=%2Fa%2fb&since=1970-01-01T00%3A00%3A00\.000Z$/,
  )
  expect(id).toBeDefined()
})
