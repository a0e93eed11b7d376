import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { row } from '../platform/db.ts'
import { startStream } from './testing/stream.ts'
import { Answers, makeBusiness, makeIngest } from './testing/traffic.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 2, numbers: 10 })
const ingest = await makeIngest(db)
afterAll(() => ingest.stop())

const inCommit = async () =>
  (
    await row<{ count: number }>(
      db,
      sql`select count(*)::int from pg_stat_activity
          where datname = current_database() and application_name = 'tollgate-ingest' and wait_event = 'PgSleep'`,
    )
  )?.count

test('while commits take long, more batches are in flight than there are processors for', async () => {
  await sql`create function test_sleep() returns trigger language plpgsql as
    $$begin perform pg_sleep(0.05); return null; end$$`.execute(db)
  // Deferred, it runs in the commit, as a flush of the log does.
  await sql`create constraint trigger test_slow_commit after insert on record_batches
    deferrable initially deferred for each row execute function test_sleep()`.execute(db)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers, 600)
  await expect.poll(inCommit, { interval: 10 }).toBeGreaterThan(3)
  await stream.stop()
  expect(answers.failures).toEqual([])
})
