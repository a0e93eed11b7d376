import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestDatabase, waitersFor } from '../../../test/environment/database.ts'
import { execute, row, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { passTrafficGate } from '../../platform/locks/traffic-gate.ts'
import { changeCatalog } from '../change-catalog.ts'
import { loadCatalog } from './catalog.ts'

const { db } = await openTestDatabase()
const jan = (day: number) => Date.UTC(2026, 0, day)

beforeEach(() =>
  execute(
    db,
    // The append-only tables that hang on users refuse to be emptied otherwise.
    `set local session_replication_role = replica;
     truncate number_holders, numbers, ranges cascade; truncate users cascade;
     alter sequence numbers_id_seq restart; alter sequence ranges_id_seq restart; alter sequence users_id_seq restart;
     insert into users (username, email, first_name, last_name, password_hash, role)
       select 'client' || n, n || '@example.com', 'A', 'B', '', 'user' from generate_series(1, 3) n`,
  ),
)

const change = (work: (tx: Db, version: bigint) => Promise<unknown>) =>
  transaction(db, async (tx) => work(tx, (await changeCatalog(tx)).version))

const addNumber = (tx: Db, version: bigint, digits: string) =>
  row<{ id: number }>(
    tx,
    sql`insert into numbers (number, catalog_version) values (${digits}, ${version}) returning id`,
  )

const hold = (tx: Db, numberId: number, userId: number, from: number, to: number | null) =>
  sql`insert into number_holders (number_id, user_id, held_from, held_to)
      values (${numberId}, ${userId}, ${new Date(from)}, ${to === null ? null : new Date(to)})`.execute(tx)

test('a number without holder, range and price is found by its digits', async () => {
  await change((tx, version) => addNumber(tx, version, '449098790142'))
  const catalog = await loadCatalog(db)
  const entry = catalog.find('449098790142')
  expect(entry).toMatchObject({ numberId: 1, status: 'active', rangeId: 0 })
  expect(entry?.tariffAt(jan(1))).toBe(0)
  expect(entry?.holderAt(jan(1))).toBe(0)
  expect(entry?.priceAt(jan(1))).toBeUndefined()
  expect(catalog.find('449098790143')).toBeUndefined()
  expect(catalog.find('449098790142')).toBe(entry)
})

test('a number that was assigned before its import was read has its holder', async () => {
  const catalog = await loadCatalog(db)
  const imported = ['449098790141', '449098790142', '449098790143']
  await change(async (tx, version) => {
    for (const digits of imported) await addNumber(tx, 0n, digits)
    await sql`insert into number_imports (catalog_version, first_id, last_id) values (${version}, 1, 3)`.execute(
      tx,
    )
  })
  await change(async (tx, version) => {
    await sql`update numbers set catalog_version = ${version} where id = 2`.execute(tx)
    await hold(tx, 2, 1, jan(1), null)
  })
  await catalog.refresh(db)
  expect(imported.map((digits) => catalog.find(digits)?.holderAt(jan(2)))).toEqual([0, 1, 0])
})

test('holdings are half-open, in whatever order they were written', async () => {
  await change(async (tx, version) => {
    await addNumber(tx, version, '449098790142')
    await hold(tx, 1, 2, jan(10), null)
    await hold(tx, 1, 1, jan(1), jan(5))
    await hold(tx, 1, 3, jan(5), jan(7))
  })
  const entry = (await loadCatalog(db)).find('449098790142')
  const holders = [jan(1) - 1, jan(1), jan(5) - 1, jan(5), jan(7) - 1, jan(7), jan(10) - 1, jan(10), jan(400)]
  expect(holders.map((at) => entry?.holderAt(at))).toEqual([0, 1, 1, 3, 3, 0, 0, 2, 2])
})

test('the narrowest range gives a number its name and tariff; an own tariff comes first; deleted ranges do not count', async () => {
  await change(async (tx, version) => {
    await sql`insert into ranges (range_number, start_number, end_number, tariff_micro, catalog_version) values
      ('wide', '449000000000', '449999999999', 1000000, ${version}),
      ('narrow', '449098790000', '449098799999', 2500000, ${version}),
      ('shorter', '44909879', '44909999', 9000000, ${version})`.execute(tx)
    await addNumber(tx, version, '449098790142')
    await addNumber(tx, version, '449098700000')
    await sql`insert into numbers (number, tariff_micro, catalog_version) values ('449098790143', 0, ${version})`.execute(
      tx,
    )
  })
  const catalog = await loadCatalog(db)
  const named = (digits: string) => {
    const entry = catalog.find(digits)
    return [entry?.rangeId, entry?.tariffAt(jan(1))]
  }
  expect(named('449098790142')).toEqual([2, 2_500_000])
  expect(named('449098700000')).toEqual([1, 1_000_000])
  expect(named('449098790143')).toEqual([2, 0])
  await change((tx, version) =>
    sql`update ranges set deleted_at = now(), catalog_version = ${version} where id = 2`.execute(tx),
  )
  await catalog.refresh(db)
  expect(named('449098790142')).toEqual([1, 1_000_000])
  expect(catalog.rangeNumber(2)).toBe('narrow')
  await change((tx, version) =>
    sql`update ranges set status = 'suspended', catalog_version = ${version} where id = 1`.execute(tx),
  )
  await catalog.refresh(db)
  expect(catalog.find('449098790142')?.status).toBe('suspended')
})

test('a refresh reads new, changed, renamed and deleted numbers, and the others stay', async () => {
  await change(async (tx, version) => {
    for (const digits of ['44900000001', '44900000002', '44900000003', '44900000004']) {
      await addNumber(tx, version, digits)
    }
  })
  const catalog = await loadCatalog(db)
  const untouched = catalog.find('44900000001')
  await change(async (tx, version) => {
    await sql`update numbers set status = 'suspended', catalog_version = ${version} where id = 2`.execute(tx)
    await sql`update numbers set deleted_at = now(), catalog_version = ${version} where id = 3`.execute(tx)
    await addNumber(tx, version, '44900000003')
    await sql`update numbers set number = '44900000009', catalog_version = ${version} where id = 4`.execute(
      tx,
    )
    await hold(tx, 2, 1, jan(1), null)
  })
  expect(catalog.find('44900000002')?.status).toBe('active')
  await Promise.all([catalog.refresh(db), catalog.refresh(db)])
  expect(catalog.find('44900000001')).toBe(untouched)
  expect(catalog.find('44900000002')?.status).toBe('suspended')
  expect(catalog.find('44900000002')?.holderAt(jan(2))).toBe(1)
  expect(catalog.find('44900000003')?.numberId).toBe(5)
  expect(catalog.find('44900000004')).toBeUndefined()
  expect(catalog.find('44900000009')?.numberId).toBe(4)
  expect(catalog.size).toBe(4)
  const version = await row<{ version: string }>(db, sql`select version from catalog`)
  expect(catalog.version).toBe(BigInt(version?.version ?? 0))
})

test('the digits of a deleted number lead to who held them then, also after they were added again and in whatever order nodes load', async () => {
  await change(async (tx, version) => {
    await addNumber(tx, version, '44900000001')
    await addNumber(tx, version, '44900000002')
    await addNumber(tx, version, '44900000003')
    await hold(tx, 1, 1, jan(1), jan(5))
    await hold(tx, 2, 2, jan(1), null)
    await sql`insert into rates (scope, number_id, rate_micro, valid_from)
      values ('number', 1, 120000, ${new Date(jan(1))})`.execute(tx)
  })
  const early = await loadCatalog(db)
  const remove = (id: number, day: number) =>
    change(async (tx, version) => {
      await sql`update number_holders set held_to = ${new Date(jan(day))} where number_id = ${id} and held_to is null`.execute(
        tx,
      )
      await sql`update numbers set deleted_at = ${new Date(jan(day))}, catalog_version = ${version} where id = ${id}`.execute(
        tx,
      )
    })
  await remove(1, 7)
  await remove(2, 7)
  await remove(3, 7)
  await early.refresh(db)
  await change(async (tx, version) => {
    await addNumber(tx, version, '44900000001')
    await hold(tx, 4, 3, jan(10), null)
  })
  await early.refresh(db)
  for (const catalog of [early, await loadCatalog(db)]) {
    const holderAt = (digits: string, day: number) => {
      const entry = catalog.find(digits, jan(day))
      return entry && [entry.numberId, entry.holderAt(jan(day))]
    }
    // Before anybody held it, and between the two holders, the number is the one that is there now.
    expect([0, 1, 4, 5, 8, 10, 400].map((day) => holderAt('44900000001', day))).toEqual([
      [4, 0],
      [1, 1],
      [1, 1],
      [4, 0],
      [4, 0],
      [4, 3],
      [4, 3],
    ])
    expect(catalog.find('44900000001', jan(2))?.priceAt(jan(2))?.rateMicro).toBe(120_000)
    // Deleted for good: ours only at times when it was held.
    expect([0, 6, 8].map((day) => holderAt('44900000002', day))).toEqual([undefined, [2, 2], undefined])
    expect(holderAt('44900000003', 2)).toBeUndefined()
    expect([catalog.find('44900000001')?.numberId, catalog.find('44900000002'), catalog.size]).toEqual([
      4,
      undefined,
      1,
    ])
  }
})

test('changes happen one after the other, each at a later millisecond', async () => {
  const changes = await Promise.all(Array.from({ length: 20 }, () => transaction(db, changeCatalog)))
  const inOrder = changes.toSorted((a, b) => Number(a.version - b.version))
  for (const [place, { now, version }] of inOrder.entries()) {
    const before = inOrder[place - 1]
    expect(version - (before?.version ?? version - 1n)).toBe(1n)
    expect(now.getTime()).toBeGreaterThan(before?.now.getTime() ?? 0)
  }
})

test('a catalog change waits for the batches that are being priced', async () => {
  const order: string[] = []
  let release = () => undefined as void
  const held = new Promise<void>((resolve) => (release = resolve))
  const batch = transaction(db, async (tx) => {
    await passTrafficGate(tx)
    order.push('batch begins')
    await held
    order.push('batch ends')
  })
  await expect.poll(() => order.length).toBe(1)
  const changing = transaction(db, changeCatalog).then(() => order.push('change'))
  await expect.poll(() => waitersFor(db)).toBe(1)
  release()
  await Promise.all([batch, changing])
  expect(order).toEqual(['batch begins', 'batch ends', 'change'])
})

test('100,000 numbers with holders and prices are loaded', async () => {
  await execute(
    db,
    // Without the triggers, which number the changes of numbers that somebody has loaded.
    `set local session_replication_role = replica;
     insert into numbers (number, catalog_version) select (44900000000 + n)::text, 1 from generate_series(1, 100000) n;
     insert into number_holders (number_id, user_id, held_from) select id, 1 + id % 3, '2026-01-01Z' from numbers;
     insert into rates (scope, number_id, rate_micro, valid_from)
       select 'number', id, 120000, '2026-01-01Z' from numbers where id % 4 = 0;
     analyze`,
  )
  await loadCatalog(db)
  const startMs = performance.now()
  const catalog = await loadCatalog(db)
  const loadMs = performance.now() - startMs
  expect(catalog.size).toBe(100_000)
  expect(catalog.find('44900000004')?.priceAt(jan(2))?.rateMicro).toBe(120_000)
  // A third of a second on an idle machine, and tests share theirs with others; one by one it would be minutes.
  expect(loadMs).toBeLessThan(15_000)
})
