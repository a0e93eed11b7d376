import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute, rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { systemActor } from './index.ts'
import { actions, listEntries } from './store.ts'

const { db } = await openTestDatabase()
const clock = fixedClock()
const start = clock.now()
const audit = createTestAudit({ db, clock })
const anna = { userId: 1, username: 'anna' }

function entry(action: string, objectId = '7', more: object = {}) {
  return { actor: anna, ip: '192.0.2.1', action, objectType: 'user', objectId, ...more }
}

/** What only the database's owner can do: change the log behind the triggers' back. */
async function tamper(statement: string) {
  await execute(db, `set session_replication_role = replica; ${statement}; reset session_replication_role`)
}

beforeEach(async () => {
  clock.set(start)
  await tamper(
    `delete from audit_entries; update audit_head set id = 0, hash = '', entry_count = 0, key_id = null, hmac = null`,
  )
})

test('an entry tells who did what, when and from where, before and after', async () => {
  await audit.record(
    db,
    entry('user.edit', '7', { before: { email: 'a@x.org' }, after: { email: 'b@x.org' } }),
  )
  const { items } = await listEntries(db, { limit: 10 })
  expect(items).toEqual([
    {
      id: '1',
      at: '2026-03-04T12:00:00.000Z',
      actorId: 1,
      actor: 'anna',
      ip: '192.0.2.1',
      action: 'user.edit',
      objectType: 'user',
      objectId: '7',
      // There is no such person any more.
      objectName: '',
      before: { email: 'a@x.org' },
      after: { email: 'b@x.org' },
      isUndoable: false,
    },
  ])
})

test('a change that is rolled back leaves no entry', async () => {
  const attempt = transaction(db, async (tx) => {
    await audit.record(tx, entry('user.edit'))
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect((await listEntries(db, { limit: 10 })).items).toEqual([])
})

test('the log can be neither changed, deleted from nor emptied', async () => {
  await audit.record(db, entry('user.edit'))
  for (const statement of [
    `update audit_entries set actor = 'x'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ])
    await expect(execute(db, statement)).rejects.toThrow('append-only')
})

test('no secret, line break or unstorable text gets into an entry', async () => {
  await audit.record(db, {
    ...entry('key.create', 'a\r\nb', {
      after: {
        password: 'hunter2',
        nested: { apiKey: 'k1' },
        amountMicro: 5n,
        hasPassword: true,
        note: 'x\u0000\ud800y',
      },
    }),
    actor: { userId: null, username: 'eve\nuser.edit' },
  })
  const { items } = await listEntries(db, { limit: 1 })
  expect(items[0]).toMatchObject({
    actor: 'eve user.edit',
    objectId: 'a  b',
    after: {
      password: '[hidden]',
      nested: { apiKey: '[hidden]' },
      amountMicro: '5',
      hasPassword: true,
      note: 'x\ufffd\ufffdy',
    },
  })
  const stored = await rows<{ text: string }>(db, sql`select e::text as text from audit_entries e`)
  expect(JSON.stringify(stored)).not.toMatch(/hunter2|k1/)
})

test('an entry of a change of many rows says whether that can still be undone', async () => {
  const made = await rows<{ id: string }>(
    db,
    sql`with person as (
          insert into users (username, email, first_name, last_name, password_hash, role, status)
          values ('berta', 'berta@example.com', 'B', 'B', 'x', 'support', 'active') returning id
        )
        insert into bulk_changes (kind, user_id, made_at, undone_at)
        select 'user.status', person.id, made_at, undone_at from person, (values
          (1, now(), null), (2, now(), now()), (3, now() - interval '8 days', null)) c (n, made_at, undone_at)
        order by n returning id`,
  )
  for (const change of [...made.map(({ id }) => id), 'of plans', undefined])
    await audit.record(db, entry('user.suspend', '7', { after: { status: 'suspended', change } }))
  const { items } = await listEntries(db, { limit: 10 })
  expect(items.map(({ isUndoable }) => isUndoable).toReversed()).toEqual([true, false, false, false, false])
})

test('filters narrow the list, and pages neither skip nor repeat while entries are added', async () => {
  for (let index = 1; index <= 5; index += 1) await audit.record(db, entry('user.edit', String(index)))
  clock.advance(24 * 60 * 60 * 1000)
  await audit.record(db, { ...entry('range.create', '100%'), actor: systemActor, objectType: 'range' })

  const first = await listEntries(db, { limit: 4 })
  expect(first.items.map(({ id }) => id)).toEqual(['6', '5', '4', '3'])
  await audit.record(db, entry('user.edit', '9'))
  const second = await listEntries(db, { limit: 4, cursor: first.next })
  expect(second.items.map(({ id }) => id)).toEqual(['2', '1'])
  expect(second.next).toBeUndefined()

  const ids = async (filter: object) =>
    (await listEntries(db, { limit: 50, ...filter })).items.map(({ id }) => id)
  expect(await ids({ action: 'range.create' })).toEqual(['6'])
  expect(await ids({ actorId: 1, objectId: '2' })).toEqual(['2'])
  expect(await ids({ objectType: 'range' })).toEqual(['6'])
  await audit.record(db, { ...entry('user.suspend', '3'), after: { status: 'suspended', change: '12' } })
  expect(await ids({ changeId: '12' })).toEqual(['8'])
  expect(await ids({ search: '100%' })).toEqual(['6'])
  expect(await ids({ search: 'SYST' })).toEqual(['6'])
  expect(await ids({ dateTo: '2026-03-04' })).toEqual(['5', '4', '3', '2', '1'])
  expect(await ids({ dateFrom: '2026-03-05' })).toEqual(['8', '7', '6'])
  // 22:00 UTC and later is the next day in Jerusalem.
  expect(await ids({ dateFrom: '2026-03-05', zone: 'Asia/Jerusalem' })).toEqual(['8', '7', '6'])
  expect(await actions(db)).toEqual(['range.create', 'user.edit', 'user.suspend'])
})

test.each([
  'x',
  'bnVsbA',
  Buffer.from('["1; drop table users"]').toString('base64url'),
  Buffer.from('{}').toString('base64url'),
])('the cursor %s is refused', async (cursor) => {
  await expect(listEntries(db, { limit: 4, cursor })).rejects.toMatchObject({
    code: 'invalid',
    fields: { cursor: 'Not a cursor of this list' },
  })
})
