import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createMail } from '../../mail/index.ts'
import { rows } from '../../platform/db.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { transaction } from '../../platform/transaction.ts'
import { createTestAudit } from '../../../test/people/audit.ts'
import { fixedClock, openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { createSettings } from '../../settings/settings.ts'
import { createHeadMail } from './head-mail.ts'

const { db } = await openTestDatabase()
const clock = fixedClock()
const audit = createTestAudit({ db, clock })
const from = { name: 'Tollgate', address: 'tollgate@example.com' }
const smtp = { host: '127.0.0.1', port: 9, isTls: false, auth: undefined, from }
const mail = createMail({ db, clock, log: silentLog, secrets: createSecrets('key material for tests'), smtp })
const settings = createSettings({ audit, clock })
const announce = createHeadMail(settings, mail)
const line = 'tollgate-audit-head/1 database=x'

await sql`insert into users (username, email, first_name, last_name, role, status, password_hash) values
  ('root', 'root@example.com', 'a', 'b', 'admin', 'active', 'x'),
  ('gone', 'gone@example.com', 'a', 'b', 'admin', 'suspended', 'x'),
  ('bare', '', 'a', 'b', 'admin', 'active', 'x'),
  ('help', 'help@example.com', 'a', 'b', 'support', 'active', 'x')`.execute(db)

const mails = () =>
  rows<{ recipient: string; subject: string; body: string }>(
    db,
    sql`select recipient, subject, body from mails`,
  )

test('each active admin with an address gets the published head once, and nobody after the setting is off', async () => {
  const publish = () => transaction(db, (tx) => announce(tx, line, clock.now()))
  await publish()
  await publish()
  expect(await mails()).toEqual([
    {
      recipient: 'root@example.com',
      subject: 'Audit log, 2026-03-04',
      body: expect.stringContaining(`\n${line}\n`),
    },
  ])
  await settings.put(db, 'audit_head_mail', 'off', { actor: { userId: 1, username: 'root' }, ip: '' })
  clock.advance(86_400_000)
  await publish()
  expect(await mails()).toHaveLength(1)
})
