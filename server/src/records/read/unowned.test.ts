import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase, untilFinal } from '../../../test/environment/database.ts'
import { row } from '../../platform/db.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../../ingest/testing/traffic.ts'
import { logEnd } from '../../ingest/log/read-log.ts'
import { readUnowned, readUnownedSince } from './unowned.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 2, numbers: 4 })
const ingest = await makeIngest(db)
afterAll(() => ingest.stop())

test('what a number received while nobody held it is read in its time, and what came since then too, also late', async () => {
  const [held = '', nobodys = ''] = [numbers[0], numbers.at(-1)]
  const found = await row<{ id: number }>(db, sql`select id from numbers where number = ${nobodys}`)
  const hour = (nth: number) => Date.UTC(2026, 2, 4, nth)
  const span = { numberId: found?.id ?? 0, from: new Date(hour(1)), to: new Date(hour(3)) }
  const answers = new Answers()
  const send = async (...messages: [digits: string, hour: number][]) => {
    const before = answers.answered
    for (const [digits, nth] of messages)
      ingest.accept(messageTo(digits, answers, { createdAtMs: hour(nth) }))
    await answers.until(before + messages.length)
  }
  await send([nobodys, 0], [nobodys, 1], [nobodys, 2], [held, 2], [nobodys, 3])
  const hours = (records: readonly { createdAt: Date }[]) =>
    records.map(({ createdAt }) => createdAt.getUTCHours()).toSorted((a, b) => a - b)
  await untilFinal(db)
  const end = await logEnd(db)
  expect(hours(await readUnowned(db, span, 10))).toEqual([1, 2])
  expect(hours(await readUnowned(db, span, 1))).toEqual([1])
  expect(await readUnownedSince(db, span, end)).toEqual([])
  await send([nobodys, 2], [held, 2], [nobodys, 4])
  const since = await readUnownedSince(db, span, end)
  expect(hours(since)).toEqual([2])
  const all = (await readUnowned(db, span, 10)).map(({ id }) => id)
  expect(all).toHaveLength(3)
  expect(all).toContain(since[0]?.id)
})
