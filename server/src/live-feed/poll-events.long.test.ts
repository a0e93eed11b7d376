// Long polling: nothing is skipped, nothing comes twice, and a call that waits ends with the first event.
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import type { PolledEvents } from '@tollgate/contract/live-feed/live-feed.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { systemClock } from '../platform/clock.ts'
import { row } from '../platform/db.ts'
import type { IngestMessage } from '../ingest/index.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../ingest/testing/traffic.ts'
import { LongMessageJoiner } from '../long-messages/long-message-joiner.ts'
import type { Viewer } from '../records/read/viewer.ts'
import { eventContents } from './event-contents.ts'
import { EventPolls } from './poll-events.ts'
import { Overload } from '../platform/load/overload.ts'

async function openPolls() {
  const { db } = await openTestDatabase()
  // client1 holds the second number, client2 the first; the third is nobody’s.
  const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
  const ingest = await makeIngest(db)
  onTestFinished(() => ingest.stop())
  const polls = new EventPolls(db)
  const live = new AbortController()
  const poll = (viewer: Viewer, cursor?: string, waitSeconds = 0, limit = 100, signal = live.signal) =>
    polls.poll(viewer, { cursor, limit, waitSeconds }, { signal, piece: (work) => work() })
  const onFault = (error: Error) => expect.unreachable(error.message)
  const audit = createTestAudit({ db, clock: systemClock })
  const pollTexts = (viewer: Viewer, cursor: string) => {
    const reader = { ...viewer, username: 'reader', ip: '127.0.0.1' }
    const contents = eventContents({ db, secrets: testSecrets, audit, onFault }, reader)
    return polls.poll(
      viewer,
      { cursor, limit: 100, waitSeconds: 0, contents },
      { signal: live.signal, piece: (work) => work() },
    )
  }
  const joiner = new LongMessageJoiner({
    db,
    secrets: testSecrets,
    waitMs: async () => 0,
    onEnded: async () => undefined,
    overload: new Overload({ isBusy: () => false }),
    onFault,
  })
  const send = async (
    digits: string | undefined,
    count = 1,
    fieldsOf: (at: number) => Partial<IngestMessage> = () => ({}),
  ): Promise<string[]> => {
    const answers = new Answers()
    for (let at = 0; at < count; at += 1) ingest.accept(messageTo(digits ?? '', answers, fieldsOf(at)))
    await answers.until(count)
    return [...answers.committedIds.keys()]
  }
  const endedCount = async () =>
    Number((await row<{ n: string }>(db, sql`select count(ended_at) as n from long_messages`))?.n)
  return { polls, numbers, poll, pollTexts, joiner, endedCount, send }
}

const idsOf = ({ events }: PolledEvents) =>
  events.map((event) => ('record' in event ? event.record : event.message).messageId)

const client: Viewer = { userId: 1, role: 'user' }
const other: Viewer = { userId: 2, role: 'user' }
const staff: Viewer = { userId: 900, role: 'admin' }

test('a program reads all of its own records in order by the cursor, and nobody else’s', async () => {
  const { numbers, poll, send } = await openPolls()
  const start = await poll(client)
  expect(start.events).toEqual([])
  const mine = await send(numbers[1], 7)
  const theirs = await send(numbers[0], 3)
  const read = async (viewer: Viewer, limit: number, count: number) => {
    const got: string[] = []
    let { cursor } = start
    while (got.length < count) {
      const page = await poll(viewer, cursor, 20, limit)
      expect(page.events.length).toBeGreaterThan(0)
      got.push(...idsOf(page))
      cursor = page.cursor
    }
    expect((await poll(viewer, cursor)).events).toEqual([])
    return got
  }
  expect(await read(client, 3, 7)).toEqual(mine)
  expect((await read(other, 500, 3)).toSorted()).toEqual(theirs.toSorted())
  expect((await read(staff, 2, 10)).toSorted()).toEqual([...mine, ...theirs].toSorted())
})

test('a page of hundreds of events is read in pieces of fifty, each in a turn', async () => {
  const { polls, numbers, poll, send } = await openPolls()
  const { cursor } = await poll(staff)
  const sent = await send(numbers[1], 270)
  let [pieces, atOnceMax] = [0, 0]
  const page = await polls.poll(
    staff,
    { cursor, limit: 250, waitSeconds: 0 },
    {
      signal: new AbortController().signal,
      async piece(work) {
        pieces += 1
        const found = await work()
        atOnceMax = Math.max(atOnceMax, (found as Pick<PolledEvents, 'events'>).events.length)
        return found
      },
    },
  )
  expect({ pieces, atOnceMax }).toEqual({ pieces: 5, atOnceMax: 50 })
  expect([...idsOf(page), ...idsOf(await poll(staff, page.cursor))].toSorted()).toEqual(sent.toSorted())
})

/** The fields of a segment with an 8-bit header. */
const segment = (reference: number, total: number, at: number): Partial<IngestMessage> => ({
  esmClass: 0x40,
  body: Buffer.concat([Buffer.of(5, 0, 3, reference, total, at + 1), Buffer.from(`part ${at + 1} `)]),
})

const endsOf = (events: PolledEvents['events']) =>
  events.flatMap((event) => ('message' in event ? [event.message] : []))

test('the end of a long message comes once, after its parts, to its client and to staff', async () => {
  const { numbers, poll, pollTexts, joiner, endedCount, send } = await openPolls()
  const { cursor } = await poll(client)
  const whole = await send(numbers[1], 3, (at) => segment(7, 3, at))
  const [lone] = await send(numbers[1], 1, (at) => segment(8, 2, at))
  const theirs = await send(numbers[0], 2, (at) => segment(9, 2, at))
  // While a transaction elsewhere in the cluster begins or ends, the log can be final a moment later.
  await expect
    .poll(async () => {
      await joiner.catchUp()
      await joiner.endDue()
      return endedCount()
    })
    .toBe(3)
  const read = async (viewer: Viewer, limit: number) => {
    const events: PolledEvents['events'] = []
    for (let [at, isMore] = [cursor, true]; isMore;) {
      const page = await poll(viewer, at, 0, limit)
      events.push(...page.events)
      isMore = page.events.length > 0
      at = page.cursor
    }
    return events
  }
  // Whatever the size of the pages, each event comes once, in the same order.
  const mine = await read(client, 1)
  expect(await read(client, 500)).toEqual(mine)
  const ended = 'message-completed'
  expect(mine.map(({ type }) => type)).toEqual(['record', 'record', 'record', 'record', ended, ended])
  const none = { missing: [], reference: 7, total: 3 }
  expect(endsOf(mine)).toMatchObject([
    { ...none, state: 'complete', partIds: whole, messageId: whole[0] },
    { state: 'incomplete', partIds: [lone], missing: [2], messageId: lone },
  ])
  expect(endsOf(await read(other, 2)).map(({ partIds }) => partIds)).toEqual([theirs])
  expect(endsOf(await read(staff, 3))).toHaveLength(3)
  expect(endsOf((await pollTexts(client, cursor)).events).map(({ text }) => text)).toEqual([
    'part 1 part 2 part 3 ',
    'part 1 […]',
  ])
})

test('a call that waits is answered by the first event, and without one at its end with a usable cursor', async () => {
  const { numbers, poll, send } = await openPolls()
  const { cursor } = await poll(client)
  const empty = await poll(client, cursor, 1)
  expect(empty.events).toEqual([])
  const waiting = poll(client, empty.cursor, 60)
  const [id] = await send(numbers[1])
  expect((await waiting).events).toMatchObject([{ type: 'record', record: { messageId: id } }])
})

test('a caller that goes away waits no more; the fourth waiting call of a person is refused', async () => {
  const { poll } = await openPolls()
  const { cursor } = await poll(client)
  const away = new AbortController()
  const waiting = [1, 2, 3, 4].map(() => poll(client, cursor, 60, 100, away.signal))
  await expect(Promise.race(waiting)).rejects.toMatchObject({ code: 'too_many' })
  // Another person may wait all the same.
  const others = new AbortController()
  const theirs = poll(other, cursor, 60, 100, others.signal)
  away.abort()
  others.abort()
  expect((await theirs).events).toEqual([])
  const ended = (await Promise.allSettled(waiting)).map(({ status }) => status)
  expect(ended.filter((status) => status === 'fulfilled')).toHaveLength(3)
  expect((await poll(client, cursor, 1)).events).toEqual([])
})

test('a text that is no cursor is refused by its name', async () => {
  const { poll } = await openPolls()
  await expect(poll(client, 'yesterday')).rejects.toMatchObject({ fields: { cursor: expect.any(String) } })
})
