// A checker that never complains proves nothing: each breach is planted in sound books, and must be found.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bufferRecords } from '../test/traffic/counters.ts'
import { openTestBilling } from '../test/money/billing.ts'
import { execute, rows } from '../src/platform/db.ts'
import { foldCounters } from '../src/ingest/fold-store.ts'
import { messageIdOf } from '../src/ingest/index.ts'
import { transaction } from '../src/platform/transaction.ts'
import { checkAll } from './checker.ts'
import { sourceAddressOf, type Journal } from './suppliers.ts'

const environment = await openTestBilling()
const { db, address } = environment
await execute(
  db,
  `insert into number_holders (number_id, user_id, held_from) values
     (1, 1, '2020-01-01'), (2, 2, '2020-01-01'), (3, 1, '2020-01-01');
   insert into rates (scope, number_id, rate_micro, valid_from) values ('number', 3, 500000, '2020-01-01')`,
)
await environment.traffic({ client: 1, number: 1, count: 5, amountMicro: 50_000 })
await environment.traffic({ client: 1, number: 3, count: 3, amountMicro: 500_000 })
await environment.held({ client: 2, number: 2, amountMicro: 50_000 })
await environment.closeCycle()
await environment.traffic({ client: 2, number: 2, count: 4, amountMicro: 50_000 })
await environment.held({ client: 1, number: 1, amountMicro: 50_000 })
// What ingest writes besides, and the tables that are put back after each breach.
const kept = [
  'records',
  'record_batches',
  'record_hour_counters',
  'record_day_counters',
  'record_cycle_counters',
  'ledger_lines',
  'holds',
  'hold_records',
  'billing_periods',
  'billing_lines',
  'payouts',
]
await execute(
  db,
  `update records set sender = '99' || lpad(id::text, 11, '0');
   truncate record_cycle_counters; ${bufferRecords('records')};
   insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
     select 0, now(), count(*), min(created_at), max(created_at), now() from records`,
)
await transaction(db, foldCounters)
await execute(
  db,
  `create schema kept; ${kept.map((table) => `create table kept.${table} as table ${table};`).join('\n')}`,
)
const records = await rows<{ id: string; created_at: Date }>(
  db,
  sql`select id, created_at from records order by id`,
)
const journal: Journal = {
  acknowledgedIds: records.map(({ id, created_at: at }) =>
    messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) }),
  ),
  acknowledgedKeys: records.map(({ id }) => Number(id)),
  tries: new Map(records.map(({ id }) => [Number(id), 1])),
  unanswered: 0,
  outOfPatience: 0,
  refused: new Map(),
}

// Triggers and keys would refuse what only a fault of the disk, the database or the code could bring about.
const unguarded = (statement: string) =>
  db.transaction().execute((tx) => execute(tx, `set local session_replication_role = replica; ${statement}`))

// A generated column is not written.
const columns = await rows<{ table: string; names: string }>(
  db,
  sql`select attrelid::regclass::text as table, string_agg(quote_ident(attname), ', ' order by attnum) as names
      from pg_attribute where attrelid = any(${kept}::text[]::regclass[]) and attnum > 0 and not attisdropped
        and attgenerated = '' group by attrelid`,
)
const putBack = columns
  .map(
    ({ table, names }) =>
      `delete from ${table}; insert into ${table} (${names}) overriding system value select ${names} from kept.${table};`,
  )
  .join('\n')

/** What the checker says of the books with this breach in them; they are put back. */
async function findingsWith(breach: string) {
  await unguarded(breach)
  const found = await checkAll(address, [journal])
  await unguarded(putBack)
  return found
}

const sound = { lost: 0, doubled: 0, misbilled: 0, breaches: [] }

test('sound books with bills, payouts and holds are found sound, and each acknowledged record is there', async () => {
  expect(await checkAll(address, [journal])).toEqual({ ...sound, stored: records.length, held: 2 })
})

test('an acknowledged record that is not there is lost', async () => {
  const found = await findingsWith('delete from records where id = 1')
  expect(found).toMatchObject({ lost: 1, stored: records.length - 1 })
  expect(found.breaches[0]).toBe(
    `1 acknowledged messages have no record, such as ${journal.acknowledgedIds[0]}`,
  )
})

test('a message that is there twice and counts twice is doubled, once it was sent twice, too', async () => {
  const again = `insert into records
    select (jsonb_populate_record(r, jsonb_build_object('id', r.id + 100))).* from records r where id = 2`
  const found = await findingsWith(again)
  expect(found.doubled).toBe(2)
  expect(found.breaches.join()).toContain(`messages count twice, such as ${sourceAddressOf(2)}`)
  expect(found.breaches.join()).toContain(`more often than they were sent, such as ${sourceAddressOf(2)}`)
})

test('an id that is acknowledged twice is doubled', async () => {
  const twice = { ...journal, acknowledgedIds: [...journal.acknowledgedIds, journal.acknowledgedIds[3]!] }
  expect(await checkAll(address, [twice])).toMatchObject({ lost: 0, doubled: 1, misbilled: 0 })
})

test('a record that nobody sent is doubled', async () => {
  expect(await findingsWith(`update records set sender = '+4477' where id = 2`)).toMatchObject({ doubled: 1 })
})

test.each([
  [
    'a price that was not in force',
    'update records set amount_micro = 50001 where id = 2',
    'at the rate of then',
  ],
  ['another client', 'update records set client_id = 2 where id = 2', 'belongs to who held the number'],
  ['another way of settling', 'update records set settlement = 2 where id = 2', 'at the rate of then'],
  [
    'a batch that lost a record',
    'update record_batches set record_count = record_count + 1',
    'as many records as it says',
  ],
  ['a batch that is not there', 'delete from record_batches', 'as many records as it says'],
  [
    'a ledger that does not balance',
    'update ledger_lines set amount_micro = amount_micro + 1 where id = 1',
    'sums to zero',
  ],
  [
    'a ledger that earns less',
    `delete from ledger_lines where transaction_id = 1`,
    'the ledger earns what the records say',
  ],
  [
    'a counter of a cycle',
    'update record_cycle_counters set record_count = record_count + 1 where client_id = 1',
    'the counters of each cycle',
  ],
  [
    'a counter of a day',
    'update record_day_counters set amount_micro = amount_micro + 1 where client_id = 1 and range_id = -1',
    'the counters by day',
  ],
  [
    'a counter of an hour',
    'update record_hour_counters set record_count = record_count - 1 where client_id = -1 and range_id = -1',
    'the counters by hour',
  ],
  [
    'a held record that is not marked',
    'update records set is_held = false where is_held and cycle_id = 2',
    'marked as held',
  ],
  ['a marked record without a hold', 'update records set is_held = true where id = 2', 'marked as held'],
  [
    'a hold of another amount',
    'update holds set amount_micro = amount_micro + 1',
    'a hold is worth its records',
  ],
  [
    'a bill of another amount',
    'update billing_periods set total_micro = total_micro + 1',
    'no message is billed in two',
  ],
  [
    'a bill that is missing',
    'delete from billing_lines; delete from billing_periods',
    'no message is billed in two',
  ],
  [
    'a line of a bill',
    'update billing_lines set amount_micro = amount_micro - 1',
    'no message is billed in two',
  ],
  [
    'a payout of another amount',
    'update payouts set amount_micro = amount_micro + 1',
    'no message is billed in two',
  ],
  [
    'a debt that the ledger does not know',
    `update payouts set amount_micro = amount_micro + 1`,
    'what the ledger owes',
  ],
])('%s is misbilled', async (_, breach, words) => {
  const found = await findingsWith(breach)
  expect(found.misbilled).toBeGreaterThan(0)
  expect(found.breaches.join('\n')).toContain(words)
})

test('after all of these the books are sound again', async () => {
  expect(await checkAll(address, [journal])).toMatchObject(sound)
})
