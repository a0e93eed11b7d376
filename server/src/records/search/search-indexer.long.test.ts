import { sql } from 'kysely'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { row } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { bitRowBytes } from './index-blocks.ts'
import { SearchIndexer } from './search-indexer.ts'
import { slotCount } from './bloom-filter.ts'
import { IndexWarmer } from './index-warmer.ts'

const { db, pool } = await openTestDatabase()
let follower: SearchIndexer | undefined

beforeAll(() => fillRecords(pool, { records: 2_000, days: 2, now: fixedClock('2026-03-04T12:00:00Z').now() }))
afterEach(async () => {
  await follower?.stop()
  await sql`truncate record_blocks, record_block_groups, record_postings, record_numbers`.execute(db)
  await sql`update follower_positions set xid = '0', batch = 0 where follower = 'search'`.execute(db)
})

function follow(isBusy: () => boolean, patienceMs: number): void {
  const onFault = (error: Error) => {
    throw error
  }
  follower = new SearchIndexer({ db, onFault, overload: new Overload({ isBusy, patienceMs }) })
  follower.start()
}

const blockCount = async () =>
  Number((await row<{ count: string }>(db, sql`select count(*) from record_blocks`))?.count)

test('under overload nothing is indexed, and everything once it is over', async () => {
  let isBusy = true
  follow(() => isBusy, 60_000)
  await new Promise((settle) => setTimeout(settle, 1_500))
  expect(await blockCount()).toBe(0)
  isBusy = false
  await expect.poll(blockCount).toBeGreaterThan(5)
})

test('an overload that does not end stops the indexing only for a while', async () => {
  follow(() => true, 500)
  await expect.poll(blockCount).toBeGreaterThan(5)
})

test('after a start, groups and then their blocks are read once, as many as there is memory for', async () => {
  const emptySlices = Buffer.alloc(slotCount * bitRowBytes)
  await sql`insert into record_block_groups (created_from, created_to, bit_rows)
    select at, at + interval '1 hour', ${emptySlices} from generate_series(1, 11) i,
      lateral (select timestamptz '2026-01-01' + i * interval '1 hour' as at) t`.execute(db)
  const stepsWith = async (roomBytes?: number) => {
    const warmer = new IndexWarmer(db, roomBytes === undefined ? undefined : async () => roomBytes)
    const counts: number[] = []
    for (let count = await warmer.step(); count > 0; count = await warmer.step()) counts.push(count)
    return counts
  }
  expect(await stepsWith(1e9)).toEqual([8, 8, 6])
  expect(await stepsWith(5 * emptySlices.length)).toEqual([5])
  expect(await stepsWith()).not.toEqual([])
  await sql`select merge_block_groups(${bitRowBytes})`.execute(db)
  expect(await stepsWith(1e9)).toEqual([11, 11])
})
