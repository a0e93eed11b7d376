import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute, row, rows } from '../platform/db.ts'
import { passTrafficGateSql } from '../platform/locks/traffic-gate.ts'
import { openTestNumbers } from '../../test/traffic/numbers.ts'
import { loadCatalog } from './index.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')
const path = '/api/premium-numbers/status'
const first = 447_700_900_000

beforeEach(async () => {
  await execute(db, 'delete from bulk_changes; delete from number_holders; delete from numbers')
  // Each third is inactive already.
  await sql`insert into numbers (number, country, status, catalog_version)
    select (${first}::bigint + n)::text, case when n < 1200 then 'Freedonia' else 'Sylvania' end,
      case when n % 3 = 0 then 'inactive' else 'active' end, (select version from catalog)
    from generate_series(0, 1499) n`.execute(db)
})

const setAll = (count: number, filter: object = { country: 'Freedonia' }) =>
  support.post(`${path}/matching`, { filter, count, status: 'inactive' })
const active = async () =>
  (await row<{ n: number }>(db, sql`select count(*)::int as n from numbers where status = 'active'`))?.n

test('all that match are changed, also those beyond one step, and undone as one', async () => {
  const catalog = await loadCatalog(db)
  const { status, body } = await setAll(1_200)
  expect([status, body]).toEqual([
    200,
    { changeId: expect.any(String), changedCount: 800, leftOut: [{ reason: 'same', count: 400 }] },
  ])
  expect(await active()).toBe(200)
  await catalog.refresh(db)
  expect(catalog.find(String(first + 1))?.status).toBe('inactive')
  // Changed since by somebody else, so undoing leaves it alone.
  const number = await row<{ id: number }>(
    db,
    sql`select id from numbers where number = ${String(first + 2)}`,
  )
  await support.put(`/api/premium-numbers/${number?.id}`, { status: 'suspended' })
  const undone = await support.post(`/api/number-changes/${body.changeId}/undo`, {})
  expect([undone.status, undone.body]).toEqual([200, { restoredCount: 799, leftCount: 1 }])
  expect(await active()).toBe(999)
  expect((await support.post(`/api/number-changes/${body.changeId}/undo`, {})).body.code).toBe('wrong_state')
  const entries = await rows<{ count: number }>(
    db,
    sql`select (select count(*)::int from jsonb_object_keys(before)) as count from audit_entries
        where action = 'number.set_status' and after ->> 'change' = ${body.changeId} order by id`,
  )
  expect(entries.map(({ count }) => count)).toEqual([500, 300, 499, 300])
})

test('nothing is changed when others match than the person was told', async () => {
  const refused = await setAll(1_199)
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    409,
    'stale',
    'Nothing was changed: 1,200 match by now, not 1,199. Look at the list again.',
  ])
  expect(await active()).toBe(1_000)
  expect((await setAll(0)).status).toBe(400)
})

test('a filter without a number to change changes nothing and has nothing to undo', async () => {
  expect((await setAll(500, { status: 'inactive' })).body).toEqual({
    changeId: null,
    changedCount: 0,
    leftOut: [{ reason: 'same', count: 500 }],
  })
  expect((await support.post('/api/number-changes/999999/undo', {})).status).toBe(404)
})

test('a number that is deleted meanwhile is reported, and two who undo restore each number once', async () => {
  const last = await row<{ id: number }>(
    db,
    sql`select max(id) as id from numbers where country = 'Freedonia' and status = 'active'`,
  )
  const blocker = await environment.pool.connect()
  await blocker.query('begin')
  await blocker.query(passTrafficGateSql)
  const setting = setAll(1_200)
  const waiting = sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
  await expect.poll(async () => (await row<{ n: number }>(db, waiting))?.n).toBe(1)
  await blocker.query(`update numbers set deleted_at = now(), version = version + 1 where id = ${last?.id}`)
  await blocker.query('commit')
  blocker.release()
  const { body } = await setting
  expect(body).toMatchObject({
    changedCount: 799,
    leftOut: [
      { reason: 'same', count: 400 },
      { reason: 'gone', count: 1 },
    ],
  })
  const undos = await Promise.all(
    [1, 2].map(() => support.post(`/api/number-changes/${body.changeId}/undo`, {})),
  )
  expect(undos.map(({ status }) => status)).toContain(200)
  expect(await active()).toBe(1_000)
})

/** The actions that the audit log has of a change and of undoing it. */
const recorded = async (changeId: string) =>
  (
    await rows<{ action: string }>(
      db,
      sql`select action from audit_entries where after ->> 'change' = ${changeId} order by id`,
    )
  ).map(({ action }) => action)

const holders = () =>
  rows<{ holder: string; count: number }>(
    db,
    sql`select coalesce(u.username, '') as holder, count(*)::int as count from numbers n
        left join users u on u.id = n.holder_id group by 1 order by 1`,
  )

test('all available numbers that match get one holder, and are free again after undoing', async () => {
  const client = await environment.person('user')
  const request = { filter: {}, count: 1_500, userId: client.id }
  const { status, body } = await support.post('/api/number-inventory/assign/matching', request)
  expect([status, body]).toEqual([
    200,
    { changeId: expect.any(String), changedCount: 1_000, leftOut: [{ reason: 'suspended', count: 500 }] },
  ])
  expect(await holders()).toEqual([
    { holder: '', count: 500 },
    { holder: client.username, count: 1_000 },
  ])
  const again = await support.post('/api/number-inventory/assign/matching', request)
  expect(again.body).toMatchObject({
    changeId: null,
    leftOut: expect.arrayContaining([{ reason: 'held', count: 1_000 }]),
  })
  const undone = await support.post(`/api/number-changes/${body.changeId}/undo`, {})
  expect(undone.body).toEqual({ restoredCount: 1_000, leftCount: 0 })
  expect(await holders()).toEqual([{ holder: '', count: 1_500 }])
  expect(await recorded(body.changeId)).toEqual([
    'number.assign',
    'number.assign',
    'number.unassign',
    'number.unassign',
  ])
})

test('numbers that were taken from their holders go back to them, unless somebody has them or the account is closed', async () => {
  const [first, second, third] = [
    await environment.person('user'),
    await environment.person('user'),
    await environment.person('user'),
  ]
  const ids = (
    await rows<{ id: string }>(
      db,
      sql`select id::text from numbers where status = 'active' order by id limit 4`,
    )
  ).map(({ id }) => id)
  const assign = (chosen: readonly string[], userId: number) =>
    support.post('/api/number-inventory/assign', { ids: chosen, userId })
  const assigned = (await assign(ids.slice(0, 2), first.id)).body
  expect(assigned.changed).toBe(2)
  expect(await recorded(assigned.changeId)).toEqual(['number.assign'])
  await assign(ids.slice(2), second.id)
  const refused = await support.post('/api/number-inventory/unassign', {
    ids: [...ids, String(Number(ids[3]) + 1)],
  })
  expect(refused.body.message).toMatch(/^Nobody holds \+/)
  const taken = await support.post('/api/number-inventory/unassign/matching', { filter: {}, count: 1_500 })
  expect(taken.body).toMatchObject({ changedCount: 4, leftOut: [{ reason: 'unheld', count: 1_496 }] })
  await assign(ids.slice(1, 2), third.id)
  await sql`update users set status = 'suspended' where id = ${second.id}`.execute(db)
  const undone = await support.post(`/api/number-changes/${taken.body.changeId}/undo`, {})
  expect(undone.body).toEqual({ restoredCount: 1, leftCount: 3 })
  expect(await recorded(taken.body.changeId)).toEqual(['number.unassign', 'number.assign'])
  expect((await holders()).filter(({ holder }) => holder !== '')).toEqual([
    { holder: first.username, count: 1 },
    { holder: third.username, count: 1 },
  ])
})

test('the status of ranges is set by a filter, and undone where nobody changed it since', async () => {
  const made: { id: string }[] = []
  for (const n of [1, 2, 3])
    made.push(
      (
        await support.post('/api/ranges', {
          rangeNumber: `B${n}`,
          startNumber: `4477009${n}0000`,
          endNumber: `4477009${n}9999`,
          status: n === 3 ? 'inactive' : 'active',
        })
      ).body,
    )
  const request = { filter: { search: 'B' }, count: 3, status: 'inactive' }
  const { body } = await support.post('/api/ranges/status/matching', request)
  expect(body).toMatchObject({ changedCount: 2, leftOut: [{ reason: 'same', count: 1 }] })
  await support.put(`/api/ranges/${made[0]?.id}`, { description: 'Changed since' })
  const undone = await support.post(`/api/number-changes/${body.changeId}/undo`, {})
  expect(undone.body).toEqual({ restoredCount: 1, leftCount: 1 })
  expect(await recorded(body.changeId)).toEqual(['range.set_status', 'range.set_status'])
  const statuses = (await support.get('/api/ranges?sort=rangeNumber&order=asc')).body
  expect(statuses.map(({ status }: { status: string }) => status)).toEqual(['inactive', 'active', 'inactive'])
})

test('requests are rejected by a filter, and wait again after undoing; one withdrawn since does not', async () => {
  const client = await environment.person('user')
  const ask = async (businessPurpose: string) =>
    (await client.post('/api/number-requests', { businessPurpose, expectedVolume: '50-200' })).body
  const [first, second] = [
    await ask('Bulk poll one'),
    await ask('Bulk poll two'),
    await ask('Bulk poll three'),
  ]
  await support.put(`/api/number-requests/${second.id}/process`, { action: 'approve' })
  const filter = { search: 'bulk poll' }
  const path = '/api/number-requests/process/matching'
  const noReason = await support.post(path, { filter, count: 3, action: 'reject' })
  expect(noReason.status).toBe(400)
  const approved = await support.post(path, { filter, count: 3, action: 'approve' })
  expect(approved.body).toMatchObject({ changedCount: 2, leftOut: [{ reason: 'answered', count: 1 }] })
  await client.put(`/api/number-requests/${first.id}/withdraw`)
  const undone = await support.post(`/api/number-changes/${approved.body.changeId}/undo`, {})
  expect(undone.body).toEqual({ restoredCount: 1, leftCount: 1 })
  expect(await recorded(approved.body.changeId)).toEqual(['number_request.approve', 'number_request.reopen'])
  const rejected = await support.post(path, {
    filter,
    count: 3,
    action: 'reject',
    rejectionReason: 'No stock',
  })
  expect(rejected.body).toMatchObject({ changedCount: 2, leftOut: [{ reason: 'answered', count: 1 }] })
  await support.post(`/api/number-changes/${rejected.body.changeId}/undo`, {})
  const now = (await client.get('/api/number-requests?sort=createdAt&order=asc')).body
  expect(
    now.map((request: { status: string; rejectionReason: string }) => [
      request.status,
      request.rejectionReason,
    ]),
  ).toEqual([
    ['withdrawn', ''],
    ['approved', ''],
    ['pending', ''],
  ])
  expect(environment.requestEvents.at(-1)).toMatchObject({ userId: client.id, status: 'pending' })
})

test('who may not see the lists may not act on them', async () => {
  const client = await environment.person('user')
  for (const what of ['number-inventory/unassign', 'ranges/status', 'number-requests/process'])
    expect((await client.post(`/api/${what}/matching`, { filter: {}, count: 1 })).status).toBe(403)
})
