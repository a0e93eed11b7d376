import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { execute, row, rows } from '../../platform/db.ts'
import { passTrafficGateSql } from '../../platform/locks/traffic-gate.ts'
import { openTestNumbers } from '../../../test/traffic/numbers.ts'
import { loadCatalog } from '../index.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')
const client = await environment.person('user')
const imports = '/api/premium-numbers/imports'
const header = 'Number,Description,Rate,Status,Country,Country Code'
const lineOf = (n: number) => `${449_098_000_000 + n},,,,,`
const digitsOf = (n: number) => String(449_098_000_000 + n)

beforeEach(() =>
  execute(
    db,
    'delete from number_imports; delete from record_numbers; delete from number_holders; delete from numbers',
  ),
)

async function importNumbers(count: number, fileName = 'numbers.csv'): Promise<string> {
  const data = [header, ...Array.from({ length: count }, (_, n) => lineOf(n))].join('\n')
  const { status, body } = await support.post('/api/premium-numbers/import', { data, fileName })
  expect([status, body.importedCount]).toEqual([200, count])
  return body.importId
}

async function idOf(n: number): Promise<number> {
  const found = await row<{ id: number }>(db, sql`select id from numbers where number = ${digitsOf(n)}`)
  return found?.id ?? 0
}

const present = async () =>
  (
    await rows<{ number: string }>(
      db,
      sql`select number from numbers where deleted_at is null order by number`,
    )
  ).map(({ number }) => number)

/** What the search index writes for a number that has a record. */
const noteRecord = async (n: number) =>
  execute(db, `insert into record_numbers (client_id, number_id) values (0, ${await idOf(n)})`)

test('an import is listed with its file, its person and its counts', async () => {
  await support.post('/api/premium-numbers', { number: digitsOf(0) })
  const data = [header, lineOf(0), lineOf(1), lineOf(2)].join('\n')
  await support.post('/api/premium-numbers/import', { data })
  // Nothing was added, so there is nothing to undo.
  expect((await support.post('/api/premium-numbers/import', { data })).body.importId).toBeNull()
  await support.upload('/api/premium-numbers/import', 'more.csv', Buffer.from(`${header}\n${lineOf(3)}`))
  const { body } = await support.get(`${imports}?limit=1`)
  expect(body).toMatchObject([
    { fileName: 'more.csv', importedBy: support.username, addedCount: 1, state: 'imported', removedCount: 0 },
  ])
  expect((await support.get(imports)).body).toMatchObject([
    { fileName: 'more.csv' },
    { fileName: '', lineCount: 3, addedCount: 2 },
  ])
})

test('undoing removes what is untouched, and says what stays and why', async () => {
  const catalog = await loadCatalog(db)
  await support.post('/api/premium-numbers', { number: '447700900000' })
  const id = await importNumbers(6)
  await support.put(`/api/number-inventory/${await idOf(0)}/assign`, { userId: client.id })
  await support.put(`/api/number-inventory/${await idOf(1)}/assign`, { userId: client.id })
  await support.put(`/api/number-inventory/${await idOf(1)}/unassign`)
  await support.put(`/api/premium-numbers/${await idOf(2)}`, { description: 'Mine' })
  await support.delete(`/api/premium-numbers/${await idOf(3)}`)
  await noteRecord(4)
  const kept = [
    { reason: 'assigned', count: 2, numbers: [digitsOf(0), digitsOf(1)] },
    { reason: 'changed', count: 1, numbers: [digitsOf(2)] },
    { reason: 'deleted', count: 1, numbers: [] },
    { reason: 'traffic', count: 1, numbers: [digitsOf(4)] },
  ]
  const inOrder = (list: { reason: string }[]) => list.toSorted((a, b) => a.reason.localeCompare(b.reason))
  const before = await support.get(`${imports}/${id}`)
  expect([before.status, before.body.removableCount, inOrder(before.body.kept)]).toEqual([200, 1, kept])
  const undone = await support.post(`${imports}/${id}/undo`, {})
  expect([undone.status, undone.body]).toMatchObject([
    200,
    { state: 'undone', undoneBy: support.username, removedCount: 1, removableCount: 0 },
  ])
  expect(inOrder(undone.body.kept)).toEqual(kept)
  expect(await present()).toEqual(['447700900000', digitsOf(0), digitsOf(1), digitsOf(2), digitsOf(4)])
  await catalog.refresh(db)
  expect(catalog.find(digitsOf(5))?.status).toBeUndefined()
  expect((await support.post(`${imports}/${id}/undo`, {})).body.code).toBe('wrong_state')
  const entries = await rows<{ action: string; after: object }>(
    db,
    sql`select action, after from audit_entries where object_type = 'number_import' order by id desc limit 2`,
  )
  expect(entries).toMatchObject([
    { action: 'number.import_undo', after: { removed: 1, 'kept assigned': 2, 'kept traffic': 1 } },
    { action: 'number.import_remove', after: { count: 1, first: digitsOf(5), last: digitsOf(5) } },
  ])
  // The digits are free again.
  expect((await support.post('/api/premium-numbers', { number: digitsOf(5) })).status).toBe(201)
})

test('a message that arrives while an import is undone keeps its number', async () => {
  const id = await importNumbers(1_200)
  const [first, held] = [await idOf(0), await idOf(700)]
  // A batch of messages holds the gate until it is committed. Undoing waits for it and sees what it stored.
  const batch = await environment.pool.connect()
  await batch.query('begin')
  await batch.query(passTrafficGateSql)
  const undoing = support.post(`${imports}/${id}/undo`, {})
  const waiting = sql`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`
  await expect.poll(async () => (await row<{ n: number }>(db, waiting))?.n).toBe(1)
  await batch.query(`insert into record_numbers (client_id, number_id) values (0, ${first}), (0, ${held})`)
  await batch.query('commit')
  batch.release()
  expect((await undoing).body).toMatchObject({
    removedCount: 1_198,
    removableCount: 0,
    kept: [{ reason: 'traffic', count: 2 }],
  })
  expect(await present()).toEqual([digitsOf(0), digitsOf(700)])
})

test('a number that is assigned meanwhile stays, and two people who undo remove each number once', async () => {
  const id = await importNumbers(1_000)
  const [assigned, ...answers] = await Promise.all([
    support.put(`/api/number-inventory/${await idOf(999)}/assign`, { userId: client.id }),
    support.post(`${imports}/${id}/undo`, {}),
    support.post(`${imports}/${id}/undo`, {}),
  ])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const left = assigned?.status === 200 ? [digitsOf(999)] : []
  expect(await present()).toEqual(left)
  const removed = await row<{ removed_count: number }>(
    db,
    sql`select removed_count from number_imports where id = ${id}`,
  )
  expect(removed?.removed_count).toBe(1_000 - left.length)
})

test('undoing that was interrupted goes on', async () => {
  const id = await importNumbers(3)
  await execute(
    db,
    `update numbers set deleted_at = now(), version = 2 where id = ${await idOf(0)};
     update number_imports set undo_began_at = now(), removed_count = 1 where id = ${id}`,
  )
  expect((await support.get(`${imports}/${id}`)).body).toMatchObject({
    state: 'undoing',
    removableCount: 2,
    kept: [],
  })
  expect((await support.post(`${imports}/${id}/undo`, {})).body).toMatchObject({
    state: 'undone',
    removedCount: 3,
  })
})

test('nothing is removed while the records are not indexed', async () => {
  const id = await importNumbers(1)
  await execute(
    db,
    `insert into record_batches (id, xid, created_from, created_to, stored_at, priced_at, record_count)
     select n, pg_current_xact_id(), now(), now(), now(), now(), 1 from generate_series(1000001, 1000201) n`,
  )
  const refused = await support.post(`${imports}/${id}/undo`, {})
  expect([refused.status, refused.body.code]).toEqual([503, 'unavailable'])
  expect(await present()).toHaveLength(1)
  await execute(db, 'delete from record_batches where id > 1000000')
})

test('an unknown import is not found', async () => {
  for (const id of ['0', '999999', '999999999999999999'])
    expect((await support.get(`${imports}/${id}`)).status).toBe(404)
  expect((await client.get(imports)).status).toBe(403)
})
