import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { afterUse, openTestDatabase } from '../../../test/environment/database.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../../ingest/testing/traffic.ts'
import { getRecord } from './get-record.ts'
import { listFilterOptions } from './list-filters.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 2, numbers: 2 })
const ingest = await makeIngest(db)
afterUse(() => ingest.stop())
const staff = { userId: 0, role: 'support' as const }
const answers = new Answers()
ingest.accept(messageTo(numbers[0]!, answers))
await answers.until(1)
const [messageId] = [...answers.committedIds.keys()]

/** Who is without a receiver, and what the record of its client says last. */
async function seen() {
  const { withoutReceiver } = await listFilterOptions(db, staff)
  const deps = { db, secrets: testSecrets, joinSegments: async () => undefined }
  const record = await getRecord(deps, staff, messageId!, async () => [])
  return { isWithout: withoutReceiver.includes(record.client), last: record.timeline.at(-1)?.title }
}

test('a pending record of a client that nothing reaches says so, until a bind, a webhook or a key can be reached', async () => {
  const without = { isWithout: true, last: 'No receiver' }
  const reached = { isWithout: false, last: 'Committed, then acknowledged' }
  expect(await seen()).toEqual(without)
  const holder = sql`(select user_id from number_holders h join numbers n on n.id = h.number_id
    where n.number = ${numbers[0]})`
  await sql`insert into bind_receivers (user_id, position) values (${holder}, '0')`.execute(db)
  expect(await seen()).toEqual(reached)
  await sql`delete from bind_receivers`.execute(db)
  await sql`insert into endpoints (user_id, name, url, method, encrypted_secret, rate_limit, status)
    values (${holder}, 'hook', 'https://example.org', 'POST', '', 60, 'inactive')`.execute(db)
  expect(await seen()).toEqual(without)
  await sql`update endpoints set status = 'active'`.execute(db)
  expect(await seen()).toEqual(reached)
  await sql`update endpoints set events = '{bill}'`.execute(db)
  expect(await seen()).toEqual(without)
  await sql`insert into api_keys (id, user_id, prefix, key_hash, scopes)
    values ('k', ${holder}, 'tg', '', '{events:read,records:read}')`.execute(db)
  expect(await seen()).toEqual(reached)
})
