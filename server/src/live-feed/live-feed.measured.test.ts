import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../ingest/testing/traffic.ts'
import type { Viewer } from '../records/read/viewer.ts'
import type { FeedStream } from './feed-stream.ts'
import { LiveFeed } from './live-feed.ts'
import { StateChannel } from './state-channel.ts'
import { parsePosition, formatPosition } from '../ingest/log/log-position.ts'

/** A business of its own for each test: four numbers of two clients, the last with no holder, and a feed of its records. */
async function openFeed() {
  const { db, pool } = await openTestDatabase({ maxConnections: 20 })
  const numbers = await makeBusiness(db, { clients: 2, numbers: 4 })
  const ingest = await makeIngest(db)
  const actors = new Map<number, Viewer | undefined>()
  const faults: Error[] = []
  const onFault = (error: Error) => void faults.push(error)
  const feed = new LiveFeed<Viewer>({
    db,
    currentActor: async (actor) => (actors.has(actor.userId) ? actors.get(actor.userId) : actor),
    onFault,
  })
  onTestFinished(async () => {
    feed.stop()
    await ingest.stop()
    expect(faults).toEqual([])
  })
  const send = async (digits: string, count = 1): Promise<string[]> => {
    const answers = new Answers()
    for (let i = 0; i < count; i += 1) ingest.accept(messageTo(digits, answers))
    await answers.until(count)
    return [...answers.committedIds.keys()]
  }
  return { db, pool, numbers, actors, feed, onFault, send }
}

const staff: Viewer = { userId: 900, role: 'admin' }

interface ReceivedEvent {
  readonly event: string
  readonly id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it waits for
  readonly data: any
}

/** Collects a stream's events as a browser would. */
function listen(stream: FeedStream): { events: ReceivedEvent[]; lastId: () => string; text: () => string } {
  const events: ReceivedEvent[] = []
  let rest = ''
  let all = ''
  let lastId = ''
  stream.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    all += chunk.toString()
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      lastId = field('id') ?? lastId
      const data = field('data')
      if (data !== undefined) events.push({ event: field('event') ?? '', id: lastId, data: JSON.parse(data) })
    }
  })
  return { events, lastId: () => lastId, text: () => all }
}

const idsOf = (events: readonly ReceivedEvent[], kind = 'record') =>
  events.filter(({ event }) => event === kind).map(({ data }) => data.messageId as string)

test('a record is live within a second of its commit, for staff and for its owner alone', async () => {
  const { numbers, feed, send } = await openFeed()
  const [owner, other] = [
    listen(await feed.open({ userId: 2, role: 'user' }, undefined)),
    listen(await feed.open({ userId: 1, role: 'user' }, undefined)),
  ]
  const admin = listen(await feed.open(staff, undefined))
  const masked = listen(await feed.open({ userId: 2, role: 'test' }, undefined))
  const sent: string[] = []
  // A pause of the machine spoils one try or the other.
  await eventually(async () => {
    const [messageId] = await send(numbers[0]!)
    const committedMs = performance.now()
    sent.push(messageId!)
    await expect.poll(() => idsOf(admin.events), { interval: 10 }).toContain(messageId)
    expect(performance.now() - committedMs).toBeLessThan(1_000)
  })
  await expect.poll(() => idsOf(owner.events)).toEqual(sent)
  expect(owner.events[0]!.data).toMatchObject({ phoneNumber: numbers[0], client: 'client2', source: 'smpp' })
  expect(owner.events[0]!.data).not.toHaveProperty('held')
  expect(admin.events[0]!.data).toMatchObject({ held: false })
  await expect.poll(() => masked.events[0]?.data.phoneNumber).toMatch(/^•+\d{4}$/)
  expect(masked.text()).not.toContain(numbers[0])
  expect(other.events).toEqual([])
})

test('a reader that reconnects gets exactly what it missed: no gap, no duplicate', async () => {
  const { numbers, feed, send } = await openFeed()
  const first = await feed.open(staff, undefined)
  const before = listen(first)
  const sentBefore = await send(numbers[1]!, 30)
  await expect.poll(() => idsOf(before.events).length).toBeGreaterThanOrEqual(30)
  // Interrupted after the tenth event.
  const tenth = before.events[9]!
  first.destroy()
  const sentBetween = await send(numbers[2]!, 2_500)
  const second = listen(await feed.open(staff, parsePosition(tenth.id)))
  const sentAfter = await send(numbers[1]!, 5)
  await expect.poll(() => idsOf(second.events).length).toBe(20 + 2_505)
  expect([...idsOf(before.events).slice(0, 10), ...idsOf(second.events)].toSorted()).toEqual(
    [...sentBefore, ...sentBetween, ...sentAfter].toSorted(),
  )
})

test('the order of commits does not matter: a slow transaction is not skipped', async () => {
  const { numbers, feed, pool, send } = await openFeed()
  const stream = await feed.open(staff, undefined)
  const received = listen(stream)
  const [earlier] = await send(numbers[1]!)
  await expect.poll(() => idsOf(received.events)).toEqual([earlier])
  const before = received.events.length
  const events = () => received.events.slice(before).filter(({ event }) => event !== 'heartbeat')
  const slow = await pool.connect()
  await slow.query('begin')
  await slow.query('select pg_current_xact_id()')
  await slow.query(
    `insert into record_changes (record_ids, created_ats) select array[id], array[created_at] from records limit 1`,
  )
  const [quick] = await send(numbers[0]!)
  await sleep(600)
  await slow.query('commit')
  slow.release()
  await expect.poll(() => events().map(({ event }) => event)).toEqual(['record-updated', 'record'])
  expect(idsOf(events())).toEqual([quick])
  // Another node that reads the log from the same position gives the same events with the same ids.
  const again = listen(await feed.open(staff, parsePosition(String(parsePosition(events()[0]!.id)!.xid))))
  await expect.poll(() => again.events.map(({ id }) => id)).toEqual(events().map(({ id }) => id))
  stream.destroy()
})

test('a reader that stops reading falls back to the log and loses nothing', async () => {
  const { numbers, feed, send } = await openFeed()
  const stream = await feed.open({ userId: 1, role: 'user' }, undefined)
  // Nobody's records fill the log as well; they are not this reader's.
  await send(numbers[3]!, 1_000)
  const messages: string[] = []
  for (let i = 0; i < 5; i += 1) messages.push(...(await send(numbers[1]!, 2_000)))
  await sleep(1_500)
  // Back-pressure limits the buffer.
  expect(stream.readableLength).toBeLessThan(1_000_000)
  const received = listen(stream)
  await expect.poll(() => idsOf(received.events).length).toBe(10_000)
  expect(new Set(idsOf(received.events))).toEqual(new Set(messages))
})

test('a position is the same after writing and reading; any other text is no position', () => {
  for (const text of ['12', '12-0-7-0', '99999999999-1-5-4095', '1-2-3-0'])
    expect(formatPosition(parsePosition(text)!)).toBe(text)
  for (const text of ['', 'x', '1-3-3-4', '1-0-1', '-1', '1e9', "1' or 1=1"])
    expect(parsePosition(text)).toBeUndefined()
})

test('a session that ended or was demoted loses its stream within five seconds', async () => {
  const { actors, feed } = await openFeed()
  const stays = await feed.open({ userId: 703, role: 'user' }, undefined)
  await eventually(async () => {
    actors.clear()
    const ended = await feed.open({ userId: 701, role: 'user' }, undefined)
    const demoted = await feed.open({ userId: 702, role: 'admin' }, undefined)
    const closed = Promise.all([ended, demoted].map((stream) => once(stream, 'close')))
    const begunMs = performance.now()
    actors.set(701, undefined)
    actors.set(702, { userId: 702, role: 'user' })
    await closed
    expect(performance.now() - begunMs).toBeLessThan(5_000)
  })
  expect(stays.destroyed).toBe(false)
  stays.destroy()
})

test('an event of a state reaches everybody who may see it, on all nodes, and nobody else', async () => {
  const { db, feed, onFault } = await openFeed()
  const channel = new StateChannel({
    db,
    onEvent: (event) => feed.send(event),
    onFault,
  })
  const elsewhere = new StateChannel({ db, onEvent: () => undefined, onFault })
  await channel.start()
  const admin = listen(await feed.open(staff, undefined))
  const user = listen(await feed.open({ userId: 5, role: 'user' }, undefined))
  await elsewhere.publish({
    kind: 'connection',
    payload: { id: '7', status: 'error' },
    audience: { permission: 'interconnectionApi' },
  })
  await elsewhere.publish({
    kind: 'request',
    payload: { id: '1' },
    audience: { permission: 'numbersManagement', userId: 5 },
  })
  // Too long for NOTIFY: it stays on its node.
  await elsewhere.publish({
    kind: 'worker',
    payload: { big: 'x'.repeat(9_000) },
    audience: { permission: 'httpProviders' },
  })
  await expect.poll(() => admin.events.map(({ event }) => event)).toEqual(['connection', 'request'])
  expect(admin.events[0]!.data).toEqual({ id: '7', status: 'error' })
  expect(user.events.map(({ event, data }) => [event, data])).toEqual([['request', { id: '1' }]])
  channel.stop()
})

test('a person has ten streams; the eleventh is refused, and so is everybody once all are taken', async () => {
  const { db } = await openFeed()
  const small = new LiveFeed({
    db,
    currentActor: async (actor) => actor,
    onFault: () => undefined,
    streamsInAll: 12,
  })
  const open = (userId: number) => small.open({ userId, role: 'user' }, undefined)
  const opened = await Promise.allSettled(Array.from({ length: 40 }, () => open(801)))
  const streams = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(streams).toHaveLength(10)
  await expect(open(801)).rejects.toMatchObject({ code: 'too_many', retryAfterSeconds: 30 })
  await open(802)
  await open(803)
  await expect(open(804)).rejects.toMatchObject({ code: 'too_many', retryAfterSeconds: 60 })
  const closed = new Promise((resolve) => streams[0]?.once('close', resolve))
  streams[0]?.destroy()
  await closed
  await expect(open(801)).resolves.toBeDefined()
  small.stop()
})

test('without readers there are no queries', async () => {
  const { pool, feed } = await openFeed()
  // The log is read by a prepared statement of this name.
  const logReads = () =>
    query.mock.calls.filter(([query]) => (query as { name?: string }).name === 'feed_entries')
  const query = vi.spyOn(pool, 'query')
  const stream = await feed.open(staff, undefined)
  await expect.poll(() => logReads().length).toBeGreaterThan(1)
  stream.destroy()
  await expect.poll(() => feed.readerCount).toBe(0)
  // The one that was under way.
  await sleep(300)
  query.mockClear()
  await sleep(700)
  expect(logReads()).toEqual([])
})
