// From stored segments to whole messages, on a real database.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rows } from '../platform/db.ts'
import { openLongMessagesEnvironment, part } from './testing/long-messages-environment.ts'

const { db, freeNumber, store, joiner, messagesTo, wholeOf } = await openLongMessagesEnvironment()

/** Joins until the messages to a number are so; transactions of other tests may hold the log's end back for a moment. */
async function expectMessages(
  digits: string,
  expected: readonly (readonly (number | null)[])[],
): Promise<void> {
  const each = joiner()
  await expect
    .poll(async () => {
      await each.catchUp()
      return (await messagesTo(digits)).map(({ record_ids: ids }) =>
        ids.map((id) => (id === null ? null : Number(id))),
      )
    })
    .toEqual(expected)
}

test('a record keeps the place that its header names, and the data_coding of its PDU', async () => {
  const digits = freeNumber()
  const sent = {
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    destAddrTon: 1,
    destAddrNpi: 1,
    serviceType: '',
    tlvs: [],
  }
  const wide = Buffer.concat([Buffer.of(6, 8, 4, 0xbe, 0xef, 255, 254), Buffer.from('x')])
  const ids = await store(digits, [
    { ...part({ reference: 9, total: 3 }, 2, 'x'), sent, dataCoding: 8 },
    { esmClass: 0x40, body: wide, sent },
    // Part 5 of 3 is no place, and without the UDHI bit there is no header.
    { ...part({ reference: 9, total: 3 }, 5, 'x'), sent },
    { ...part({ reference: 9, total: 3 }, 1, 'x'), esmClass: 0 },
    part({ reference: 9, total: 1 }, 1, 'x'),
  ])
  const found = await rows(
    db,
    sql`select data_coding as coding, segment_reference as reference, segment_total as total,
          segment_sequence as sequence, flags & 16 <> 0 as segment
        from records where id = any(${ids}::bigint[]) order by id`,
  )
  const none = { reference: null, total: null, sequence: null, segment: false }
  expect(found).toEqual([
    { coding: 8, reference: 9, total: 3, sequence: 2, segment: true },
    { coding: 0, reference: 0xbeef, total: 255, sequence: 254, segment: true },
    { coding: 0, ...none },
    { coding: null, ...none },
    { coding: null, reference: 9, total: 1, sequence: 1, segment: false },
  ])
})

test('a message is complete when its last segment is joined, in whatever order they come', async () => {
  const digits = freeNumber()
  const [third, first] = await store(digits, [
    part({ reference: 1, total: 3 }, 3, 'three'),
    part({ reference: 1, total: 3 }, 1, 'one '),
  ])
  await expectMessages(digits, [[first!, null, third!]])
  expect(await wholeOf(first!)).toMatchObject({ text: 'one […]three', parts: 2, total: 3 })
  const [second] = await store(digits, [part({ reference: 1, total: 3 }, 2, 'two ')])
  await expectMessages(digits, [[first!, second!, third!]])
  expect(await messagesTo(digits)).toMatchObject([{ isEnded: true }])
  const whole = await wholeOf(third!)
  expect(whole).toMatchObject({ text: 'one two three', parts: 3, total: 3 })
  expect(whole?.otherIds).toHaveLength(2)
})

test('a repeated segment is compared by its octets: the same one joins nothing, another one begins a message', async () => {
  const digits = freeNumber()
  const of = { reference: 2, total: 2 }
  const [first, , other] = await store(digits, [
    part(of, 1, 'same'),
    part(of, 1, 'same'),
    part(of, 1, 'other'),
  ])
  await expectMessages(digits, [
    [first!, null],
    [other!, null],
  ])
})

test('a message whose time is over ends with what came, once, and a late segment does not end it again', async () => {
  const digits = freeNumber()
  const ended: { id: number; missing: number }[] = []
  const node = joiner({
    onEnded: async (_, messages) => {
      ended.push(
        ...messages.map(({ id, recordIds }) => ({
          id,
          missing: recordIds.filter((each) => each === null).length,
        })),
      )
    },
  })
  const of = { reference: 3, total: 2 }
  const [first] = await store(digits, [part(of, 1, 'half')])
  await expectMessages(digits, [[first!, null]])
  await node.endDue()
  expect(ended).toEqual([])
  await sql`update long_messages set due_at = clock_timestamp()
    where number_id = (select id from numbers where number = ${digits})`.execute(db)
  expect(await node.endDue()).toBe(true)
  expect(await node.endDue()).toBe(false)
  expect(ended).toMatchObject([{ missing: 1 }])
  const [second] = await store(digits, [part(of, 2, ' more')])
  await expect
    .poll(async () => {
      await node.catchUp()
      return (await wholeOf(second!))?.text
    })
    .toBe('half more')
  expect(ended).toHaveLength(1)
})
