import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { makeIngest, Answers, makeBusiness, messageTo } from '../ingest/testing/traffic.ts'
import { logEnd, parsePosition, positionBelow } from '../ingest/index.ts'
import { FeedStream } from './feed-stream.ts'
import { Ring } from './ring.ts'

const { db } = await openTestDatabase()
const [digits = ''] = await makeBusiness(db, { clients: 1, numbers: 1 })

test('what the ring does not hold is read in turns; a reader who waits for one is told that the stream lives', async () => {
  const ingest = await makeIngest(db)
  const answers = new Answers()
  for (let nth = 0; nth < 3; nth += 1) ingest.accept(messageTo(digits, answers))
  await answers.until(3)
  await ingest.stop()
  const end = await logEnd(db)
  let begin: () => void = () => undefined
  const turn = new Promise<void>((resolve) => (begin = resolve))
  let pieces = 0
  const stream = new FeedStream({
    db,
    viewer: { userId: 900, role: 'admin' },
    start: positionBelow(0n),
    ring: () => new Ring(end, 10),
    piece: async (work) => {
      pieces += 1
      await turn
      return work()
    },
  })
  let text = ''
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await setImmediate()
  stream.beat()
  expect(text).toBe('retry: 2000\nid: 0\n\n: heartbeat\nevent: heartbeat\nid: 0\ndata: {}\n\n')
  begin()
  await expect.poll(() => text.match(/event: record\n/g)?.length).toBe(3)
  expect(pieces).toBeGreaterThan(0)
  // The next heartbeat names what has been sent.
  await setImmediate()
  stream.beat()
  const [, lastId = ''] = /id: (\S+)\n(?![^]*id:)/.exec(text) ?? []
  expect(parsePosition(lastId)?.xid).toBeGreaterThanOrEqual(end.xid)
  stream.destroy()
})
