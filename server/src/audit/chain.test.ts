import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute, row, rows } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { createAudit } from './index.ts'
import { createAuditKeys } from './keys.ts'
import { checkChain } from './verify.ts'

const { db } = await openTestDatabase()
const clock = fixedClock()
const material = 'the key of these tests'
const secrets = createSecrets(material)
const errors: unknown[] = []
const log = { error: (line: unknown) => void errors.push(line), info: () => undefined } as unknown as Logger
let audit = createAudit({ db, clock, secrets, log })
let keys = createAuditKeys(secrets)
const by = { actor: { userId: 1, username: 'anna' }, ip: '192.0.2.1', objectType: 'user' }

async function verifyChain(_: typeof db, by = keys) {
  const { place, breaks } = await checkChain(db, by)
  return { isIntact: breaks.length === 0, count: place.entryCount, brokenId: breaks[0]?.id ?? null }
}

const add = (objectId: string, to = audit) =>
  to.record(db, { ...by, action: 'user.role', objectId, after: { role: 'admin', b: 1, a: [2] } })

/** What only the database's owner can do: change the log behind the triggers' back. */
const tamper = (statements: string) =>
  execute(db, `set session_replication_role = replica; ${statements}; reset session_replication_role`)

beforeEach(async () => {
  errors.length = 0
  // The owner of the database can also drop this rule.
  await execute(db, 'alter table audit_entries alter key_id drop not null')
  await tamper(
    `delete from audit_entries; delete from audit_keys;
     update audit_head set id = 0, hash = '', entry_count = 0, key_id = null, hmac = null`,
  )
  audit = createAudit({ db, clock, secrets, log })
  keys = createAuditKeys(secrets)
})

test('entries written at the same time form one chain without gaps, in the order of their ids', async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      transaction(db, async (tx) => {
        await audit.record(tx, { ...by, action: 'number.assign', objectId: String(index) })
        if (index % 4 === 0) throw new Error('rolled back')
      }).catch(() => undefined),
    ),
  )
  expect(await verifyChain(db, keys)).toEqual({ isIntact: true, count: 30, brokenId: null })
  const ids = await rows<{ id: string }>(db, sql`select id from audit_entries order by id`)
  expect(ids.map(({ id }) => Number(id))).toEqual(Array.from({ length: 30 }, (_, index) => index + 1))
  expect(errors).toEqual([])
})

test('entries of two at a time, twice in one transaction, and of unusual numbers follow one another', async () => {
  const after = { big: 1e21, small: 1e-7, minus: -0, text: '✓ 1.50', deep: { z: [1, { y: null, x: true }] } }
  await transaction(db, async (tx) => {
    await audit.record(tx, { ...by, action: 'rate.set', objectId: '1', before: after, after })
    await audit.record(tx, { ...by, action: 'rate.set', objectId: '2', after })
  })
  expect(await verifyChain(db, keys)).toEqual({ isIntact: true, count: 2, brokenId: null })
})

const copyOf = (id: number, from: number) => `
  update audit_entries t set (at, actor_id, actor, ip, action, object_type, object_id, before, after, hash)
    = (select at, actor_id, actor, ip, action, object_type, object_id, before, after, hash from audit_entries s where s.id = ${from})
  where t.id = ${id}`
const toHead = (id: number) =>
  `update audit_head set id = ${id}, hash = (select hash from audit_entries where id = ${id}), entry_count = ${id}`
const swap = `
  update audit_entries set id = 100 where id = 2; update audit_entries set id = 2 where id = 3;
  update audit_entries set id = 3 where id = 100`
const withoutKey = (from: number) =>
  `update audit_entries set hash = sha256(hash), key_id = null where id >= ${from};
   update audit_head set hash = (select hash from audit_entries where id = 5), key_id = null, hmac = null`

test.each([
  ['an altered value', `update audit_entries set after = '{"role": "user"}' where id = 2`, ['2', 'altered']],
  [
    'an altered time',
    `update audit_entries set at = at + interval '1 millisecond' where id = 2`,
    ['2', 'altered'],
  ],
  ['an altered address', `update audit_entries set ip = '192.0.2.2' where id = 5`, ['5', 'altered']],
  ['an altered link', `update audit_entries set hash = sha256(hash) where id = 2`, ['2', 'altered']],
  ['an entry taken out', 'delete from audit_entries where id = 2', ['3', 'missing']],
  [
    'an entry taken out and those after it moved up',
    `delete from audit_entries where id = 2; update audit_entries set id = id + 100 where id > 2; update audit_entries set id = id - 101 where id > 100;
     update audit_head set id = 4`,
    ['2', 'altered'],
  ],
  ['the first entries taken out', 'delete from audit_entries where id <= 2', ['3', 'missing']],
  ['the last entry cut off', 'delete from audit_entries where id = 5', ['5', 'cut']],
  ['the end cut off, head and all', `delete from audit_entries where id > 3; ${toHead(3)}`, ['3', 'head']],
  ['all of it cut off', 'delete from audit_entries', ['5', 'cut']],
  ['a head put back', toHead(3), ['5', 'added']],
  ['a head of another count', 'update audit_head set entry_count = 4', ['5', 'head']],
  ['a head without an HMAC', 'update audit_head set hmac = null', ['5', 'head']],
  ['a head that denies its key', 'update audit_head set key_id = null, hmac = null', ['5', 'head']],
  [
    'an entry put in behind the end',
    `insert into audit_entries (id, actor, action, object_type, object_id, key_id, hash)
     select 6, 'x', 'a.b', 'c', 'd', key_id, hash from audit_head`,
    ['6', 'added'],
  ],
  [
    'an entry put in behind the end, head and all',
    `insert into audit_entries (id, actor, action, object_type, object_id, key_id, hash)
     select 6, 'x', 'a.b', 'c', 'd', key_id, sha256(hash) from audit_head; ${toHead(6)}`,
    ['6', 'altered'],
  ],
  ['two entries swapped', swap, ['2', 'altered']],
  ['two entries of the same content swapped', swap.replaceAll('3', '4'), ['2', 'altered']],
  ['an entry written over with a copy of another', copyOf(3, 2), ['3', 'altered']],
  ['the rest put in anew without a key', withoutKey(3), ['3', 'unkeyed']],
  ['all of it put in anew without a key', withoutKey(1), ['1', 'unkeyed']],
  [
    'links that name a key nobody has',
    'update audit_entries set key_id = 99 where id = 4',
    ['4', 'unknown_key'],
  ],
  ['the key taken away', 'update audit_keys set id = default', ['1', 'unknown_key']],
])('the check finds %s', async (_, statements, [id, kind]) => {
  // The second and the fourth tell the same.
  for (const objectId of ['1', '2', '3', '2', '5']) await add(objectId)
  // A node that has just started remembers no key.
  const fresh = () => createAuditKeys(secrets)
  expect((await verifyChain(db, fresh())).isIntact).toBe(true)
  await tamper(statements)
  expect((await checkChain(db, fresh())).breaks[0]).toEqual({ id, kind })
  // Once the log has gone on it still shows, wherever it was broken.
  await add('9')
  expect((await verifyChain(db, fresh())).isIntact).toBe(false)
})

test('who forged the end is found out by the next entry, which does not join it, and the log says so', async () => {
  for (const objectId of ['1', '2', '3']) await add(objectId)
  await tamper(`delete from audit_entries where id = 3; ${toHead(2)}`)
  await add('4')
  expect(errors).toEqual([{ entryId: '2' }])
  expect((await checkChain(db, keys)).breaks[0]).toEqual({ id: '3', kind: 'altered' })
  // What comes after it is a chain again, which the check follows to its end.
  await add('5')
  expect(errors).toHaveLength(1)
  expect(await verifyChain(db, keys)).toEqual({ isIntact: false, count: 4, brokenId: '3' })
})

test('the key lies in the database only encrypted, and another SECRET_KEY neither opens nor replaces it', async () => {
  await add('1')
  const stored = await row<{ encrypted_key: Buffer; id: number }>(
    db,
    sql`select id, encrypted_key from audit_keys order by id limit 1`,
  )
  const { key } = await keys.current(db)
  expect(stored?.encrypted_key.includes(key)).toBe(false)

  const foreign = createSecrets('another node, another key')
  const theirs = createAudit({ db, clock, secrets: foreign, log })
  await add('2', theirs)
  await add('3')
  // Nothing was forged, so the chain goes on; but nobody has both keys, so neither can vouch for all of it.
  expect(errors).toEqual([])
  expect((await checkChain(db, keys)).breaks[0]).toEqual({ id: '2', kind: 'unknown_key' })
  expect((await checkChain(db, createAuditKeys(foreign))).breaks[0]).toEqual({
    id: '1',
    kind: 'unknown_key',
  })
})
