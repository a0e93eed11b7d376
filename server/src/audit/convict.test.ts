// What is published of the log, the job that checks it, and the check of a copy.
import { sql } from 'kysely'
import { to as copyTo } from 'pg-copy-streams'
import { beforeEach, expect, test } from 'vitest'
import { execute, row, rows, type Db } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { openTestApi } from '../../test/http/api.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { chainLines } from './chain-file.ts'
import { findHeads, isSigned } from './head-line.ts'
import { createAudit, verifyAuditFile } from './index.ts'

const { db, pool } = await openTestDatabase()
const clock = fixedClock()
const secretKey = 'the key of these tests'
const secrets = createSecrets(secretKey)
const logged: unknown[] = []
const log = {
  error: (fields: object, words: string) => void logged.push(['error', words, fields]),
  info: (fields: object, words: string) => void logged.push(['info', words, fields]),
} as unknown as Logger
const announced: string[] = []
const announce = async (_: Db, line: string) => void announced.push(line)

/** A gateway that has just started: it remembers nothing. */
function startNode() {
  const audit = createAudit({ db, clock, secrets, log })
  const [verify, publish] = audit.jobs({ announce })
  const signal = new AbortController().signal
  return {
    audit,
    verify: () => verify!.run(signal),
    publish: () => publish!.run(signal),
    add: async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await audit.record(db, {
          actor: { userId: 1, username: 'anna\t\\' },
          ip: '192.0.2.1',
          action: 'user.role',
          objectType: 'user',
          objectId: '7',
          after: { role: 'admin', note: 'tab\tand\nline \\ "quoted"', hash: 'no bytes' },
        })
    },
  }
}

const tamper = (statements: string) =>
  execute(db, `set session_replication_role = replica; ${statements}; reset session_replication_role`)
const clear = `delete from audit_entries; delete from audit_heads; delete from audit_checks;
  update audit_head set id = 0, hash = '', entry_count = 0, key_id = null, hmac = null`
const alarm = async () => Number(/^tollgate_audit_broken (\d)$/m.exec(await registry.metrics())?.[1])
const stateOf = async (node: ReturnType<typeof startNode>) => {
  const api = await openTestApi(node.audit.routes)
  const cookie = api.signIn({ userId: 1, username: 'root', role: 'admin', authenticatedAt: new Date() })
  return { api, cookie, ...(await api.call('GET', '/api/audit/state', { cookie })).body }
}

beforeEach(async () => {
  await tamper(clear)
  logged.length = announced.length = 0
})

test('the head is published once a day, signed, and an empty log publishes nothing', async () => {
  const node = startNode()
  await node.publish()
  expect(announced).toEqual([])
  await node.add(3)
  await node.publish()
  await node.publish()
  await startNode().publish()
  expect(announced).toHaveLength(1)
  const [head] = findHeads(`a mail\n> ${announced[0]}\nmore`)
  const stored = await row<{ hash: string; id: string }>(
    db,
    sql`select encode(hash, 'hex') as hash, database_id as id from audit_head`,
  )
  expect(head).toMatchObject({ entryId: '3', entryCount: '3', hash: stored?.hash, databaseId: stored?.id })
  expect(isSigned(head!)).toBe(true)
  expect(isSigned({ ...head!, entryCount: '2' })).toBe(false)
  expect(logged).toEqual([['info', 'audit head', { head: announced[0] }]])
  expect(await registry.metrics()).toMatch(/^tollgate_audit_head_id 3$/m)
  expect((await stateOf(node)).head).toMatchObject({ line: announced[0], entryId: '3' })

  clock.advance(24 * 3_600_000)
  await node.publish()
  expect(announced).toHaveLength(2)
  for (const statement of [
    'update audit_heads set line = null',
    'delete from audit_heads',
    'truncate audit_heads',
  ])
    await expect(execute(db, statement)).rejects.toThrow('append-only')
})

test('a head that somebody else wrote is not signed', async () => {
  const node = startNode()
  await node.add(3)
  await tamper(`delete from audit_entries where id = 3;
    update audit_head set id = 2, entry_count = 2, hash = (select hash from audit_entries where id = 2)`)
  await node.publish()
  expect(announced).toEqual([])
  expect(logged).toEqual([['error', expect.stringContaining('not published'), { entryId: '2' }]])
})

test('the job checks what is new and all of it again, and is quiet about a log that is whole', async () => {
  const node = startNode()
  await node.add(5)
  await node.verify()
  await node.add(2)
  await node.verify()
  expect(await stateOf(node)).toMatchObject({
    broken: null,
    checkedCount: 7,
    wholeCheckedAt: clock.now().toISOString(),
  })
  expect(await alarm()).toBe(0)
  expect(logged).toEqual([])
})

const put = `create table if not exists kept_entries as select * from audit_entries;
  create table if not exists kept_head as select * from audit_head`
const putBack = `truncate audit_entries; insert into audit_entries select * from kept_entries;
  update audit_head h set (id, hash, entry_count, key_id, hmac) = (select k.id, k.hash, k.entry_count, k.key_id, k.hmac from kept_head k)`

test.each([
  [
    'an old entry that was altered after it had been checked',
    `update audit_entries set ip = '' where id = 2`,
    '2',
  ],
  ['the end cut off, head and all', `${putBack}; drop table kept_entries, kept_head`, '5'],
  ['a published entry rewritten', `update audit_heads set line = replace(line, 'count=3', 'count=4')`, '3'],
])(
  'the job finds %s, names it once, and goes on until somebody acknowledges it',
  async (_, statements, id) => {
    const node = startNode()
    await node.add(3)
    await node.publish()
    await execute(db, put)
    await node.add(2)
    await node.verify()
    await tamper(statements)
    await node.verify()
    await node.verify()
    expect(logged.filter((line) => (line as string[])[0] === 'error')).toHaveLength(1)
    expect(await alarm()).toBe(1)
    const { api, cookie, broken } = await stateOf(node)
    expect(broken).toMatchObject({ id, foundAt: clock.now().toISOString() })
    // Whoever takes the state away does not end the alarm.
    await tamper('delete from audit_checks')
    await node.verify()
    expect(await alarm()).toBe(1)

    const say = (brokenId: string, reason = 'Restored on purpose.') =>
      api.call('POST', '/api/audit/acknowledge', { cookie, body: { brokenId, reason } })
    expect((await say('99')).status).toBe(409)
    expect((await say(id, ' ')).status).toBe(400)
    expect((await say(id)).body).toMatchObject({ broken: null })
    expect((await say(id)).status).toBe(409)
    await node.verify()
    await node.verify()
    expect(await alarm()).toBe(0)
    const noted = await row(
      db,
      sql`select action, object_id, after ->> 'reason' as reason from audit_entries order by id desc limit 1`,
    )
    expect(noted).toEqual({ action: 'audit.acknowledge', object_id: id, reason: 'Restored on purpose.' })
    await tamper('drop table if exists kept_entries, kept_head')
  },
)

test('the state of the check cannot be forged: it counts for nothing then', async () => {
  const node = startNode()
  await node.add(3)
  await node.verify()
  await tamper(`update audit_entries set ip = '' where id = 2;
    update audit_checks set state = replace(state, '"entryCount":3', '"entryCount":4')`)
  await startNode().verify()
  expect(logged.map((line) => (line as string[])[1])).toEqual([
    expect.stringContaining('the state of the check'),
    expect.stringContaining('the audit log was altered'),
  ])
  expect(await alarm()).toBe(1)
})

async function textOf(given: Db): Promise<string> {
  let text = ''
  for await (const part of chainLines(given)) text += part
  return text
}

const verdictOf = (text: string, heads = '', by = secretKey) =>
  verifyAuditFile({
    async *lines() {
      yield* text.split('\n')
    },
    secretKey: by,
    heads,
  })

test('a copy of the log proves itself, and each change of it is named', async () => {
  const node = startNode()
  await node.add(4)
  await node.publish()
  await node.add(2)
  const text = await textOf(db)
  const [head] = announced
  expect(await verdictOf(text, head)).toMatchObject({
    entryCount: 6,
    breaks: [],
    headCount: 2,
    lastHead: { entryId: '4' },
  })
  const lines = text.split('\n')
  const entry = (id: number) =>
    lines.findIndex((line) => line.startsWith(`{"kind":"entry","link":{"id":"${id}"`))
  const without = (...ids: number[]) => lines.filter((_, index) => !ids.map(entry).includes(index)).join('\n')
  const first = async (changed: string, heads = '') => (await verdictOf(changed, heads)).breaks[0]
  expect(await first(text.replace('192.0.2.1', '192.0.2.2'))).toEqual({ id: '1', kind: 'altered' })
  expect(await first(without(3))).toEqual({ id: '4', kind: 'missing' })
  expect((await verdictOf(without(5, 6))).breaks).toEqual([{ id: '6', kind: 'cut' }])
  const swapped = [...lines]
  ;[swapped[entry(2)], swapped[entry(3)]] = [lines[entry(3)]!, lines[entry(2)]!]
  expect(await first(swapped.join('\n'))).toEqual({ id: '3', kind: 'missing' })
  // Another gateway's key, and a head of another database or one that nobody signed.
  await expect(verdictOf(text, '', 'quite another key')).rejects.toThrow('SECRET_KEY opens no key')
  await expect(verdictOf(text, '', 'quite another key')).rejects.toThrow('-t root_keys')
  const forged = head!.replace(/database=\S+/, 'database=00000000-0000-4000-8000-000000000000')
  expect(await first(text, forged)).toEqual({ id: '4', kind: 'published' })
  await expect(verdictOf('{}')).rejects.toThrow('no audit log')
})

test('an old backup, or a log that was rewritten as a whole, is convicted by a line that was kept elsewhere', async () => {
  const node = startNode()
  await node.add(3)
  const backup = await textOf(db)
  await node.add(2)
  await node.publish()
  const [line] = announced
  expect((await verdictOf(backup)).breaks).toEqual([])
  expect((await verdictOf(backup, line)).breaks).toEqual([{ id: '5', kind: 'published' }])
  // As if it had never had a key: nothing in the database itself can tell.
  await tamper(clear)
  clock.advance(1)
  await node.add(5)
  const rewritten = await textOf(db)
  expect((await verdictOf(rewritten)).breaks).toEqual([])
  expect((await verdictOf(rewritten, line)).breaks).toEqual([{ id: '5', kind: 'published' }])
})

test('a plain dump by pg_dump is read as well', async () => {
  const node = startNode()
  await node.add(3)
  await node.publish()
  const copies = await Promise.all(
    ['audit_entries', 'audit_head', 'audit_heads', 'audit_keys'].map(async (table) => {
      const columns = await rows<{ name: string }>(
        db,
        sql`select column_name as name from information_schema.columns where table_name = ${table} order by ordinal_position`,
      )
      const names = columns.map(({ name }) => name).join(', ')
      const client = await pool.connect()
      const chunks: Buffer[] = []
      for await (const chunk of client.query(copyTo(`copy ${table} (${names}) to stdout`)))
        chunks.push(chunk as Buffer)
      client.release()
      const stdout = Buffer.concat(chunks).toString()
      return `COPY public.${table} (${names}) FROM stdin;\n${stdout}\\.\n`
    }),
  )
  const dump = `-- PostgreSQL database dump\n\n${copies.join('\n')}\n`
  expect(await verdictOf(dump, announced[0])).toMatchObject({ entryCount: 3, breaks: [], headCount: 2 })
  expect((await verdictOf(dump.replace('anna', 'eve'))).breaks[0]).toEqual({ id: '1', kind: 'altered' })
})
