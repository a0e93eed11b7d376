// The close from line sums, and what happens when they are missing.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { noteHeld, openTestBilling } from '../../../test/money/billing.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { transaction } from '../../platform/transaction.ts'
import { listLines } from '../bills/bill-lines.ts'
import { isBehind, sumLines } from './line-sums.ts'
import { readStatement } from '../../statements/read-statement.ts'
import { verifyFile } from '../../statements/verify-file.ts'

const clients = 250
const records = 6_000

async function openFilled() {
  const environment = await openTestBilling()
  // The fixture's numbers have no holders.
  await sql`delete from numbers`.execute(environment.db)
  const shape = { clients, numbers: 600, skew: 6, ownPriceEvery: 10, batchRecords: 70 }
  await fillRecords(environment.pool, { records, days: 2, now: environment.clock.now(), ...shape })
  // One record in a hundred is held, as it is noted when it happens.
  await sql`update records set is_held = true where id % 100 = 0 and client_id is not null`.execute(
    environment.db,
  )
  await noteHeld(environment.db)
  await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, settlement, kind)
    select 900000000 + r.id, r.cycle_id, r.client_id, side.sign * r.amount_micro, side.account, r.settlement, 'hold'
    from records r, (values ('payable', -1), ('held', 1)) as side (account, sign) where r.is_held`.execute(
    environment.db,
  )
  const held = await row<{ count: number }>(
    environment.db,
    sql`select count(*)::int as count from records where is_held`,
  )
  return { ...environment, heldCount: held?.count ?? 0 }
}

const sums = (db: Db) =>
  rows(
    db,
    sql`select cycle_id, client_id, number_id, rate_id, settlement, record_count::int, amount_micro::text
        from record_line_sums order by 1, 2, 3, 4, 5`,
  )

/** What bills and payouts say against a sum over the records: rows that differ. */
const differences = (db: Db) =>
  rows(
    db,
    sql`with billed as (
          select user_id, number_id, rate_id, sms_count, amount_micro from billing_lines
          union all select user_id, number_id, 1, sms_count, amount_micro from payouts
        ), earned as (
          select client_id, number_id, rate_id, count(*) as sms_count, sum(amount_micro) as amount_micro
          from records r join cycle_bills c using (cycle_id)
          where not exists (select from hold_records h where h.record_id = r.id) group by 1, 2, 3
        )
        select * from billed b full join earned e
          on (e.client_id, e.number_id, e.rate_id) = (b.user_id, b.number_id, b.rate_id)
        where (e.sms_count, e.amount_micro) is distinct from (b.sms_count::bigint, b.amount_micro::numeric)`,
  )

test('line sums equal the sums of the records, in any number of steps and by any number of nodes', async () => {
  const { db } = await openFilled()
  const expected = await sums(db)
  expect(expected.length).toBeGreaterThan(clients)
  await sql`truncate record_line_sums`.execute(db)
  await sql`update follower_positions set xid = '0', batch = 0 where follower = 'lines'`.execute(db)
  await Promise.all([1, 2, 3].map(() => sumLines(db)))
  expect(await sums(db)).toEqual(expected)
  await sumLines(db)
  expect(await sums(db)).toEqual(expected)
})

test('the lines of an open period are those of its records, whichever of them are in the sums', async () => {
  const { db } = await openFilled()
  const cycle = await findOpenCycle(db)
  const most = await row<{ client_id: number }>(
    db,
    sql`select client_id from record_line_sums where client_id <> 0 group by 1 order by count(*) desc limit 1`,
  )
  const period = { cycleId: cycle?.id ?? 0, userId: most?.client_id ?? 0, isBilled: false }
  const ofRecords = await row<{ lines: number; count: number; amount: string }>(
    db,
    sql`select count(distinct (number_id, rate_id))::int as lines, count(*)::int as count, sum(amount_micro)::text as amount
        from records r where cycle_id = ${period.cycleId} and client_id = ${period.userId} and settlement = 1
          and not exists (select from hold_records h where h.record_id = r.id)`,
  )
  expect(ofRecords?.lines).toBeGreaterThan(3)
  const batches = await row<{ last: number; middle: number }>(
    db,
    sql`select max(id)::int as last, percentile_disc(0.5) within group (order by id)::int as middle from record_batches`,
  )
  for (const batch of [batches?.last, batches?.middle, 0]) {
    await sql`truncate record_line_sums`.execute(db)
    await sql`update follower_positions set (xid, batch) =
      (select coalesce(max(xid), '0'), ${batch ?? 0}::int from record_batches where id <= ${batch ?? 0})
      where follower = 'lines'`.execute(db)
    await sql`insert into record_line_sums
      select r.cycle_id, coalesce(client_id, 0), number_id, coalesce(rate_id, 0), settlement, count(*), sum(amount_micro)
      from records r join record_batches b on b.id = r.id / 4096, follower_positions p
      where p.follower = 'lines' and (b.xid, b.id) <= (p.xid, p.batch) group by 1, 2, 3, 4, 5`.execute(db)
    const lines = (await listLines(db, period)).filter(({ kind }) => kind === 'traffic')
    expect({
      lines: lines.length,
      count: lines.reduce((sum, { smsCount }) => sum + smsCount, 0),
      amount: String(lines.reduce((sum, { amount }) => sum + (parseMicro(amount) ?? 0n), 0n)),
    }).toEqual(ofRecords)
  }
})

test('under overload the sums wait, and are complete after it', async () => {
  const { db } = await openFilled()
  const expected = await sums(db)
  await sql`truncate record_line_sums`.execute(db)
  await sql`update follower_positions set xid = '0', batch = 0 where follower = 'lines'`.execute(db)
  let isBusy = true
  const overload = new Overload({ isBusy: () => isBusy })
  await sumLines(db, { overload })
  expect(await sums(db)).toEqual([])
  isBusy = false
  await sumLines(db, { overload })
  expect(await sums(db)).toEqual(expected)
})

test('a close waits for the sums of batches behind an older transaction that has not ended', async () => {
  const { db, ledger } = await openFilled()
  const cycle = await ledger.ensureOpenCycle()
  await transaction(db, async (older) => {
    await sql`select pg_current_xact_id()`.execute(older)
    await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
      select id + 1, stored_at, record_count, created_from, created_to, priced_at from record_batches
      order by id desc limit 1`.execute(db)
    await sumLines(db)
    await sql`update cycles set closed_at = ends_at where id = ${cycle.id}`.execute(older)
    expect(await isBehind(older, cycle.id)).toBe(true)
  })
  // Open transactions of other databases in the cluster hold it back, too.
  await expect
    .poll(async () => {
      await sumLines(db)
      return isBehind(db, cycle.id)
    })
    .toBe(false)
  await sql`update cycles set closed_at = null where id = ${cycle.id}`.execute(db)
})

test('a close that is interrupted before its bills shows the period as pending, and the next close finishes it', async () => {
  const { billing, call, clock, db, heldCount, ledger } = await openFilled()
  const open = await ledger.ensureOpenCycle()
  const before = (await call(6, 'GET', '/api/billing/all-periods')).body.length
  clock.set(open.endsAt)
  await transaction(db, (tx) => ledger.closeDueCycle(tx, clock.now()))
  const pending = (await call(6, 'GET', '/api/billing/all-periods')).body
  expect(pending).toHaveLength(before)
  expect(pending[0].status).toBe('pending')
  // Released after the close: it counts in the next bill, not in this one.
  await sql`update records set is_held = false where is_held`.execute(db)
  await sql`update hold_records set outcome = 'released',
    decided_cycle_id = (select id from cycles where closed_at is null)`.execute(db)
  await Promise.all([1, 2, 3, 4].map(() => billing.closeDueCycles()))
  expect(await row(db, sql`select sum(record_count)::int as count from hold_sums`)).toEqual({
    count: heldCount,
  })
  expect(await differences(db)).toEqual([])
  expect(await sums(db)).toEqual([])
  const adjusted = await rows(db, sql`select from billing_lines where number_id is null`)
  expect(adjusted).toEqual([])
})

test('statements of more clients than one page contain every record and verify', async () => {
  const { billing, closeCycle, db } = await openFilled()
  await closeCycle()
  await billing.signStatements()
  const made = await rows<{ cycle_id: number; user_id: number }>(
    db,
    sql`select cycle_id, user_id from statements`,
  )
  expect(made).toHaveLength(clients)
  let count = 0
  for (const { cycle_id: cycleId, user_id: userId } of made) {
    const { stream } = await readStatement(db, cycleId, userId)
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    const checked = await verifyFile(
      (async function* () {
        yield* text.split('\n')
      })(),
    )
    expect(checked.faults).toEqual([])
    count += checked.recordCount
  }
  expect(count).toBe(records)
})

test('when line sums are missing, the lines are made from the records', async () => {
  const { closeCycle, db, heldCount } = await openFilled()
  await sql`delete from record_line_sums where client_id % 3 = 0`.execute(db)
  await closeCycle()
  const [found] = await rows(
    db,
    sql`select (select count(*)::int from billing_lines where number_id is null) as adjusted,
          (select sum(sms_count)::int from billing_lines) + (select sum(sms_count)::int from payouts) as count`,
  )
  expect(found).toEqual({ adjusted: 0, count: records - heldCount })
})
