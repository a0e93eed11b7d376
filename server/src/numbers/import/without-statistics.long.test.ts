// A first import finds tables of which PostgreSQL has no statistics yet.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transaction } from '../../platform/transaction.ts'
import { entriesRead } from '../../../test/traffic/entries-read.ts'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { readChanges } from '../catalog/views.ts'
import { knownNumbers } from './store.ts'

const count = 20_000
const firstNumber = 4477_000_000

/** A database with one import of which PostgreSQL has no statistics. */
async function openImported() {
  const { db } = await openTestDatabase()
  await sql`alter table numbers set (autovacuum_enabled = false)`.execute(db)
  await sql`insert into numbers (number, catalog_version)
    select (${firstNumber}::bigint + n)::text, 0 from generate_series(1, ${count}::int) n`.execute(db)
  await sql`insert into number_imports (catalog_version, first_id, last_id)
    select 2, min(id), max(id) from numbers`.execute(db)
  return db
}

test('new numbers are compared with stored ones without reading all of them', async () => {
  const db = await openImported()
  const digits = Array.from({ length: 1_000 }, (_, index) => String(firstNumber + count - 9 + index))
  await transaction(db, async (tx) => {
    expect(await knownNumbers(tx, digits)).toHaveLength(10)
    expect(await entriesRead(tx)).toBeLessThan(2_000)
  })
})

test('imported numbers are read once, not once for each page', async () => {
  const db = await openImported()
  await transaction(db, async (tx) => {
    const { numbers } = await readChanges(tx, 1n, 2n, new IdleWindows())
    expect(numbers.size).toBe(count)
    expect(await entriesRead(tx)).toBeLessThan(count * 3)
  })
})

test('a connection that began with few numbers looks up many as fast', async () => {
  const { db } = await openTestDatabase()
  await sql`alter table numbers set (autovacuum_enabled = false)`.execute(db)
  await sql`insert into numbers (number) values ('447800000000')`.execute(db)
  await sql`analyze numbers`.execute(db)
  await transaction(db, async (tx) => {
    for (let times = 0; times < 10; times += 1) await knownNumbers(tx, ['447800000000'])
    await sql`insert into numbers (number) select (${firstNumber}::bigint + n)::text
      from generate_series(1, ${count}::int) n`.execute(tx)
    const before = await entriesRead(tx)
    expect(await knownNumbers(tx, [String(firstNumber + 1), String(firstNumber + count)])).toHaveLength(2)
    expect((await entriesRead(tx)) - before).toBeLessThan(100)
  })
})
