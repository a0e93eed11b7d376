// A subscriber's number is erased from a database in which he stands everywhere, and nothing else of it changes.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { BlockIndexer } from '../records/search/index-blocks.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { untilFinal } from '../../test/environment/database.ts'
import { testSecrets, totals } from '../ingest/testing/traffic.ts'
import { eraseSubscribers } from './erase-subscriber.ts'
import {
  openSubscribers,
  others,
  placeDeadLetter,
  placeEverywhere,
  subscriber,
} from './testing/subscriber-environment.ts'

const pseudonym = 'erased-subscriber-000001'
const always = () => true

/** Everybody stands everywhere, and half of the records are in the index. */
async function open() {
  const environment = await openSubscribers()
  const { db, send, sendSegment, clock, audit, call, api, cookies } = environment
  await send(subscriber, `+${subscriber}`, ...others)
  for (const sender of [subscriber, ...others]) await sendSegment(sender)
  for (const sender of [subscriber, ...others]) {
    await placeEverywhere(db, sender)
    await placeDeadLetter(db, sender)
  }
  await untilFinal(db)
  await new BlockIndexer(db, 4).build()
  await send(subscriber)
  const parts = { db, clock, secrets: testSecrets, audit }
  const ask = (who: 'ada' | 'bea' = 'ada', number = subscriber) =>
    call(who, 'erasures', { number, reason: 'Asked by letter' })
  const decide = (who: 'ada' | 'bea' | 'support', action = 'approve', id = '1') =>
    api.call('PUT', `/api/subscribers/erasures/${id}`, { body: { action }, cookie: cookies[who] })
  const erasure = async () =>
    (await api.call('GET', '/api/subscribers/erasures', { cookie: cookies['ada'] })).body[0]
  const agree = async () => {
    await ask()
    expect((await decide('bea')).status).toBe(200)
  }
  return { ...environment, parts, ask, decide, erasure, agree }
}

/** Tables and columns in which a text has these digits as a whole number. */
async function placesOf(db: Db, digits: string): Promise<string[]> {
  const columns = await rows<{ table: string; column: string }>(
    db,
    sql`select c.table_name as table, c.column_name as column from information_schema.columns c
        join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
          and c.data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY')`,
  )
  const found: string[] = []
  for (const { table, column } of columns) {
    const text = sql`${sql.ref(column)}::text`
    const hit = await row(
      db,
      sql`select from ${sql.table(table)} where ${text} ~ ${`(^|[^0-9])(00)?${digits}([^0-9]|$)`} limit 1`,
    )
    if (hit !== undefined) found.push(`${table.replace(/_\d{8}$/, '')}.${column}`)
  }
  return [...new Set(found)].toSorted()
}

const holders = [
  'back_test_senders.sender',
  'carrier_dispute_lines.sender',
  'connection_sends.recipient',
  'disputed_records.sender',
  'flight_pdus.fields',
  'integrity_members.sender',
  'listed_senders.sender',
  'long_messages.sender',
  'record_blocks.senders',
  'records.sender',
  'refused_messages.sender',
  'sender_days.sender',
]

/** What must be the same before and after. */
const figures = async (db: Db) => ({
  counted: await totals(db),
  stored: await row(
    db,
    sql`select (select count(*) || ' ' || sum(amount_micro) || ' ' || sum(bill_micro) from records) as records,
      (select string_agg(r::text, ',' order by id) from (select id, number_id, client_id, status, settlement, cycle_id from records) r)
        as all_records,
      (select sum(message_count) || ' ' || sum(amount_micro) from sender_days) as days,
      (select jsonb_agg(l) from ledger_batches l) as ledger,
      (select count(*) || ' ' || sum(amount_micro) from disputed_records) as disputed,
      (select count(*) from integrity_members) as members`,
  ),
})

test('an erasure leaves the number in no table, the others as they were, and each figure the same', async () => {
  const { db, agree, parts, erasure, numbers } = await open()
  expect(await placesOf(db, subscriber)).toEqual(holders)
  const before = await figures(db)
  const ofOthers = await Promise.all(others.map((other) => placesOf(db, other)))
  await agree()
  expect(await eraseSubscribers(parts, always)).toBeGreaterThan(5)
  expect(await placesOf(db, subscriber)).toEqual([])
  expect(await figures(db)).toEqual(before)
  expect(await Promise.all(others.map((other) => placesOf(db, other)))).toEqual(ofOthers)
  expect(await erasure()).toMatchObject({
    state: 'done',
    number: '•••••••••5678',
    pseudonym,
    recordCount: 7,
    waitsFor: null,
  })
  const erased = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from records where sender = ${pseudonym}`,
  )
  expect(erased?.count).toBe(7)
  // A dead letter has its row no more, and does not come again.
  const letters = await rows<{ is_kept: boolean }>(
    db,
    sql`select encrypted_row is not null as is_kept from provider_dead_letters order by id`,
  )
  expect(letters.map(({ is_kept }) => is_kept)).toEqual([false, ...others.map(() => true)])
  expect(numbers).toHaveLength(4)
})

test('it takes two admins; the audit log names both, and masks the number', async () => {
  const { db, ask, decide, call, erasure } = await open()
  expect((await call('support', 'erasures', { number: subscriber, reason: 'x' })).status).toBe(403)
  for (const reason of [`He has ${subscriber}`, `Of +49 (151) 1234-5678`])
    expect((await call('ada', 'erasures', { number: subscriber, reason })).status).toBe(400)
  expect((await ask()).body).toMatchObject({ state: 'requested', number: subscriber, pseudonym: '' })
  expect((await ask('bea')).status).toBe(409)
  expect((await decide('ada')).status).toBe(409)
  expect((await decide('support')).status).toBe(403)
  expect((await decide('bea')).body).toMatchObject({ state: 'running', approvedBy: 'bea' })
  // What is approved cannot be taken back.
  expect((await decide('ada', 'cancel')).status).toBe(409)
  expect(await erasure()).toMatchObject({ requestedBy: 'ada', approvedBy: 'bea' })
  const entries = await rows<{ action: string; actor: string; object_id: string }>(
    db,
    sql`select action, actor, object_id from audit_entries where object_type = 'subscriber' order by id`,
  )
  expect(entries).toEqual([
    { action: 'subscriber.request_erasure', actor: 'ada', object_id: '•••••••••5678' },
    { action: 'subscriber.approve_erasure', actor: 'bea', object_id: '•••••••••5678' },
  ])
})

test('nothing is erased before the approval, and a cancelled erasure forgets the number', async () => {
  const { db, ask, decide, parts, erasure } = await open()
  await ask()
  expect(await eraseSubscribers(parts, always)).toBe(0)
  expect((await decide('ada', 'cancel')).body).toMatchObject({ state: 'cancelled', number: '•••••••••5678' })
  expect(await eraseSubscribers(parts, always)).toBe(0)
  expect(await placesOf(db, subscriber)).toEqual(holders)
  expect(await erasure()).toMatchObject({ state: 'cancelled' })
  expect((await ask('bea')).status).toBe(200)
  // Who asked must still be an admin.
  await sql`update users set role = 'support' where username = 'bea'`.execute(db)
  expect((await decide('ada', 'approve', '2')).status).toBe(409)
})

test('a slice that breaks off is done again, and two nodes at once do each once', async () => {
  const { db, agree, parts, erasure } = await open()
  const before = await figures(db)
  await agree()
  let slices = 0
  await eraseSubscribers(parts, () => (slices += 1) <= 1)
  expect((await placesOf(db, subscriber)).length).toBeGreaterThan(5)
  const broken = {
    decrypt: () => {
      throw new Error('killed')
    },
  }
  await expect(eraseSubscribers({ ...parts, secrets: broken }, always)).rejects.toThrow('killed')
  expect(await erasure()).toMatchObject({ state: 'running' })
  // A node that finds the erasure at work leaves it alone; whoever is left ends it.
  await Promise.all([eraseSubscribers(parts, always), eraseSubscribers(parts, always)])
  await expect
    .poll(async () => {
      await eraseSubscribers(parts, always)
      return (await erasure()).state
    })
    .toBe('done')
  expect(await placesOf(db, subscriber)).toEqual([])
  expect(await figures(db)).toEqual(before)
  expect(await erasure()).toMatchObject({ recordCount: 7 })
  const entries = await rows(db, sql`select from audit_entries where action = 'subscriber.erase'`)
  expect(entries).toHaveLength(1)
})

test('what he writes after the approval is new data, and is found', async () => {
  const { db, agree, parts, send, call } = await open()
  await agree()
  await send(subscriber)
  await untilFinal(db)
  // The new records share blocks with old ones.
  await new BlockIndexer(db, 1).build()
  await eraseSubscribers(parts, always)
  const { body } = await call('ada', 'find', { number: subscriber })
  expect(body.kinds).toContainEqual({ kind: 'record', count: 2, isAtLeast: false })
})

test('while an open case names him, or statements are to be signed, it waits, and goes on after that', async () => {
  const { db, agree, parts, erasure } = await open()
  const name = (state: string) =>
    sql`update integrity_cases set state = ${state}, decided_at = case when ${state} = 'released' then now() end
      where id in (select case_id from integrity_members where sender = ${subscriber})`.execute(db)
  await name('open')
  await agree()
  expect(await eraseSubscribers(parts, always)).toBe(0)
  expect(await erasure()).toMatchObject({ state: 'running', waitsFor: 'case' })
  await name('released')
  await sql`insert into cycle_bills (cycle_id, itemised_at) select id, now() from cycles limit 1`.execute(db)
  expect(await eraseSubscribers(parts, always)).toBe(0)
  expect(await erasure()).toMatchObject({ waitsFor: 'statements', number: subscriber })
  await sql`update cycle_bills set signed_at = now()`.execute(db)
  await eraseSubscribers(parts, always)
  expect(await erasure()).toMatchObject({ state: 'done', waitsFor: null })
})
