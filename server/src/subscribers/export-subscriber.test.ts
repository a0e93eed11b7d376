// What is stored under a subscriber's number, on a database in which he stands everywhere.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { subscriberKinds } from '@tollgate/contract/subscribers/subscribers.ts'
import { row } from '../platform/db.ts'
import {
  openSubscribers,
  others,
  placeDeadLetter,
  placeEverywhere,
  subscriber,
} from './testing/subscriber-environment.ts'

const { db, send, call, api } = await openSubscribers()
await send(subscriber, `+${subscriber}`, ...others)
for (const sender of [subscriber, ...others]) {
  await placeEverywhere(db, sender)
  await placeDeadLetter(db, sender)
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))

test('the export has what stands under the number in each table, and nothing of numbers that look alike', async () => {
  const { status, text, headers } = await call('ada', 'export', { number: `+${subscriber}` })
  expect(status).toBe(200)
  expect(headers['content-disposition']).toContain('subscriber-5678-')
  const [head, ...found] = linesOf(text)
  expect(head).toMatchObject({ kind: 'subscriber', number: subscriber })
  expect([...new Set(found.map(({ kind }) => kind))]).toEqual([...subscriberKinds])
  expect(found.filter(({ kind }) => kind === 'record')).toHaveLength(4)
  for (const other of others) expect(text).not.toMatch(new RegExp(`(?<!\\d)${other}(?!\\d)`))
  // Texts are in it while they are kept, and where the money of a message is told.
  expect(found[0]).toMatchObject({
    sender: `+${subscriber}`,
    text: `from +${subscriber}`,
    period: expect.stringMatching(/^1-[12]$/),
  })
  const unkept = found.filter(({ kind }) => kind !== 'record')
  expect(unkept.every((line) => JSON.stringify(line).includes(subscriber))).toBe(true)
})

test('counts say how much there is of each kind', async () => {
  const { body } = await call('ada', 'find', { number: subscriber })
  expect(body.number).toBe(subscriber)
  expect(body.kinds.map(({ kind }: { kind: string }) => kind)).toEqual([...subscriberKinds])
  expect(body.kinds[0]).toEqual({ kind: 'record', count: 4, isAtLeast: false })
  expect((await call('ada', 'find', { number: '4915100000000' })).body.kinds).toEqual([])
})

test('each export is in the audit log with the number masked; no export, no entry', async () => {
  const entries = () =>
    row<{ count: number; last: string }>(
      db,
      sql`select count(*)::int as count, max(object_id) as last from audit_entries where action = 'subscriber.export'`,
    )
  const before = await entries()
  await call('ada', 'export', { number: subscriber })
  expect(await entries()).toEqual({ count: (before?.count ?? 0) + 1, last: '•••••••••5678' })
  expect((await call('support', 'export', { number: subscriber })).status).toBe(403)
  // A short code is nobody's.
  expect((await call('ada', 'export', { number: '12345' })).status).toBe(400)
  expect(await entries()).toMatchObject({ count: (before?.count ?? 0) + 1 })
})

test('an export asks for the password of a session that is older than five minutes', async () => {
  const old = api.signIn({ userId: 11, username: 'ada', role: 'admin', authenticatedAt: new Date(0) })
  const { status, body } = await api.call('POST', '/api/subscribers/export', {
    body: { number: subscriber },
    cookie: old,
  })
  expect([status, body.code]).toEqual([403, 'reauthenticate'])
})
