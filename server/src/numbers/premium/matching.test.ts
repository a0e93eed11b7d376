import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute, row, rows } from '../../platform/db.ts'
import { passTrafficGateSql } from '../../platform/locks/traffic-gate.ts'
import { openTestNumbers } from '../../../test/numbers.ts'
import { loadCatalog } from '../index.ts'

const bench = await openTestNumbers()
const { db } = bench
const support = await bench.person('support')
const path = '/api/premium-numbers/status'
const first = 447_700_900_000

beforeEach(async () => {
  await execute(db, 'delete from number_status_changes; delete from numbers')
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
    { changeId: expect.any(String), changedCount: 800, sameCount: 400, goneCount: 0 },
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
  const undone = await support.post(`${path}/${body.changeId}/undo`, {})
  expect([undone.status, undone.body]).toEqual([200, { restoredCount: 799, leftCount: 1 }])
  expect(await active()).toBe(999)
  expect((await support.post(`${path}/${body.changeId}/undo`, {})).body.code).toBe('wrong_state')
  const entries = await rows<{ count: number }>(
    db,
    sql`select (select count(*)::int from jsonb_object_keys(before)) as count from audit_entries
        where action = 'number.set_status' and after ->> 'change' = ${body.changeId} order by id`,
  )
  expect(entries.map(({ count }) => count)).toEqual([500, 300, 499, 300])
})

test('nothing is changed when others match than the person was told', async () => {
  const told = await setAll(1_199)
  expect([told.status, told.body.code, told.body.message]).toEqual([
    409,
    'stale',
    'Nothing was changed: 1,200 numbers match by now, not 1,199. Look at the list again.',
  ])
  expect(await active()).toBe(1_000)
  expect((await setAll(0)).status).toBe(400)
})

test('a filter without a number to change changes nothing and has nothing to undo', async () => {
  expect((await setAll(500, { status: 'inactive' })).body).toEqual({
    changeId: null,
    changedCount: 0,
    sameCount: 500,
    goneCount: 0,
  })
  expect((await support.post(`${path}/999999/undo`, {})).status).toBe(404)
})

test('a number that is deleted meanwhile is reported, and two who undo restore each number once', async () => {
  const last = await row<{ id: number }>(
    db,
    sql`select max(id) as id from numbers where country = 'Freedonia' and status = 'active'`,
  )
  const blocker = await bench.pool.connect()
  await blocker.query('begin')
  await blocker.query(passTrafficGateSql)
  const setting = setAll(1_200)
  const waiting = sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
  await expect.poll(async () => (await row<{ n: number }>(db, waiting))?.n).toBe(1)
  await blocker.query(`update numbers set deleted_at = now(), version = version + 1 where id = ${last?.id}`)
  await blocker.query('commit')
  blocker.release()
  const { body } = await setting
  expect(body).toMatchObject({ changedCount: 799, goneCount: 1 })
  const undos = await Promise.all([1, 2].map(() => support.post(`${path}/${body.changeId}/undo`, {})))
  expect(undos.map(({ status }) => status)).toContain(200)
  expect(await active()).toBe(1_000)
})
