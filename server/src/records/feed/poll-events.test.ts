// Long polling: nothing is skipped, nothing comes twice, and a call that waits ends with the first event.
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../test/harness.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../ingest/testing/traffic.ts'
import type { Viewer } from '../read/viewer.ts'
import { EventPolls } from './poll-events.ts'

async function openPolls() {
  const { db } = await openTestDatabase()
  // client1 holds the second number, client2 the first; the third is nobody’s.
  const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
  const ingest = await makeIngest(db)
  onTestFinished(() => ingest.stop())
  const polls = new EventPolls(db)
  const live = new AbortController()
  const poll = (viewer: Viewer, cursor?: string, waitSeconds = 0, limit = 100, signal = live.signal) =>
    polls.poll(viewer, { cursor, limit, waitSeconds }, signal)
  const send = async (digits: string | undefined, count = 1): Promise<string[]> => {
    const answers = new Answers()
    for (let at = 0; at < count; at += 1) ingest.accept(messageTo(digits ?? '', answers))
    await answers.until(count)
    return [...answers.committedIds.keys()]
  }
  return { numbers, poll, send }
}

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
      got.push(...page.events.map(({ record }) => record.messageId))
      cursor = page.cursor
    }
    expect((await poll(viewer, cursor)).events).toEqual([])
    return got
  }
  expect(await read(client, 3, 7)).toEqual(mine)
  expect((await read(other, 500, 3)).toSorted()).toEqual(theirs.toSorted())
  expect((await read(staff, 2, 10)).toSorted()).toEqual([...mine, ...theirs].toSorted())
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
