import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { row, rows, sqlState, type Db } from '../platform/db.ts'
import { registry } from '../platform/metrics.ts'
import { transaction } from '../platform/transaction.ts'
import { passTrafficGate } from '../platform/locks/traffic-gate.ts'
import { balancesOf, createLedger, findOpenCycle, LedgerChecker, type LedgerLine } from './index.ts'
import { countEnded, cycleAfter, cycleAround } from './rules.ts'

const weekSeconds = 604_800

/** An empty ledger and three people. */
async function openLedger() {
  const { db } = await openTestDatabase({ maxConnections: 20 })
  const clock = fixedClock('2026-03-04T12:00:00Z')
  const ledger = createLedger({ db, clock, cycleSeconds: weekSeconds })
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x', 'user' from generate_series(1, 3) i`.execute(db)
  return { db, ledger }
}

/** Traffic as ingest counts it, in part not folded yet. */
async function countTraffic(db: Db, cycleId: number): Promise<void> {
  await sql`insert into record_cycle_counters values (${cycleId}, 1, 1, 2, 100), (${cycleId}, 1, 2, 1, 7),
    (${cycleId}, 2, 1, 9, 900)`.execute(db)
  await sql`insert into record_counter_buffers values
    (${cycleId}, '{0}', '{1}', '{0}', '{1}', '{10}', '{1}', '{0}', '{50}')`.execute(db)
}

test('the first cycle begins on Monday 00:00 UTC, once, whoever asks', async () => {
  const { ledger } = await openLedger()
  const opened = await Promise.all(Array.from({ length: 8 }, () => ledger.ensureOpenCycle()))
  expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
  expect(opened[0]).toMatchObject({
    startsAt: new Date('2026-03-02T00:00:00Z'),
    endsAt: new Date('2026-03-09T00:00:00Z'),
  })
})

test('other lengths are aligned to the epoch, and cycles follow without a gap', () => {
  expect(cycleAround(new Date('2026-03-04T12:00:59.999Z'), 60)).toEqual({
    startsAt: new Date('2026-03-04T12:00:00Z'),
    endsAt: new Date('2026-03-04T12:01:00Z'),
  })
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      fc.constantFrom(1, 60, 3600, 86_400, 604_800),
      (at, seconds) => {
        const around = cycleAround(at, seconds)
        expect(around.startsAt <= at && at < around.endsAt).toBe(true)
        expect(cycleAfter(around.endsAt, seconds)).toEqual(cycleAround(around.endsAt, seconds))
      },
    ),
  )
})

test('weeks return to Monday 00:00 UTC after a drill with short cycles', () => {
  const drill = cycleAround(new Date('2026-03-04T12:00:30Z'), 90)
  expect(cycleAfter(drill.endsAt, weekSeconds)).toEqual({
    startsAt: drill.endsAt,
    endsAt: new Date('2026-03-09T00:00:00Z'),
  })
  expect(cycleAfter(new Date('2026-03-09T00:00:00Z'), weekSeconds).endsAt).toEqual(
    new Date('2026-03-16T00:00:00Z'),
  )
})

test.each([
  ['2026-03-08T23:59:59.999Z', 0],
  ['2026-03-09T00:00:00Z', 1],
  ['2026-03-15T23:59:59.999Z', 1],
  ['2026-03-16T00:00:00Z', 2],
  ['2026-04-08T12:00:00Z', 5],
])('at %s, %i weeks have ended of those from 2 March on', (at, count) => {
  expect(countEnded(new Date('2026-03-09T00:00:00Z'), new Date(at), weekSeconds)).toBe(count)
})

test('a cycle is closed when it is due, once, and the next begins where it ended', async () => {
  const { db, ledger } = await openLedger()
  const open = await ledger.ensureOpenCycle()
  const early = await transaction(db, (tx) => ledger.closeDueCycle(tx, new Date(open.endsAt.getTime() - 1)))
  expect(early).toBeUndefined()
  const closes = await Promise.all(
    Array.from({ length: 5 }, () => transaction(db, (tx) => ledger.closeDueCycle(tx, open.endsAt))),
  )
  expect(closes.filter((closed) => closed !== undefined)).toEqual([open])
  const next = await findOpenCycle(db)
  expect(next).toMatchObject({ startsAt: open.endsAt, endsAt: new Date('2026-03-16T00:00:00Z') })
  expect(await ledger.ensureOpenCycle()).toEqual(next)
})

test('a close that fails leaves the cycle open', async () => {
  const { db, ledger } = await openLedger()
  const open = await ledger.ensureOpenCycle()
  const attempt = transaction(db, async (tx) => {
    await ledger.closeDueCycle(tx, open.endsAt)
    throw new Error('no bills')
  })
  await expect(attempt).rejects.toThrow('no bills')
  expect(await findOpenCycle(db)).toEqual(open)
})

const lines = (cycleId: number, amountMicro: bigint): LedgerLine[] => [
  { cycleId, userId: 1, account: 'payable', amountMicro: -amountMicro, kind: 'hold', reason: 'burst' },
  { cycleId, userId: 1, account: 'held', amountMicro, kind: 'hold', actorId: 2 },
]

test('lines that do not sum to zero are refused, by us and by the database', async () => {
  const { db, ledger } = await openLedger()
  const { id } = await ledger.ensureOpenCycle()
  const [first] = lines(id, 5n)
  await expect(transaction(db, (tx) => ledger.post(tx, [first!]))).rejects.toThrow('sum to zero')
  await expect(transaction(db, (tx) => ledger.post(tx, []))).rejects.toThrow('sum to zero')
  const error =
    await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, kind)
    values (1, ${id}, 1, 5, 'payable', 'hold')`
      .execute(db)
      .catch((cause: unknown) => cause)
  expect(sqlState(error)).toBe('23514')
  for (const statement of [sql`update ledger_lines set amount_micro = 1`, sql`delete from ledger_lines`]) {
    expect(sqlState(await statement.execute(db).catch((cause: unknown) => cause))).toBe('42501')
  }
})

test('a batch is shown line by line, balances and cannot be changed', async () => {
  const { db, ledger } = await openLedger()
  const { id } = await ledger.ensureOpenCycle()
  await transaction(db, async (tx) => {
    await sql`insert into ledger_batches (transaction_id, cycle_id, user_ids, settlements, amounts_micro)
      values (900002, ${id}, '{2,3,3}', '{1,1,2}', '{5,6,7}')`.execute(tx)
    expect(
      await rows(
        tx,
        sql`select user_id, account, settlement, amount_micro::int as micro from ledger_entries
          where transaction_id = 900002 order by user_id, settlement`,
      ),
    ).toEqual([
      { user_id: 2, account: 'payable', settlement: 1, micro: 5 },
      { user_id: 3, account: 'payable', settlement: 1, micro: 6 },
      { user_id: 3, account: 'payable', settlement: 2, micro: 7 },
      { user_id: null, account: 'traffic_expense', settlement: 0, micro: -18 },
    ])
    await sql`savepoint before`.execute(tx)
    for (const statement of [
      sql`update ledger_batches set cycle_id = 0`,
      sql`delete from ledger_batches`,
      sql`truncate ledger_batches`,
    ]) {
      expect(sqlState(await statement.execute(tx).catch((cause: unknown) => cause))).toBe('42501')
      await sql`rollback to before`.execute(tx)
    }
    throw new Error('undone')
  }).catch((error: unknown) => expect(String(error)).toContain('undone'))
})

test('balances add traffic that is folded, traffic that is not, and lines', async () => {
  const { db, ledger } = await openLedger()
  const { id } = await ledger.ensureOpenCycle()
  await countTraffic(db, id)
  await transaction(db, (tx) => ledger.post(tx, lines(id, 40n)))
  expect(await balancesOf(db, 1)).toEqual([
    { cycleId: id, settlement: 1, account: 'held', amountMicro: 40n },
    { cycleId: id, settlement: 1, account: 'payable', amountMicro: 110n },
    { cycleId: id, settlement: 2, account: 'payable', amountMicro: 7n },
  ])
  expect(await balancesOf(db, 1, id + 1)).toEqual([])
  expect(await balancesOf(db, 3)).toEqual([])
})

test('the checker names what differs, and sees when it is mended', async () => {
  const { db, ledger } = await openLedger()
  const { id } = await ledger.ensureOpenCycle()
  await countTraffic(db, id)
  const checker = new LedgerChecker(db)
  const gauge = async () =>
    Number(/^tollgate_ledger_imbalance_microusdt (\d+)/m.exec(await registry.metrics())?.[1])
  const findings = await checker.run()
  expect(findings?.sumMicro).toBe(0n)
  expect(findings?.breaks.toSorted((a, b) => a.userId - b.userId || a.settlement - b.settlement)).toEqual([
    { cycleId: id, userId: 1, settlement: 1, ledgerMicro: 0n, countedMicro: 150n },
    { cycleId: id, userId: 1, settlement: 2, ledgerMicro: 0n, countedMicro: 7n },
    { cycleId: id, userId: 2, settlement: 1, ledgerMicro: 0n, countedMicro: 900n },
  ])
  expect(await gauge()).toBe(1057)
  const earned = (userId: number, settlement: number, amountMicro: bigint): LedgerLine => ({
    cycleId: id,
    userId,
    account: 'payable',
    settlement,
    amountMicro,
    kind: 'traffic',
  })
  await transaction(db, (tx) =>
    ledger.post(tx, [
      earned(1, 1, 150n),
      earned(1, 2, 7n),
      earned(2, 1, 900n),
      { cycleId: id, userId: null, account: 'traffic_expense', amountMicro: -1057n, kind: 'traffic' },
    ]),
  )
  expect(await checker.run()).toEqual({ sumMicro: 0n, breaks: [] })
  expect(await new LedgerChecker(db).run()).toEqual({ sumMicro: 0n, breaks: [] })
  expect(await gauge()).toBe(0)
})

test('a check does not wait long for the traffic gate', async () => {
  const { db } = await openLedger()
  const checker = new LedgerChecker(db)
  await transaction(db, async (tx) => {
    await passTrafficGate(tx)
    expect(await checker.run()).toBeUndefined()
  })
  expect(await checker.run()).toEqual({ sumMicro: 0n, breaks: [] })
})

test('many random transactions sum to zero, user by user as in all', async () => {
  const { db, ledger } = await openLedger()
  const { id } = await ledger.ensureOpenCycle()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.bigInt({ min: 1n, max: 10n ** 12n })), {
        minLength: 1,
        maxLength: 40,
      }),
      async (earnings) => {
        const total = earnings.reduce((sum, [, amountMicro]) => sum + amountMicro, 0n)
        await transaction(db, (tx) =>
          ledger.post(tx, [
            ...earnings.map(([userId, amountMicro]): LedgerLine => ({
              cycleId: id,
              userId,
              account: 'billed',
              amountMicro,
              kind: 'bill',
            })),
            { cycleId: id, userId: null, account: 'adjustment', amountMicro: -total, kind: 'bill' },
          ]),
        )
      },
    ),
    { numRuns: 30 },
  )
  const sums = await row<{ users: string; platform: string }>(
    db,
    sql`select sum(amount_micro) filter (where user_id is not null)::text as users,
          (-sum(amount_micro) filter (where user_id is null))::text as platform
        from ledger_entries where kind = 'bill'`,
  )
  expect(sums?.users).toBe(sums?.platform)
  expect(
    await rows(db, sql`select transaction_id from ledger_entries group by 1 having sum(amount_micro) <> 0`),
  ).toEqual([])
})
