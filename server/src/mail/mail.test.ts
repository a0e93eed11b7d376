import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { fixedClock, openTestDatabase, silentLog } from '../../test/environment/database.ts'
import { openMailServer } from '../../test/stand-ins/mail-server.ts'
import { openDatabase, row, rows, type Db } from '../platform/db.ts'
import { registry } from '../platform/metrics.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { pauseAfterMs } from './backoff.ts'
import { createMail } from './index.ts'

const { db, address } = await openTestDatabase()
const clock = fixedClock()
const secrets = createSecrets('key material for tests')
const server = await openMailServer()
const { taken } = server
const node = (over: { db?: Db; smtp?: typeof server.smtp; secrets?: typeof secrets } = {}) =>
  createMail({ db, clock, log: silentLog, secrets, smtp: server.smtp, timeoutMs: 2_000, ...over })
const mail = node()

const one = (key: string, recipient = 'cleo@example.org') =>
  sql`select ${key}::text as event_key, ${recipient}::text as recipient, 'About ' || ${key}::text as subject,
    'Amount: 1,945.70 USDT' as body`
const stateOf = (key: string) =>
  row<{ attempts: number; failure: string; sent_at: Date | null; failed_at: Date | null }>(
    db,
    sql`select attempts, failure, sent_at, failed_at from mails where event_key = ${key}`,
  )
async function counted(name: string): Promise<number> {
  const [value] = (await registry.getSingleMetric(name)?.get())?.values ?? []
  return value?.value ?? 0
}

beforeEach(async () => {
  await sql`delete from mails`.execute(db)
  taken.length = 0
  server.fail(undefined)
  server.beforeTaking(() => Promise.resolve())
  clock.advance(3_600_000)
})

test('a mail queued in a committed transaction arrives once, one that was rolled back never', async () => {
  const sentBefore = await counted('tollgate_mails_sent_total')
  await transaction(db, (tx) => mail.enqueue(tx, one('bill-1-2')))
  expect(await mail.enqueue(db, one('bill-1-2'))).toBe(0)
  const cut = transaction(db, async (tx) => {
    await mail.enqueue(tx, one('bill-1-3'))
    throw new Error('power cut')
  })
  await expect(cut).rejects.toThrow('power cut')
  await mail.sendDue()
  clock.advance(86_400_000)
  await mail.sendDue()
  expect(taken).toHaveLength(1)
  expect(taken[0]).toMatchObject({ from: 'billing@example.com', to: 'cleo@example.org' })
  expect(taken[0]?.text.trim()).toBe('Amount: 1,945.70 USDT')
  const { headers } = taken[0]!
  expect(headers.get('from')).toBe('Tollgate Billing <billing@example.com>')
  expect(headers.get('subject')).toBe('About bill-1-2')
  expect(headers.get('auto-submitted')).toBe('auto-generated')
  expect((await counted('tollgate_mails_sent_total')) - sentBefore).toBe(1)
})

test.each([
  ['refuse', /550/],
  ['busy', /451/],
  ['hang', /./],
  ['close', /./],
] as const)('after a server fault (%s) the mail is sent again later and arrives', async (fault, why) => {
  await mail.enqueue(db, one('bill-1-2'))
  server.fail(fault)
  await mail.sendDue()
  expect(taken).toEqual([])
  const state = await stateOf('bill-1-2')
  expect(state).toMatchObject({ attempts: 1, sent_at: null, failed_at: null })
  expect(state?.failure).toMatch(why)
  server.fail(undefined)
  await mail.sendDue()
  expect(taken).toEqual([])
  clock.advance(66_000)
  await mail.sendDue()
  expect(taken).toHaveLength(1)
  expect(await stateOf('bill-1-2')).toMatchObject({ attempts: 2, failure: '' })
})

test('a mailbox that refuses delays no other mail; an unreachable server is left alone for a while', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await mail.enqueue(db, one(key))
  server.fail('refuse')
  await mail.sendDue()
  expect(await rows(db, sql`select from mails where attempts = 1`)).toHaveLength(6)
  clock.advance(66_000)
  server.fail('close')
  const before = server.connectionCount()
  await mail.sendDue()
  await mail.sendDue()
  expect(server.connectionCount() - before).toBe(4)
})

test('after two days of attempts a mail has failed and is counted', async () => {
  const failedBefore = await counted('tollgate_mails_failed_total')
  await mail.enqueue(db, one('bill-1-2'))
  server.fail('refuse')
  const startMs = clock.now().getTime()
  while ((await stateOf('bill-1-2'))?.failed_at === null) {
    await mail.sendDue()
    clock.advance(600_000)
  }
  const tookHours = (clock.now().getTime() - startMs) / 3_600_000
  expect(tookHours).toBeGreaterThan(40)
  expect(tookHours).toBeLessThan(56)
  expect((await counted('tollgate_mails_failed_total')) - failedBefore).toBe(1)
  server.fail(undefined)
  clock.advance(86_400_000)
  await mail.sendDue()
  expect(taken).toEqual([])
})

test('the pauses grow and spread', () => {
  expect([pauseAfterMs(1, 0), pauseAfterMs(1, 1)]).toEqual([54_000, 66_000])
  expect(pauseAfterMs(10, 0.5)).toBeUndefined()
})

test('a node killed between sending and marking sends again, with the same message id', async () => {
  await mail.enqueue(db, one('bill-1-2'))
  const dying = openDatabase({ address, maxConnections: 1 })
  server.beforeTaking(() => dying.close())
  await expect(node({ db: dying.db }).sendDue()).rejects.toThrow()
  server.beforeTaking(() => Promise.resolve())
  // Not while the other one may still be at it.
  await mail.sendDue()
  expect(taken).toHaveLength(1)
  clock.advance(120_000)
  await mail.sendDue()
  await mail.sendDue()
  expect(taken).toHaveLength(2)
  expect(new Set(taken.map(({ headers }) => headers.get('message-id'))).size).toBe(1)
})

test('three nodes send thirty mails once each', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `bill-9-${index}`)
  for (const key of keys) await mail.enqueue(db, one(key))
  await Promise.all([node(), node(), mail].map((each) => each.sendDue()))
  const subjects = taken.map(({ headers }) => headers.get('subject') ?? '')
  expect(subjects.toSorted()).toEqual(keys.map((key) => `About ${key}`).toSorted())
})

test('a recipient is one mailbox, never a list, and a subject is one line', async () => {
  await mail.enqueue(
    db,
    sql`select 'x' as event_key, 'cleo@example.org' as recipient,
      'Bill' || chr(13) || chr(10) || 'Bcc: eve@example.org' as subject, 'x' as body`,
  )
  await mail.sendDue()
  expect(taken.map(({ to, headers }) => [to, headers.has('bcc')])).toEqual([['cleo@example.org', false]])
})

test('beyond the cap of a day nothing is queued', async () => {
  const cap = { keyStart: 'profile-7-', max: 2 }
  const counts = []
  for (const key of ['a', 'b', 'c']) counts.push(await mail.enqueue(db, one(`profile-7-${key}`), cap))
  expect(counts).toEqual([1, 1, 0])
  expect(await mail.enqueue(db, one('profile-70-a'), { ...cap, keyStart: 'profile-70-' })).toBe(1)
  clock.advance(86_400_001)
  expect(await mail.enqueue(db, one('profile-7-c'), cap)).toBe(1)
})

test('the password is sent unencrypted only to a server on this machine', async () => {
  const auth = { user: 'bill', password: 'hunter2' }
  await mail.enqueue(db, one('bill-1-2'))
  // The same server by a name that is not this machine's own.
  await node({ smtp: { ...server.smtp, host: '0.0.0.0', auth } }).sendDue()
  expect([taken.length, server.signIns.length]).toEqual([0, 0])
  expect((await stateOf('bill-1-2'))?.failure).not.toContain('hunter2')
  clock.advance(66_000)
  await node({ smtp: { ...server.smtp, auth } }).sendDue()
  expect(server.signIns).toEqual(['\0bill\0hunter2'])
  expect(taken).toHaveLength(1)
})

test('sent mails are deleted after thirty days, waiting ones are kept', async () => {
  await mail.enqueue(db, one('old'))
  await mail.sendDue()
  clock.advance(29 * 86_400_000)
  await mail.enqueue(db, one('new'))
  await mail.prune()
  expect(await rows(db, sql`select from mails`)).toHaveLength(2)
  clock.advance(86_400_001)
  await mail.prune()
  expect(await rows(db, sql`select event_key from mails`)).toEqual([{ event_key: 'new' }])
})

test('a text that contains a secret waits encrypted, arrives, and is deleted', async () => {
  const body = 'Open https://console.example/auth#reset=the-token-of-256-bits'
  const message = { eventKey: 'reset-1', recipient: 'cleo@example.org', subject: 'Choose', body }
  expect(await mail.enqueueEncrypted(db, message)).toBe(1)
  expect(await mail.enqueueEncrypted(db, message)).toBe(0)
  const stored = await rows<{ text: string; encrypted: Buffer }>(
    db,
    sql`select m::text as text, encrypted_body as encrypted from mails m`,
  )
  expect(stored[0]?.text).not.toContain('the-token')
  expect(stored[0]?.encrypted.includes('the-token')).toBe(false)
  await mail.sendDue()
  expect(taken).toMatchObject([{ to: 'cleo@example.org', text: expect.stringContaining(body) }])
  expect(await row(db, sql`select encrypted_body, body from mails`)).toEqual({
    encrypted_body: null,
    body: '',
  })
})

test('a text that was encrypted with a lost key delays no other mail', async () => {
  const other = node({ secrets: createSecrets('key material that is lost') })
  const lost = { eventKey: 'lost', recipient: 'cleo@example.org', subject: 'Choose', body: 'a secret' }
  await other.enqueueEncrypted(db, lost)
  await mail.enqueue(db, one('after'))
  await mail.sendDue()
  expect(taken).toHaveLength(1)
  expect(taken[0]?.headers.get('subject')).toBe('About after')
  expect((await stateOf('lost'))?.failure).toMatch(/encrypted with a key/)
})
