// One account that cannot be closed: it is parked with its reason, and all others are closed.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { differingClients } from './line-sums.ts'
import { verifyFile } from '../../statements/verify-file.ts'
import { readStatement } from '../../statements/read-statement.ts'

// Ten of these are more than a bigint holds.
const huge = 999_999_999_999_000_000n

/** Corrections as an earlier version let a person enter them. */
async function hugeCorrections(db: Db, userId: number, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const made = await row<{ id: string; cycle_id: number }>(
      db,
      sql`insert into adjustments (user_id, amount_micro, reason, status, requested_by, decided_by, cycle_id, created_at, decided_at)
          select ${userId}::int, ${huge}::bigint, 'a slip', 'posted', 6, 6, id, now(), now() from cycles where closed_at is null
          returning id, cycle_id`,
    )
    ids.push(made?.id ?? '')
    await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, kind, reference, reason)
      select ${nth}::bigint + 900000000, ${made?.cycle_id}::int, side.user_id, side.sign * ${huge}::bigint, side.account, 'adjustment',
        ${made?.id}::text, 'a slip'
      from (values (${userId}::int, 1, 'payable'), (null, -1, 'adjustment')) side (user_id, sign, account)`.execute(
      db,
    )
  }
  return ids
}

const billsOf = (db: Db) =>
  rows<{ user_id: number; total: string }>(
    db,
    sql`select user_id, total_micro::text as total from billing_periods order by 1`,
  )

test('ten huge corrections of one client stop only this client; taken back, it is closed too', async () => {
  const { aPayee, billing, call, closeCycle, db, traffic } = await openTestBilling()
  await sql`insert into rates (scope, number_id, rate_micro, valid_from) values ('number', 3, 500000, '2026-03-04')`.execute(
    db,
  )
  for (const client of [1, 2, 3]) {
    await aPayee(client)
    await traffic({ client, number: 1, count: 10, amountMicro: 50_000 })
    await traffic({ client, number: 3, count: 2, amountMicro: 500_000, rateId: 2 })
  }
  const ids = await hugeCorrections(db, 2, 10)
  // Every figure of all accounts can still be read.
  expect((await call(4, 'GET', '/api/billing/summary')).status).toBe(200)
  expect((await call(4, 'GET', '/api/billing/all-periods')).status).toBe(200)
  const { id: cycleId } = await closeCycle()
  expect(await billsOf(db)).toEqual([
    { user_id: 1, total: '500000' },
    { user_id: 3, total: '500000' },
  ])
  expect(await rows(db, sql`select user_id, amount_micro::text as amount from payouts order by 1`)).toEqual([
    { user_id: 1, amount: '1000000' },
    { user_id: 3, amount: '1000000' },
  ])
  await billing.watchLedger()
  const parked = (await call(4, 'GET', '/api/billing/parked')).body
  expect(parked).toMatchObject([
    { userId: 2, reason: expect.stringContaining(`Period ${cycleId} could not be closed`) },
  ])
  await billing.closeLeftOut()
  expect(await billsOf(db)).toHaveLength(2)
  await billing.signStatements()
  expect(await rows(db, sql`select user_id from statements order by 1`)).toEqual([
    { user_id: 1 },
    { user_id: 3 },
  ])

  // Taken back by two persons: the correction belongs to the period that could not be closed.
  for (const id of ids) {
    const take = { userId: 2, reason: 'take the slip back', reference: `correction-${id}` }
    const part = { ...take, amount: '-999999999998' }
    expect((await call(6, 'POST', '/api/billing/adjustments', { body: part })).status).toBe(400)
    const whole = { ...take, amount: '-999999999999' }
    const { status, body } = await call(6, 'POST', '/api/billing/adjustments', { body: whole })
    expect([status, body.status]).toEqual([201, 'pending'])
    expect((await call(6, 'POST', '/api/billing/adjustments', { body: whole })).status).toBe(400)
    await sql`update adjustments set requested_by = 5 where id = ${body.id}`.execute(db)
    const word = { body: { action: 'accept', reason: 'it is' } }
    const decided = await call(6, 'PUT', `/api/billing/adjustments/${body.id}/decide`, word)
    expect([decided.status, decided.body.periodId]).toEqual([200, `${cycleId}-2`])
  }
  await billing.closeLeftOut()
  expect(await billsOf(db)).toHaveLength(3)
  await billing.signStatements()
  let text = ''
  for await (const chunk of (await readStatement(db, cycleId, 2)).stream) text += String(chunk)
  const checked = await verifyFile(
    (async function* () {
      yield* text.split('\n')
    })(),
  )
  expect([checked.faults, checked.recordCount]).toEqual([[], 12])
  await billing.watchLedger()
  expect((await call(4, 'GET', '/api/billing/parked')).body).toEqual([])
  expect(await billing.ledgerState()).toMatchObject({ balanced: true, imbalance: '0.00' })
})

test.each([
  ['bill', 'billing_periods'],
  ['payout', 'payouts'],
  ['line', 'billing_lines'],
])('a client whose %s the database refuses is left out until it takes it', async (_, table) => {
  const { aPayee, billing, call, closeCycle, db, traffic } = await openTestBilling()
  for (const client of [1, 2, 3]) {
    await aPayee(client)
    await traffic({ client, number: 1, count: 10, amountMicro: 50_000 })
    await traffic({ client, number: 3, count: 2, amountMicro: 500_000 })
  }
  await sql`create function refuse_two() returns trigger language plpgsql as $$
    begin if new.user_id = 2 then raise exception 'no rows of this client'; end if; return new; end $$`.execute(
    db,
  )
  await sql`create trigger refuse_two before insert on ${sql.table(table)} for each row execute function refuse_two()`.execute(
    db,
  )
  const { id: cycleId } = await closeCycle()
  const others = await rows<{ user_id: number }>(db, sql`select distinct user_id from payouts order by 1`)
  expect(others).toEqual([{ user_id: 1 }, { user_id: 3 }])
  await billing.watchLedger()
  const parked = (await call(4, 'GET', '/api/billing/parked')).body
  expect(parked).toHaveLength(1)
  expect(parked[0]).toMatchObject({
    userId: 2,
    reason: `Period ${cycleId} could not be closed: no rows of this client`,
  })
  // The traffic of the next cycle is billed, of this client too.
  await billing.closeLeftOut()
  await sql`drop trigger refuse_two on ${sql.table(table)}`.execute(db)
  await billing.closeLeftOut()
  expect(await rows(db, sql`select from unclosed_accounts`)).toEqual([])
  expect(await billsOf(db)).toEqual([1, 2, 3].map((user_id) => ({ user_id, total: '500000' })))
  expect(await rows(db, sql`select user_id, amount_micro::int as amount from payouts order by 1`)).toEqual(
    [1, 2, 3].map((user_id) => ({ user_id, amount: 1_000_000 })),
  )
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true, parkedCount: 0, imbalance: '0.00' })
  await billing.signStatements()
  expect(await rows(db, sql`select from statements`)).toHaveLength(3)
})

test('only clients whose sums differ from the counters are summed anew, and a debt makes no difference', async () => {
  const { closeCycle, db, ledger, traffic } = await openTestBilling()
  for (const client of [1, 2, 3]) await traffic({ client, number: 1, count: 10, amountMicro: 50_000 })
  const { id: open } = await ledger.ensureOpenCycle()
  await ledger.post(db, [
    { cycleId: open, userId: 2, account: 'payable', amountMicro: -5_000_000n, kind: 'adjustment' },
    { cycleId: open, userId: null, account: 'adjustment', amountMicro: 5_000_000n, kind: 'adjustment' },
  ])
  expect(await differingClients(db, open)).toEqual([])
  await sql`update record_line_sums set amount_micro = amount_micro + 1 where client_id = 3`.execute(db)
  expect(await differingClients(db, open)).toEqual([3])
  await closeCycle()
  expect(await billsOf(db)).toEqual([1, 3].map((user_id) => ({ user_id, total: '500000' })))
  expect(
    await rows(db, sql`select user_id, amount_micro::int as amount from billing_lines order by 1`),
  ).toEqual([1, 3].map((user_id) => ({ user_id, amount: 500_000 })))
})
