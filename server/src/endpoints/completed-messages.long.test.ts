// The event message.completed: from joined segments to a signed webhook.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Delivery } from '@tollgate/contract/endpoints/deliveries.ts'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'
import { testSecrets } from '../ingest/testing/traffic.ts'
import { LongMessageJoiner } from '../long-messages/long-message-joiner.ts'
import { deliverMessages } from './index.ts'
import { Overload } from '../platform/load/overload.ts'

const { db, numbers, add, longSms, clear, deliveries, hurry, stopNode, startNext } = await openTestEndpoints()
const joiner = new LongMessageJoiner({
  db,
  secrets: testSecrets,
  waitMs: async () => 600_000,
  onEnded: deliverMessages,
  overload: new Overload({ isBusy: () => false }),
  onFault: (error) => expect.unreachable(String(error)),
})

beforeEach(clear)

type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** The events of a type that came for one of these records or messages. */
const eventsOf = ({ received }: Receiver, type: string, ids: readonly string[]) =>
  received.filter(({ body }) => body.type === type && ids.includes(body.data.messageId as string))

/** Joins until the receiver has got the event; transactions of other tests may hold the log's end back for a moment. */
const completed = async (receiver: Receiver, ids: readonly string[]) => {
  await eventually(async () => {
    await joiner.catchUp()
    expect(eventsOf(receiver, 'message.completed', ids)).toHaveLength(1)
  })
  return eventsOf(receiver, 'message.completed', ids)[0]!
}

test('each part tells its place, coding and octets, and the last one is followed by the joined text', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  const ids = await longSms(['one ', 'two ', 'three'])
  const event = await completed(receiver, ids)
  expect(isSigned(event, endpoint.apiKey)).toBe(true)
  expect(event.body.data).toMatchObject({
    messageId: ids[0],
    state: 'complete',
    total: 3,
    partIds: ids,
    missing: [],
    phoneNumber: numbers[1],
    client: 'client1',
    sender: '4915112345678',
    text: 'one two three',
    parts: ['one ', 'two ', 'three'].map((text, index) => ({
      messageId: ids[index],
      position: index + 1,
      raw: {
        octets: expect.stringMatching(
          new RegExp(`^050003..030${index + 1}${Buffer.from(text).toString('hex')}$`),
        ),
      },
    })),
  })
  await eventually(async () => expect(eventsOf(receiver, 'record.created', ids)).toHaveLength(3))
  const second = eventsOf(receiver, 'record.created', [ids[1]!])[0]
  const { reference } = event.body.data
  expect(second?.body.data).toMatchObject({
    text: 'two ',
    encoding: 'gsm7',
    dataCoding: 0,
    part: { reference, total: 3, position: 2 },
    raw: { header: expect.stringMatching(/^050003..0302$/), octets: expect.stringMatching(/74776f20$/) },
  })
})

test('everybody’s endpoint gets the event without the text, another client’s gets nothing', async () => {
  const [all, others] = [await openReceiver(), await openReceiver()]
  await add(all.url)
  await add(others.url, { userId: 2 })
  const ids = await longSms(['secret ', 'words'])
  const { body } = await completed(all, ids)
  expect(body.data).toMatchObject({ state: 'complete', partIds: ids, parts: null })
  expect(JSON.stringify(all.received.map((each) => each.body))).not.toContain('secret')
  const theirs = await longSms(['for ', 'client2'], numbers[0])
  await completed(others, theirs)
  expect(eventsOf(others, 'message.completed', ids)).toEqual([])
})

test('a message that waited too long is told with its missing parts', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  const ids = await longSms(['only this ', undefined, 'and that'])
  await eventually(async () => {
    await joiner.catchUp()
    await sql`update long_messages set due_at = clock_timestamp() where ended_at is null`.execute(db)
    expect(await joiner.endDue()).toBe(true)
  })
  const { body } = await completed(receiver, ids)
  expect(body.data).toMatchObject({
    state: 'incomplete',
    partIds: ids,
    missing: [2],
    text: 'only this […]and that',
  })
})

test('the event survives a change of nodes and a refusal, with the same id', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  await stopNode()
  const ids = await longSms(['a', 'b'])
  await eventually(async () => {
    await joiner.catchUp()
    expect(await deliveries(endpoint.id)).toMatchObject([{ type: 'message.completed', recordId: '' }])
  })
  receiver.script({ status: 503 })
  await startNext()
  await eventually(async () => {
    await hurry(endpoint.id)
    const found = (await deliveries(endpoint.id)).find(({ type }: Delivery) => type === 'message.completed')
    expect(found).toMatchObject({ status: 'delivered' })
  })
  const came = eventsOf(receiver, 'message.completed', ids)
  expect(came.length).toBeGreaterThan(0)
  expect(new Set(came.map(({ id }) => id)).size).toBe(1)
})
