// Candidates while the search tables move on between two statements of one search.
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fillRecords } from '../../../bench/fill.ts'
import { fixedClock, openTestDatabase } from '../../../test/harness.ts'
import { row, rows } from '../../platform/db.ts'
import { SegmentBuilder, sliceBytes } from './build-segments.ts'
import { CandidateSupply, type Candidate } from './candidates.ts'
import { keysOfPostings } from './postings.ts'

const { db, pool } = await openTestDatabase()
// Short segments.
const builder = new SegmentBuilder(db, 24)
const clock = fixedClock('2026-03-04T12:00:00Z')

async function countPostings(): Promise<number> {
  const found = await row<{ count: string }>(db, sql`select count(*) from record_postings`)
  return Number(found?.count)
}

async function countSignatures(): Promise<number> {
  const found = await row<{ count: string }>(db, sql`select count(*) from record_signatures`)
  return Number(found?.count)
}

beforeAll(async () => {
  await fillRecords(pool, { records: 72_000, days: 30, now: clock.now(), clients: 40, numbers: 400 })
  // As many signatures as one fold takes.
  while ((await countSignatures()) < 8 && (await builder.build()) > 0);
}, 120_000)

test('signatures that are folded between two turns of a search hide none of their segments and give none twice', async () => {
  const supply = new CandidateSupply(db, { gatewayIds: [5] }, undefined, 2)
  const taken = new Set<string>()
  for (let turn = await supply.take(40); turn !== undefined; turn = await supply.take(40)) {
    for (const { signatureId, places } of turn.places)
      for (const place of places) {
        expect(taken).not.toContain(`${signatureId} ${place}`)
        taken.add(`${signatureId} ${place}`)
      }
    if (taken.size < 80) await sql`select fold_signatures(${sliceBytes})`.execute(db)
  }
  expect(await countSignatures()).toBe(1)
  const holding = await rows<{ place: string }>(
    db,
    sql`select signature_id || ' ' || place as place from record_segments
        where signature_id is not null and 5 = any(gateway_ids)`,
  )
  expect(holding.length).toBeGreaterThan(100)
  expect(holding.map(({ place }) => place).filter((place) => !taken.has(place))).toEqual([])
})

test('postings that are made between two turns of a search hide none of its records', async () => {
  const numberIds = [9, 90, 190]
  const supply = new CandidateSupply(db, { numberIds }, undefined, 1)
  const taken: Candidate[] = []
  const before = await countPostings()
  for (let turn = await supply.take(5); turn !== undefined; turn = await supply.take(5)) {
    expect(turn.places).toEqual([])
    taken.push(...turn.candidates)
    await builder.build()
  }
  expect(await countPostings()).toBeGreaterThan(before)
  const of = (kind: Candidate['kind']) => taken.filter((candidate) => candidate.kind === kind)
  const hidden = await rows(
    db,
    sql`select id from records r where number_id = any(${numberIds}::int[])
          and id / 4096 <> all(${of('batch').map(({ id }) => id)}::bigint[])
          and not exists (
            select from record_segments s where s.id = any(${of('segment').map(({ id }) => id)}::bigint[])
              and r.id = any(s.record_ids)
          )
          and not exists (
            select from (${keysOfPostings(of('posting'))}) p where p.id = r.id and p.created_at = r.created_at
          )`,
  )
  expect(hidden).toEqual([])
  for (const kind of ['batch', 'segment', 'posting'] as const) expect(of(kind).length).toBeGreaterThan(1)
})
