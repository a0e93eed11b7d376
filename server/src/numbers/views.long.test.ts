// Lists of thousands of numbers, of which most have nothing to sort by.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { entriesRead } from '../../test/traffic/entries-read.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { searchCondition } from './search-condition.ts'
import { listNumbers, numberSorts, type NumberPage } from './views.ts'

const { db } = await openTestDatabase()
const sorts = Object.keys(numberSorts) as (keyof typeof numberSorts)[]
const orders = ['asc', 'desc'] as const

// Every hundredth has each of them; what they share stands together, at the end that a list by age shows last.
await sql`insert into numbers (number, description, operator, type, price_micro, account_number, status, catalog_version, created_at)
  select (447000000000 + n)::text, case when n < 2600 then 'Early ' else '' end || 'line ' || n,
    case when n % 100 = 7 then 'Telco ' || n % 3 else '' end,
    case when n % 100 = 8 then 'toll-free' else 'premium' end,
    case when n % 100 = 9 then 1000 * n end, case when n % 100 = 7 then 'ACC-' || n end,
    case when n % 5 = 0 then 'suspended' else 'active' end, 2, timestamptz '2026-01-01' + n * interval '1 second'
  from generate_series(1, 6000) n`.execute(db)
await sql`update catalog set version = 2`.execute(db)
await sql`analyze numbers`.execute(db)

async function idsOf(page: Omit<NumberPage, 'limit' | 'cursor'>, limit: number): Promise<number[]> {
  const ids: number[] = []
  let cursor: string | undefined
  do {
    const cut = await listNumbers(db, { ...page, limit, cursor })
    expect(cut.rows.length).toBeLessThanOrEqual(limit)
    ids.push(...cut.rows.map(({ id }) => id))
    cursor = cut.next
  } while (cursor !== undefined)
  return ids
}

/** The same in one reading of the table. */
async function sortedIds({ filter, sort, order }: Omit<NumberPage, 'limit' | 'cursor'>): Promise<number[]> {
  const direction = sql.raw(order)
  const { expression } = numberSorts[sort]
  const found = await rows<{ id: number }>(
    db,
    sql`select n.id from numbers n where ${filter} order by ${expression} ${direction}, n.id ${direction}`,
  )
  return found.map(({ id }) => id)
}

const naiveSearches = [
  ['', sql`true`],
  ['line 5', sql`n.description ilike '%line 5%'`],
  ['early', sql`n.description ilike '%early%'`],
  ['4470000', sql`true`],
  ['44700000010', sql`n.number like '%44700000010%'`],
  ['nowhere', sql`false`],
] as const

test.each(naiveSearches)(
  'a search for %j finds what a reading of the table finds, in any order',
  async (search, holds) => {
    const filter = await searchCondition(db, 'premium', search)
    for (const sort of sorts)
      for (const order of orders) {
        const page = { filter: sql`${filter} and n.status = 'active'`, search, sort, order }
        const expected = await sortedIds({ ...page, filter: sql`${holds} and n.status = 'active'` })
        expect([sort, order, await idsOf(page, 470)]).toEqual([sort, order, expected])
      }
  },
)

test.each(sorts)('a first page by %s reads little more than its rows', async (sort) => {
  for (const order of orders)
    await transaction(db, async (tx) => {
      const before = await entriesRead(tx)
      await listNumbers(tx, { filter: sql`true`, sort, order, limit: 50 })
      expect((await entriesRead(tx)) - before).toBeLessThan(400)
    })
})
