// Imports of numbers, for tests: a database without numbers before each test, and support that imports.
import { sql } from 'kysely'
import { beforeEach } from 'vitest'
import { execute, row } from '../../platform/db.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'

export const environment = await openTestNumbers()
export const { db } = environment
export const support = await environment.person('support')
export const path = '/api/premium-numbers/import'
export const header = 'Number,Description,Rate,Status,Country,Country Code'

export const post = (data: string, query = '') => support.post(`${path}${query}`, { data })
export const count = async () =>
  (await row<{ n: number }>(db, sql`select count(*)::int as n from numbers where deleted_at is null`))?.n
export async function clear(): Promise<void> {
  await execute(db, 'delete from number_holders')
  await execute(db, 'delete from numbers')
}

beforeEach(clear)
