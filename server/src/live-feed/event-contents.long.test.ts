// What messages carried, in the feed and in polling: for readers who may read it and asked, with an audit entry.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestKeys } from '../../test/http/keys.ts'
import { rows } from '../platform/db.ts'

const { db, ask, receive } = await openTestKeys()
const reader = 'user,events:read,texts:read'

const readings = () =>
  rows<{ objectId: string; after: object }>(
    db,
    sql`select object_id as "objectId", after from audit_entries where action = 'record.read_texts' order by id`,
  )

async function cursorNow(): Promise<string> {
  const { cursor } = (await (await ask(reader, 'GET', '/api/events/poll')).json()) as { cursor: string }
  return cursor
}

test('a program with both scopes polls texts and octets of its own messages, and each page is in the audit log', async () => {
  const cursor = await cursorNow()
  const ids = [...(await receive(2)), ...(await receive(1, 2))]
  const answer = await ask(reader, 'GET', `/api/events/poll?texts=true&waitSeconds=5&cursor=${cursor}`)
  const { events } = (await answer.json()) as { events: { record: { messageId: string } }[] }
  expect(events.map(({ record }) => record.messageId)).toEqual(ids.slice(0, 2))
  for (const { record } of events)
    expect(record).toMatchObject({
      text: expect.stringMatching(/\w/) as string,
      encoding: 'gsm7',
      part: null,
      raw: { octets: expect.stringMatching(/^([0-9a-f]{2})+$/) as string, dataCoding: 0 },
    })
  expect((await readings()).at(-1)).toEqual({ objectId: ids[0], after: { count: 2, last: ids[1] } })
})

test('the live feed sends them too', async () => {
  const cursor = await cursorNow()
  const [id] = await receive(1)
  const answer = await ask(reader, 'GET', `/api/events?texts=true&lastEventId=${cursor}`)
  let text = ''
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += Buffer.from(chunk).toString()
    if (text.includes(id ?? '')) break
  }
  expect(text).toContain('"raw":{"octets":"')
  expect((await readings()).at(-1)).toMatchObject({ objectId: id })
})

test('nobody else gets them: a key without the scope, a role without the right, and who did not ask', async () => {
  const cursor = await cursorNow()
  await receive(1)
  const [support, key] = await Promise.all(
    ['support,events:read,texts:read', 'user,events:read'].map((each) =>
      ask(each, 'GET', `/api/events/poll?texts=true&cursor=${cursor}`),
    ),
  )
  expect([support?.status, key?.status]).toEqual([403, 403])
  const before = (await readings()).length
  const plain = await ask(reader, 'GET', `/api/events/poll?cursor=${cursor}`)
  const { events } = (await plain.json()) as { events: { record: object }[] }
  expect(events[0]?.record).not.toHaveProperty('raw')
  expect(await readings()).toHaveLength(before)
})
