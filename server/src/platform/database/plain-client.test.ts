import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { driverOf } from '../db.ts'
import { transaction } from '../transaction.ts'

const { db } = await openTestDatabase()

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void

const oldMb = (): number => {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')
  return (space?.space_used_size ?? 0) / 1_048_576
}

test('answers that nobody keeps do not grow old', async () => {
  const read = (from: number) =>
    transaction(db, async (tx) => {
      for (let page = from; page < from + 40; page += 1) {
        const text =
          "select n, 'number ' || n as number, 'description ' || n as description from generate_series(1, 500) n where n <> $1"
        await driverOf(tx).query({ text, values: [page] })
      }
    })
  await read(0)
  collect()
  const before = oldMb()
  for (let turn = 1; turn <= 10; turn += 1) {
    await read(turn * 40)
    collect({ type: 'minor' })
  }
  // Kept, they would be 200,000 rows.
  expect(oldMb() - before).toBeLessThan(8)
})

test('an error of the server comes with the way to who asked', async () => {
  async function askForNothing(): Promise<unknown> {
    return await sql`select 1 / 0`.execute(db)
  }
  const error = await askForNothing().then(
    () => undefined,
    (thrown: unknown) => thrown as Error & { code: string },
  )
  expect(error?.code).toBe('22012')
  expect(error?.stack).toContain('askForNothing')
})
