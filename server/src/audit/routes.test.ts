import { sql } from 'kysely'
import type { AuditEntry } from '@tollgate/contract/audit/audit.ts'
import { expect, test } from 'vitest'
import { openTestApi } from '../../test/http/api.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { createTestAudit } from '../../test/people/audit.ts'
import { systemActor } from './index.ts'
import { rows } from '../platform/db.ts'
import { readSorted } from '../../test/http/pages.ts'

async function openLog() {
  const { db } = await openTestDatabase()
  const audit = createTestAudit({ db, clock: fixedClock() })
  const api = await openTestApi(audit.routes)
  return { db, audit, api, cookie: api.signIn({ userId: 1, username: 'root', role: 'admin' }) }
}

const { db, audit, api, cookie } = await openLog()

test('an admin reads the log page by page, its actions, and whether it is intact', async () => {
  const { db, audit, api, cookie } = await openLog()
  for (const objectId of ['1', '2', '3'])
    await audit.record(db, {
      actor: { userId: 1, username: 'root' },
      ip: '192.0.2.9',
      action: 'user.edit',
      objectType: 'user',
      objectId,
    })
  const first = await api.call('GET', '/api/audit?limit=2&objectType=user', { cookie })
  expect(first.status).toBe(200)
  expect(first.body.map(({ objectId }: { objectId: string }) => objectId)).toEqual(['3', '2'])
  const second = await api.call('GET', first.next!, { cookie })
  expect(second.body).toMatchObject([{ objectId: '1', actor: 'root', ip: '192.0.2.9', before: null }])
  expect(second.next).toBeUndefined()
  expect((await api.call('GET', '/api/audit/actions', { cookie })).body).toEqual(['user.edit'])
  expect((await api.call('GET', '/api/audit/verify', { cookie })).body).toEqual({
    isIntact: true,
    count: 3,
    brokenId: null,
  })
})

test('an entry names what it is about as it is called now, and nothing that is gone', async () => {
  const { db, audit, api, cookie } = await openLog()
  const [user = { id: 0 }] = await rows<{ id: number }>(
    db,
    sql`insert into users (username, email, first_name, last_name, password_hash, role)
      values ('mira', 'mira@example.org', '', '', 'x', 'user') returning id`,
  )
  await sql`insert into numbers (number) values ('447700900123')`.execute(db)
  const objects = [
    ['user', String(user.id)],
    ['billing_period', `3-${user.id}`],
    ['number', '1'],
    ['number', '99'],
    ['number', '2 numbers'],
    ['setting', 'registration'],
  ] as const
  for (const [objectType, objectId] of objects)
    await audit.record(db, { actor: systemActor, ip: '', action: 'thing.change', objectType, objectId })
  const { body } = await api.call('GET', '/api/audit?order=asc', { cookie })
  expect(body.map(({ objectName }: AuditEntry) => objectName)).toEqual([
    'mira',
    'mira',
    '447700900123',
    '',
    '',
    '',
  ])
})

test('the log of a filter is exported, newest first, with what changed, safe for a spreadsheet', async () => {
  for (const name of ['=cmd()', 'plain'])
    await audit.record(db, {
      actor: { userId: 1, username: name },
      ip: '192.0.2.9',
      action: 'rate.set',
      objectType: 'rate',
      objectId: 'global',
      before: { rate: '0.05' },
      after: { rate: '0.06' },
    })
  const { headers, text } = await api.call('GET', '/api/audit/export?action=rate.set', { cookie })
  expect(headers['content-disposition']).toBe('attachment; filename="audit-log.csv"')
  const [head, newest, oldest, end] = text.split('\r\n')
  expect(head).toBe('Entry,Date & Time,Who,Action,Object Type,Object ID,From,Before,After')
  expect(newest).toContain(
    ',plain,rate.set,rate,global,192.0.2.9,"{""rate"":""0.05""}","{""rate"":""0.06""}"',
  )
  expect(oldest).toContain(",'=cmd(),rate.set,")
  expect(end).toBe('')
  for (const path of ['/api/audit', '/api/audit/export'])
    for (const [name, value] of [
      ['dateFrom', '0000-01-01'],
      ['dateTo', '2026-02-30'],
      ['actorId', '-1'],
    ] as const) {
      const refused = await api.call('GET', `${path}?${name}=${value}`, { cookie })
      expect([path, name, refused.status, Object.keys(refused.body.fields)]).toEqual([
        path,
        name,
        400,
        [name],
      ])
    }
  const whole = await api.call('GET', '/api/audit/export?dateFrom=0001-01-01&dateTo=9999-12-31', { cookie })
  expect(whole.text).toContain(',plain,rate.set,')
})

test('an export for Excel has its mark, the times of the zone and its separator', async () => {
  await audit.record(db, {
    actor: { userId: 1, username: 'excel' },
    ip: '192.0.2.9',
    action: 'provider.edit',
    objectType: 'provider',
    objectId: '0012',
  })
  const path = '/api/audit/export?action=provider.edit&form=excel&decimal=comma&zone=Asia/Jerusalem'
  const { text, headers } = await api.call('GET', path, { cookie })
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const [head = '', line = ''] = text.split('\r\n')
  expect(head).toMatch(/^\uFEFF?[^;]*;.* \(Asia\/Jerusalem\);/)
  expect(line).toMatch(/(^|;)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d;/)
  for (const query of ['form=word', 'zone=Mars', 'decimal=x'])
    expect((await api.call('GET', `/api/audit/export?${query}`, { cookie })).status).toBe(400)
})

test('the log is read by time, by who and by what was done, both ways', async () => {
  for (const [place, username] of ['zoe', 'adam', 'zoe', 'adam', 'mia'].entries())
    await audit.record(db, {
      actor: { userId: place, username },
      ip: '192.0.2.9',
      action: place < 3 ? 'range.edit' : 'key.create',
      objectType: 'range',
      objectId: 'sorted',
    })
  const get = (path: string) => api.call('GET', path, { cookie })
  for (const search of ['', '&search=sorted'])
    for (const [sort, value] of [
      ['at', (entry: AuditEntry) => entry.id.padStart(9, '0')],
      ['actor', (entry: AuditEntry) => entry.actor],
      ['action', (entry: AuditEntry) => entry.action],
    ] as const) {
      const listed = await readSorted({ get }, `/api/audit?objectType=range${search}`, sort, value)
      expect([sort, listed.length]).toEqual([sort, 5])
    }
  expect((await get('/api/audit?objectType=range')).body[0].actor).toBe('mia')
})

test.each([
  ['sort=ip', 'sort'],
  ['order=up', 'order'],
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['cursor=xyz', 'cursor'],
  ['dateFrom=yesterday', 'dateFrom'],
  ['dateTo=2026-02-30', 'dateTo'],
  ['actorId=me', 'actorId'],
  ['actorId=99999999999', 'actorId'],
])('%s is refused and named', async (query, field) => {
  const answer = await api.call('GET', `/api/audit?${query}`, { cookie })
  expect(answer.status).toBe(400)
  expect(Object.keys(answer.body.fields)).toEqual([field])
})
