// Candidates while the search tables move on between two statements of one search.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { openDatabase, row, rows, type Db } from '../../platform/db.ts'
import { BlockIndexer, bitRowBytes } from './index-blocks.ts'
import { CandidateSource, type Candidate } from './candidates.ts'
import { keysOfPostings } from './posting-lists.ts'

const blockRecords = 24

/** The name of a database with records in small blocks, and as many groups of them as one merge takes. */
const filled = await (async () => {
  const { address } = await openTestDatabase()
  const database = openDatabase({ address })
  const { db, pool } = database
  const builder = new BlockIndexer(db, blockRecords)
  const now = new Date('2026-03-04T12:00:00Z')
  await fillRecords(pool, { records: 72_000, days: 30, now, clients: 40, numbers: 400 })
  while ((await countOf(db, 'record_block_groups')) < 8 && (await builder.build()) > 0);
  await database.close()
  return address.database
})()

async function countOf(db: Db, table: 'record_postings' | 'record_block_groups'): Promise<number> {
  const found = await row<{ count: string }>(db, sql`select count(*) from ${sql.table(table)}`)
  return Number(found?.count)
}

test('a merge of groups between two rounds of a search hides no block and gives none twice', async () => {
  const { db } = await openTestDatabase({ template: filled })
  const source = new CandidateSource(db, { gatewayIds: [5] }, undefined, { groupCount: 2 })
  const taken = new Set<string>()
  for (let batch = await source.take(40); batch !== undefined; batch = await source.take(40)) {
    for (const { groupId, blockNumbers } of batch.groups)
      for (const place of blockNumbers) {
        expect(taken).not.toContain(`${groupId} ${place}`)
        taken.add(`${groupId} ${place}`)
      }
    if (taken.size < 80) await sql`select merge_block_groups(${bitRowBytes})`.execute(db)
  }
  expect(await countOf(db, 'record_block_groups')).toBe(1)
  const stored = await rows<{ place: string }>(
    db,
    sql`select group_id || ' ' || block_number as place from record_blocks
        where group_id is not null and 5 = any(gateway_ids)`,
  )
  expect(stored.length).toBeGreaterThan(100)
  expect(stored.map(({ place }) => place).filter((place) => !taken.has(place))).toEqual([])
})

test('posting lists that are built between two rounds of a search hide no record', async () => {
  const { db } = await openTestDatabase({ template: filled })
  const builder = new BlockIndexer(db, blockRecords)
  const numberIds = [9, 90, 190]
  const source = new CandidateSource(db, { numberIds }, undefined, { groupCount: 1 })
  const taken: Candidate[] = []
  const before = await countOf(db, 'record_postings')
  for (let batch = await source.take(5); batch !== undefined; batch = await source.take(5)) {
    expect(batch.groups).toEqual([])
    taken.push(...batch.candidates)
    await builder.build()
  }
  expect(await countOf(db, 'record_postings')).toBeGreaterThan(before)
  const of = (kind: Candidate['kind']) => taken.filter((candidate) => candidate.kind === kind)
  const hidden = await rows(
    db,
    sql`select id from records r where number_id = any(${numberIds}::int[])
          and id / 4096 <> all(${of('batch').map(({ id }) => id)}::bigint[])
          and not exists (
            select from record_blocks s where s.id = any(${of('block').map(({ id }) => id)}::bigint[])
              and r.id = any(s.record_ids)
          )
          and not exists (
            select from (${keysOfPostings(of('posting'))}) p where p.id = r.id and p.created_at = r.created_at
          )`,
  )
  expect(hidden).toEqual([])
  for (const kind of ['batch', 'block', 'posting'] as const) expect(of(kind).length).toBeGreaterThan(1)
})
