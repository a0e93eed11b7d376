// Compares the search index with plain SQL, with enough records for groups of blocks.
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { row, rows } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Condition } from '../query/condition.ts'
import { conjunctionOf, rowPredicates, windowPredicates } from '../query/condition.ts'
import { findPage } from './find-page.ts'
import { BlockIndexer } from './index-blocks.ts'
import { canUseIndex, findByIndex, sumByIndex } from './find-by-index.ts'

const { db, pool } = await openTestDatabase()
const clock = fixedClock('2026-03-04T12:00:00Z')
const oddSenders = ['two\nlines', 'aXaxaXa', 'AXA\u0001axa', 'Ünïcode-ß', 'two', 'lines']

beforeAll(async () => {
  await fillRecords(pool, {
    records: 72_000,
    days: 30,
    now: clock.now(),
    clients: 40,
    numbers: 400,
    batchRecords: 64,
  })
  await sql`
    update records set sender = (${sql.val(oddSenders)}::text[])[1 + (id % 4096) % ${oddSenders.length}]
    where (id / 4096) % 97 = 0 and (id % 4096) % 9 = 0`.execute(db)
  // Small blocks, so that there are enough groups to merge.
  const builder = new BlockIndexer(db, 24)
  while ((await builder.build()) > 0);
})

async function expected(condition: Condition, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    sql`select id from records r where ${conjunctionOf([...windowPredicates(condition), ...rowPredicates(condition)])}
        order by created_at desc, id desc limit ${limit}`,
  )
  return found.map(({ id }) => id)
}

const someNumbers = (count: number) => Array.from({ length: count }, (_, position) => 1 + position * 5)

async function idOf(name: string): Promise<number> {
  const found = await row<{ id: number }>(db, sql`select id from gateways where name = ${name}`)
  return found?.id ?? 0
}

test('the records are in merged groups, in a single group, and in blocks without a group', async () => {
  const groups = await rows<{ part_count: number; ids: string[] }>(
    db,
    sql`select part_count, coalesce(part_ids, array[id]) as ids from record_block_groups order by id`,
  )
  expect(groups.map(({ part_count: count }) => count).toSorted((a, b) => a - b)).toEqual([1, 8])
  const blocks = await rows<{ group_id: string | null; count: string }>(
    db,
    sql`select group_id, count(*) from record_blocks group by 1 order by 1`,
  )
  expect(blocks.slice(0, -1).map(({ group_id: id, count }) => [id, count])).toEqual(
    groups
      .flatMap(({ ids }) => ids)
      .toSorted((a, b) => Number(a) - Number(b))
      .map((id) => [id, '256']),
  )
  expect(blocks.at(-1)?.group_id).toBeNull()
})

test.each([
  'brand-12',
  'axa',
  'xax',
  'two',
  'lines',
  'two\nlines',
  'o\nl',
  'axa\u0001axa',
  'Ünïcode',
  '-ß',
  '4471',
  '447',
  '4',
  'ds2',
])('the senders with %j are found as SQL finds them', async (sender) => {
  const found = await findByIndex(db, { sender }, { after: undefined, limit: 150 })
  expect(found.map(({ id }) => id)).toEqual(await expected({ sender }, 150))
})

test('every pair of filters gives what SQL gives, page after page', async () => {
  const [rare, rarest] = [await idOf('gateway4'), await idOf('gateway5')]
  const conditions: Condition[] = [
    { gatewayIds: [rare] },
    { gatewayIds: [rarest] },
    { gatewayIds: [rare, rarest], clientIds: [3, 4, 5] },
    { clientIds: [7], rangeIds: [2] },
    { rangeIds: [3], gatewayIds: [rare], sender: '447' },
    { gatewayIds: [rare], statuses: [3, 4] },
    { gatewayIds: [rare], numberIds: someNumbers(40) },
    { numberIds: [17] },
    { numberIds: [17], statuses: [3, 4] },
    { numberIds: [9_999] },
    { numberIds: [17, 18], sender: '7', from: new Date('2026-02-10'), to: new Date('2026-02-20') },
    { numberIds: someNumbers(7), clientIds: [3, 4, 5], rangeIds: [1, 2, 3] },
    { numberIds: someNumbers(100), statuses: [4] },
    { numberIds: someNumbers(100), statuses: [2, 3] },
    { numberIds: someNumbers(60).slice(40), clientIds: [3, 4, 5] },
    { numberIds: someNumbers(300), gatewayIds: [rarest] },
    { clientIds: [2], sender: 'brand', from: new Date('2026-02-10'), to: new Date('2026-02-20') },
  ]
  for (const condition of conditions) {
    const all = await expected(condition, 400)
    const page = await findPage(db, condition, { after: undefined, limit: 400, now: clock.now() })
    expect(page.map(({ id }) => id)).toEqual(all)
    if (!canUseIndex(condition)) continue
    const first = await findByIndex(db, condition, { after: undefined, limit: 60 })
    const last = first.at(-1)
    const position = last && { createdAt: last.created_at, id: Number(last.id) }
    const second =
      position === undefined ? [] : await findByIndex(db, condition, { after: position, limit: 340 })
    expect([...first, ...second].map(({ id }) => id)).toEqual(all)
  }
})

test.each<[string, () => Promise<Condition>]>([
  ['gateway and sender', async () => ({ gatewayIds: [await idOf('gateway4')], sender: '7' })],
  ['number', async () => ({ numberIds: [17] })],
  ['many numbers', async () => ({ numberIds: someNumbers(60), statuses: [2] })],
])('a sum by the index is the sum over the records: %s', async (_name, condition_) => {
  const condition = await condition_()
  const [sum] = await sumByIndex(db, condition, sql`''`, sql`true`)
  const plain = await row<{ count: string; bill: string }>(
    db,
    sql`select count(*) as count, sum(bill_micro) as bill from records r where ${conjunctionOf(rowPredicates(condition))}`,
  )
  expect({ count: sum?.count, bill: sum?.bill }).toEqual({ count: plain?.count, bill: plain?.bill })
})

test('a sum over a tail of many pieces counts each record once, also those between them', async () => {
  const condition = { numberIds: [17] }
  const [first] = await expected(condition, 1)
  const undone = new Error('undone, for the other tests')
  const summing = transaction(db, async (tx) => {
    const startMs = clock.now().getTime() - 7 * 86_400_000
    for (let nth = 0; nth < 40; nth += 1) {
      const at = new Date(startMs + (nth < 20 ? nth * 7_000 : nth * 120_000))
      const batchId = 900_000 + nth
      await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
        values (${batchId}, ${at}, 1, ${at}, ${at}, ${at})`.execute(tx)
      await sql`insert into records select (jsonb_populate_record(r, jsonb_build_object(
          'created_at', ${at}::timestamptz, 'id', ${batchId}::bigint * 4096))).*
        from records r where r.id = ${first}`.execute(tx)
    }
    const [sum] = await sumByIndex(tx, condition, sql`''`, sql`true`)
    const plain = await row<{ count: string }>(tx, sql`select count(*) from records where number_id = 17`)
    expect(sum?.count).toBe(plain?.count)
    throw undone
  })
  await expect(summing).rejects.toBe(undone)
})
