// From stored segments to whole messages, on a real database.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows, type Db } from '../platform/db.ts'
import { type IngestMessage } from '../ingest/index.ts'
import { type LongMessageJoinerOptions } from './long-message-joiner.ts'
import { openLongMessagesEnvironment, part } from './testing/long-messages-environment.ts'

const { db, freeNumber, store, joiner, messagesTo, wholeOf } = await openLongMessagesEnvironment()

test('nodes that join at once and crash at any step end each message exactly once', async () => {
  const digits = freeNumber()
  let calls = 0
  const onEnded: LongMessageJoinerOptions['onEnded'] = async (tx, messages) => {
    calls += 1
    if (calls % 3 === 1) throw new Error('the node was killed')
    await note(
      tx,
      messages.map(({ id }) => id),
    )
  }
  // Any row of the database will do to see what was committed.
  const note = async (tx: Db, ids: readonly number[]) => {
    for (const id of ids)
      await sql`insert into record_changes (record_ids, created_ats) values (array[${id}::bigint], '{}')`.execute(
        tx,
      )
  }
  const nodes = [joiner({ onEnded }), joiner({ onEnded })]
  const joinAll = () => Promise.allSettled(nodes.map((node) => node.catchUp()))
  for (let reference = 0; reference < 40; reference += 1) {
    await store(digits, [part({ reference, total: 2 }, 1, 'a')])
    const stored = store(digits, [part({ reference, total: 2 }, 2, 'b')])
    await joinAll()
    await stored
  }
  await expect
    .poll(async () => {
      await joinAll()
      return (await messagesTo(digits)).filter(({ isEnded }) => isEnded).length
    })
    .toBe(40)
  const committed = await rows<{ id: string }>(
    db,
    sql`select record_ids[1] as id from record_changes where created_ats = '{}'`,
  )
  expect(committed).toHaveLength(40)
  expect(new Set(committed.map(({ id }) => id)).size).toBe(40)
})

// Issue: 1,000 of 1,000 ten-part messages, while their number gets 5,000 others in the same minute.
test('each of 1,000 ten-part messages is joined among 5,000 others to the same number in the same minute', async () => {
  const digits = freeNumber()
  const [messageCount, total, otherCount] = [1_000, 10, 5_000]
  const senders = ['4915100000001', '4915100000002', '4915100000003', '4915100000004']
  const from = (sender: string) => ({ displayedSourceAddress: sender, sourceAddress: sender })
  const startMs = Date.now() - 60_000
  const textOf = (message: number) =>
    Array.from({ length: total }, (_, index) => `${message}.${index + 1} `).join('')
  const parts = Array.from({ length: messageCount * total }, (_, index) => {
    // Ten messages at a time, their parts mixed and in no order: 37 has no common divisor with 100.
    const block = Math.floor(index / 100) * 10
    const place = (index * 37) % 100
    const [message, position] = [block + (place % 10), Math.floor(place / 10) + 1]
    const of = { reference: Math.floor(message / senders.length), total }
    return {
      message,
      fields: { ...part(of, position, `${message}.${position} `), ...from(senders[message % 4] ?? '') },
    }
  })
  const mixed: Partial<IngestMessage>[] = []
  for (const [index, { fields }] of parts.entries()) {
    mixed.push(fields)
    if (index % 2 === 0)
      mixed.push({ ...from(senders[index % 4] ?? ''), body: Buffer.from(`other ${index}`) })
  }
  expect(mixed).toHaveLength(messageCount * total + otherCount)
  const timed = mixed.map((fields, index) => ({ ...fields, createdAtMs: startMs + index * 4 }))
  const ids = await store(digits, timed)
  const ended = new Map<number, string>()
  const node = joiner({
    onEnded: async (_, messages) => {
      for (const { id, recordIds } of messages) ended.set(id, recordIds.join(' '))
    },
  })
  await expect
    .poll(
      async () => {
        await node.catchUp()
        return ended.size
      },
      { timeout: 240_000 },
    )
    .toBe(messageCount)
  const idOfPart = new Map(mixed.map((fields, index) => [fields, ids[index] ?? 0]))
  const texts: (string | undefined)[] = []
  for (let message = 0; message < messageCount; message += 1) {
    const own = parts.find((each) => each.message === message)
    texts.push((await wholeOf(idOfPart.get(own!.fields) ?? 0))?.text)
  }
  expect(texts).toEqual(Array.from({ length: messageCount }, (_, message) => textOf(message)))
})
