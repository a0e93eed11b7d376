// From stored segments to whole messages, on a real database.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows, type Db } from '../platform/db.ts'
import { type LongMessageJoinerOptions } from './long-message-joiner.ts'
import { openLongMessagesEnvironment, part } from './testing/long-messages-environment.ts'

const { db, freeNumber, store, joiner, messagesTo } = await openLongMessagesEnvironment()

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
