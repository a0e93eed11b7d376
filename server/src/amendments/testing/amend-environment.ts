// What amend.test.ts and amend.long.test.ts stand on.
import { sql } from 'kysely'
import { expect } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { LedgerChecker } from '../../ledger/index.ts'
import { rows, type Db } from '../../platform/db.ts'
import { billBreaks } from '../../billing/watch/bill-breaks.ts'

export const reason = 'the carrier disputes it'
export const pays = (digit: string) => ({ body: { transactionHash: digit.repeat(64) } })

/** Client 1 has a bill of 0.50 USDT; `large`: of 200 USDT. A second admin is there. */
export async function aScene(large = false) {
  const environment = await openTestBilling()
  const { call, db } = environment
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u7@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
  const bill = await environment.aBill(large ? { count: 100, amountMicro: 2_000_000 } : {})
  const amend = (userId: number, what: string, body: object = {}) =>
    call(userId, what === 'credit-notes' ? 'POST' : 'PUT', `${bill.path}/${what}`, {
      body: { reason, ...body },
    })
  const decide = (userId: number, id: string, action = 'accept') =>
    call(userId, 'PUT', `/api/billing/amendments/${id}/decide`, { body: { action, reason: 'checked' } })
  const billNow = async (userId = 4) =>
    (
      await call(userId, 'GET', userId === 1 ? '/api/billing/periods' : '/api/billing/all-periods?userId=1')
    ).body.find(({ id }: { id: string }) => id === bill.id)
  const pay = (userId: number, digit = 'a') => call(userId, 'PUT', `${bill.path}/pay`, pays(digit))
  const openTotal = async () =>
    (await call(1, 'GET', '/api/billing/periods')).body.find(
      ({ status }: { status: string }) => status === 'pending',
    ).totalCost
  return { ...environment, bill, amend, decide, billNow, pay, openTotal }
}

/** Sums of the client's accounts and the platform's, in USDT cents; accounts at 0 are left out. */
export const accounts = async (db: Db): Promise<Record<string, number>> =>
  Object.fromEntries(
    (
      await rows<{ account: string; cents: string }>(
        db,
        sql`select account, (sum(amount_micro) / 10000)::bigint::text as cents from ledger_entries
            group by account having sum(amount_micro) <> 0 order by account`,
      )
    ).map(({ account, cents }) => [account, Number(cents)]),
  )

/** Everything agrees: ledger, bills, payments. */
export async function expectBalance({ db, clock }: { db: Db; clock: { now(): Date } }) {
  expect(await billBreaks(db, clock.now())).toEqual([])
  expect((await new LedgerChecker(db).run())?.sumMicro).toBe(0n)
}
