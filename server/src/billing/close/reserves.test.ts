// The rolling reserve: what is kept of a bill, when it comes back, and that each cent is somewhere at each moment.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { rows } from '../../platform/db.ts'

const env = await openTestBilling()
const { db, call, clock, billing, aPayee, aClosedCycle } = env

/** The sums of a client's accounts, and of everything. */
async function accountsOf(client: number) {
  const found = await rows<{ account: string; micro: string }>(
    db,
    sql`select account, sum(amount_micro)::text as micro from ledger_entries where user_id = ${client} group by account
        having sum(amount_micro) <> 0`,
  )
  return Object.fromEntries(found.map(({ account, micro }) => [account, Number(micro)]))
}
const keep = (client: number, reservePercent: number, reserveDays = 30) =>
  call(6, 'PUT', `/api/users/${client}/terms`, {
    body: {
      numbersMax: null,
      smsPerDayMax: null,
      valuePerCycleMax: null,
      payableAfterDays: 0,
      reservePercent,
      reserveDays,
    },
  })
const accountOf = async (client: number) => (await call(4, 'GET', `/api/books/accounts/${client}`)).body
const linesOf = async (cycleId: number, client: number) =>
  (await call(4, 'GET', `/api/billing/periods/${cycleId}-${client}/lines`)).body as readonly {
    reason: string
    amount: string
  }[]

test('a share of each bill is kept, named on the bill, and comes into a later bill once', async () => {
  await aPayee(1)
  expect((await keep(1, 10)).status).toBe(200)
  const first = await aClosedCycle({ client: 1, count: 10, amountMicro: 50_001 })
  expect(await accountsOf(1)).toEqual({ billed: 450_009, reserved: 50_001 })
  expect((await call(4, 'GET', `/api/billing/periods/${first.id}-1`)).body).toMatchObject({
    totalCost: '0.450009',
  })
  const until = new Date(first.endsAt.getTime() + 30 * 86_400_000).toISOString()
  expect((await linesOf(first.id, 1)).at(-1)).toMatchObject({
    reason: `Kept as reserve until ${until.slice(0, 10)}`,
    amount: '-0.050001',
  })
  expect(await accountOf(1)).toMatchObject({
    reserved: '0.050001',
    reserves: [{ periodId: `${first.id}-1`, amount: '0.050001', releaseAt: until }],
  })
  await billing.releaseReserves()
  expect(await accountsOf(1)).toMatchObject({ reserved: 50_001 })

  clock.set(new Date(until))
  await Promise.all([billing.releaseReserves(), billing.releaseReserves(), billing.releaseReserves()])
  await billing.releaseReserves()
  expect(await accountsOf(1)).toEqual({ billed: 450_009, payable: 50_001 })
  // What came back is not kept again.
  const second = await aClosedCycle({ client: 1, count: 10, amountMicro: 50_000 })
  expect(await accountsOf(1)).toEqual({ billed: 950_010, reserved: 50_000 })
  expect((await linesOf(second.id, 1)).map(({ reason }) => reason)).toContain(
    `Reserve of bill #${first.id}-1 released`,
  )
  await billing.signStatements()
  const sums = await rows<{ micro: string }>(
    db,
    sql`select sum(amount_micro)::text as micro from ledger_entries`,
  )
  expect(sums).toEqual([{ micro: '0' }])
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true, imbalance: '0.00' })
})

test('the ledger check sees a reserve that is not what the ledger says', async () => {
  await keep(2, 50)
  const { id } = await aClosedCycle({ client: 2 })
  await sql`update reserves set amount_micro = amount_micro + 1 where cycle_id = ${id} and user_id = 2`.execute(
    db,
  )
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: false })
  await sql`update reserves set amount_micro = amount_micro - 1 where cycle_id = ${id} and user_id = 2`.execute(
    db,
  )
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('a bill of nothing is none, and the reserve has it all', async () => {
  await keep(3, 100)
  const { id } = await aClosedCycle({ client: 3 })
  expect(await accountsOf(3)).toEqual({ reserved: 500_000 })
  expect((await call(4, 'GET', `/api/billing/periods/${id}-3`)).status).not.toBe(500)
})
