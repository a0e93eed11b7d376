import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { createSettings } from './settings.ts'

const { db } = await openTestDatabase()
const clock = fixedClock('2026-03-04T12:00:00Z')
const settings = createSettings({ audit: createTestAudit({ db, clock }), clock })
const by = { actor: { userId: null, username: 'root' }, ip: '192.0.2.1' }

const days = settings.define({
  key: 'payable_after_days',
  description: 'How long a bill waits.',
  fallback: 0,
  schema: z
    .string()
    .regex(/^\d{1,3}$/, 'Enter a number of days')
    .transform(Number),
})
const lists = settings.define<string[]>({
  key: 'addresses',
  description: 'Addresses.',
  fallback: [],
  schema: z.string().transform((text) => text.split(',').map((item) => item.trim())),
  write: (items) => items.join(', '),
})

beforeEach(() => sql`delete from settings`.execute(db))

test('a setting nobody set has its fallback', async () => {
  expect(await days.get(db)).toBe(0)
  const unchanged = { updatedAt: null, updatedBy: '' }
  expect(await settings.list(db)).toEqual([
    { key: 'addresses', value: '', fallback: '', description: 'Addresses.', ...unchanged },
    {
      key: 'payable_after_days',
      value: '0',
      fallback: '0',
      description: 'How long a bill waits.',
      ...unchanged,
    },
    expect.objectContaining({ key: 'setting_wait_hours', value: '24', ...unchanged }),
  ])
})

test('a value is stored in its normal form, typed when read, and audited', async () => {
  const [{ last } = { last: '0' }] = await rows<{ last: string }>(
    db,
    sql`select coalesce(max(id), 0) as last from audit_entries`,
  )
  await settings.put(db, 'payable_after_days', ' 007 ', by)
  expect(await days.get(db)).toBe(7)
  const shown = await settings.put(db, 'addresses', 'a,b ,  c', by)
  expect(shown).toMatchObject({
    key: 'addresses',
    value: 'a, b, c',
    fallback: '',
    updatedAt: expect.any(Date),
  })
  expect(await lists.get(db)).toEqual(['a', 'b', 'c'])
  const entries = await rows(
    db,
    sql`select object_id, before, after from audit_entries where id > ${last} order by id`,
  )
  expect(entries).toEqual([
    { object_id: 'payable_after_days', before: { value: '0' }, after: { value: '7' } },
    { object_id: 'addresses', before: { value: '' }, after: { value: 'a, b, c' } },
  ])
})

test('a change that is rolled back did not happen', async () => {
  const before = await days.get(db)
  const attempt = transaction(db, async (tx) => {
    await settings.put(tx, 'payable_after_days', '99', by)
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await days.get(db)).toBe(before)
})

test('a value that does not fit and a key nobody declared are refused', async () => {
  await expect(settings.put(db, 'payable_after_days', 'soon', by)).rejects.toMatchObject({
    code: 'invalid',
    message: 'payable after (days): Enter a number of days',
    fields: { settingValue: 'Enter a number of days' },
  })
  await expect(settings.put(db, 'nothing', '1', by)).rejects.toMatchObject({ code: 'not_found' })
})

test('of two people who saw the same value one changes it, and the other is refused', async () => {
  await settings.put(db, 'payable_after_days', '3', by)
  const answers = await Promise.allSettled(
    ['4', '5', '6'].map((text) =>
      transaction(db, (tx) => settings.put(tx, 'payable_after_days', text, by, '3')),
    ),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const now = String(await days.get(db))
  await expect(settings.put(db, 'payable_after_days', '9', by, '3')).rejects.toMatchObject({
    code: 'stale',
    fields: { settingValue: `Changed in the meantime. It is ${now} now.` },
  })
  expect(await settings.put(db, 'payable_after_days', '9', by, now)).toMatchObject({ value: '9' })
})

test('a stored value that is no longer valid counts as the fallback', async () => {
  await sql`update settings set value = 'weekly' where key = 'payable_after_days'`.execute(db)
  expect(await days.get(db)).toBe(0)
})

test('a key has one owner', () => {
  const again = { key: 'addresses', description: '', fallback: '', schema: z.string() }
  expect(() => settings.define(again)).toThrow('declared twice')
})
