// Changes of settings that guard money: who must agree, when they begin, and what nobody can do alone.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestAudit } from '../../test/people/audit.ts'
import { fixedClock, openTestDatabase, silentLog } from '../../test/environment/database.ts'
import { failNextInsert } from '../../test/environment/unlucky.ts'
import { createMail } from '../mail/index.ts'
import { rows } from '../platform/db.ts'
import { registry } from '../platform/metrics.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { createSettings } from './settings.ts'

const { db } = await openTestDatabase()
const clock = fixedClock('2026-03-04T12:00:00Z')
const smtp = {
  host: '127.0.0.1',
  port: 9,
  isTls: false,
  auth: undefined,
  from: { name: 'Tollgate', address: 'tollgate@example.com' },
}
const mail = createMail({ db, clock, log: silentLog, secrets: createSecrets('key material for tests'), smtp })
const settings = createSettings({ audit: createTestAudit({ db, clock }), clock, mail })
const limit = settings.define({
  key: 'limit',
  description: 'How much one person may move.',
  fallback: 100,
  schema: z.string().regex(/^\d+$/, 'Enter a number').transform(Number),
  isAsStrict: (before, value) => value <= before,
})
await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  select name, name || '@example.org', 'A', 'A', 'x', 'admin' from unnest('{ada,bea,cas}'::text[]) name`.execute(
  db,
)
const byOf = (userId: number, username: string) => ({ actor: { userId, username }, ip: '192.0.2.1' })
const [ada, bea, cas] = [byOf(1, 'ada'), byOf(2, 'bea'), byOf(3, 'cas')]

const put = (value: string, by = ada) => transaction(db, (tx) => settings.put(tx, 'limit', value, by))
const decide = (action: 'approve' | 'cancel', by = bea) =>
  transaction(db, (tx) => settings.decide(tx, 'limit', action, by))
/** The value in force after the job has run `hours` later. */
async function valueAfter(hours: number): Promise<number> {
  clock.advance(hours * 3_600_000)
  await settings.beginDue(db)
  return limit.get(db)
}
/** Leaves these admins active. */
const keepAdmins = (...names: string[]) =>
  sql`update users set status = case when username = any(${names}::text[]) then 'active' else 'suspended' end,
    role = 'admin'`.execute(db)
const mailsOf = async () =>
  (
    await rows<{ event_key: string }>(db, sql`select event_key from mails order by event_key collate "C"`)
  ).map(({ event_key: key }) => key.replace(/^setting-change-\d+-/, ''))
const metric = async (name: string) =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await registry.metrics())?.[1])

beforeEach(async () => {
  for (const table of ['setting_changes', 'settings', 'mails'])
    await sql`delete from ${sql.table(table)}`.execute(db)
  await keepAdmins('ada', 'bea', 'cas')
})

test('a stricter value is in force at once, and a looser one is not', async () => {
  expect(await put('20')).toMatchObject({ value: '20', pending: undefined })
  expect(await put('21')).toMatchObject({
    value: '20',
    pending: { value: '21', requestedBy: 'ada', approvedBy: '', isAlone: false },
  })
  expect(await limit.get(db)).toBe(20)
})

test('a looser value needs a second admin and its time, whichever comes last', async () => {
  await put('200')
  expect(await valueAfter(23)).toBe(100)
  expect(await decide('approve')).toMatchObject({ value: '100', pending: { approvedBy: 'bea' } })
  expect(await valueAfter(0.9)).toBe(100)
  expect(await valueAfter(0.1)).toBe(200)
  await put('300')
  expect(await valueAfter(1_000)).toBe(200)
  expect(await decide('approve')).toMatchObject({ value: '300', pending: undefined })
})

test('who asked cannot approve, by neither way, and approving twice is refused', async () => {
  await put('200')
  await expect(decide('approve', ada)).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(put('200', ada)).rejects.toMatchObject({ code: 'wrong_state' })
  expect(await put('200', bea)).toMatchObject({ pending: { approvedBy: 'bea' } })
  await expect(decide('approve', cas)).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(put('201', cas)).rejects.toMatchObject({ code: 'wrong_state' })
})

test('any admin cancels a change, and a stricter value cancels it too', async () => {
  await put('200')
  expect(await decide('cancel', ada)).toMatchObject({ value: '100', pending: undefined })
  await expect(decide('cancel')).rejects.toMatchObject({ code: 'wrong_state' })
  await put('200')
  await decide('approve')
  expect(await put('50', cas)).toMatchObject({ value: '50', pending: undefined })
  expect(await valueAfter(1_000)).toBe(50)
})

test('of ten who approve and cancel at once one wins, and the value is set once', async () => {
  await put('200')
  await valueAfter(24)
  const answers = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) =>
      decide(index % 2 === 0 ? 'approve' : 'cancel', index % 3 === 0 ? bea : cas),
    ),
  )
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const ended = await rows<{ status: string }>(db, sql`select status from setting_changes`)
  expect(await limit.get(db)).toBe(ended[0]?.status === 'begun' ? 200 : 100)
})

test('where there is one admin, a change begins after a longer wait, and the metric counts it', async () => {
  await keepAdmins('ada')
  expect(await put('200')).toMatchObject({ pending: { isAlone: true } })
  expect(await metric('tollgate_setting_changes_waiting')).toBeGreaterThanOrEqual(0)
  const before = await metric('tollgate_setting_changes_begun_alone_total')
  await failNextInsert(db, 'audit_entries')
  expect(await valueAfter(71)).toBe(100)
  expect(await metric('tollgate_setting_changes_waiting')).toBe(1)
  expect(await valueAfter(1)).toBe(200)
  expect(await metric('tollgate_setting_changes_begun_alone_total')).toBe(before + 1)
})

test('an admin who comes back ends the wait of the only one: the change needs approval again', async () => {
  await keepAdmins('ada')
  await put('200')
  await keepAdmins('ada', 'bea')
  expect(await valueAfter(1_000)).toBe(100)
  expect(await decide('approve')).toMatchObject({ value: '200' })
})

test('a change that a former admin asked for never begins', async () => {
  await put('200')
  await decide('approve')
  await sql`update users set role = 'support' where username = 'ada'`.execute(db)
  expect(await valueAfter(1_000)).toBe(100)
  expect((await settings.list(db)).find(({ key }) => key === 'limit')?.pending).toBeUndefined()
})

test('the wait is a setting that guards itself, and a wait of 0 still needs a second admin', async () => {
  await transaction(db, (tx) => settings.put(tx, 'setting_wait_hours', '0', ada))
  expect(await limit.get(db)).toBe(100)
  await transaction(db, (tx) => settings.decide(tx, 'setting_wait_hours', 'approve', bea))
  await valueAfter(24)
  await put('200')
  expect(await valueAfter(1)).toBe(100)
  expect(await decide('approve')).toMatchObject({ value: '200', pending: undefined })
  // A short wait does not shorten that of an only admin.
  await keepAdmins('ada')
  await put('300')
  expect(await valueAfter(71)).toBe(200)
  expect(await valueAfter(1)).toBe(300)
})

test('each step has an audit entry with its person, and a mail to every admin', async () => {
  const [{ last } = { last: '0' }] = await rows<{ last: string }>(
    db,
    sql`select coalesce(max(id), 0) as last from audit_entries`,
  )
  await sql`update users set status = 'suspended' where username = 'cas'`.execute(db)
  await put('200')
  await decide('approve')
  await valueAfter(24)
  const entries = await rows<{ action: string; actor: string; before: unknown; after: object }>(
    db,
    sql`select action, actor, before, after from audit_entries where id > ${last} order by id`,
  )
  expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
    ['setting.request_change', 'ada'],
    ['setting.approve_change', 'bea'],
    ['setting.change', 'system'],
  ])
  expect(entries[2]).toMatchObject({
    before: { value: '100' },
    after: { value: '200', requestedBy: 'ada', approvedBy: 'bea' },
  })
  expect(await mailsOf()).toEqual([
    'approved-1',
    'approved-2',
    'begun-1',
    'begun-2',
    'requested-1',
    'requested-2',
  ])
})
