// Why a person decided about a payment is written for staff: it may name a suspicion. No client reads it, anywhere.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestTreasury } from '../../../test/money/treasury.ts'
import { rows } from '../../platform/db.ts'

const reason = 'suspected of pumping, wait for the carrier'
const ownLists = ['periods', 'periods/export', 'payouts', 'payouts/export', 'account/movements'] as const

test.each([
  ['accept', 'owe'],
  ['accept', 'waive'],
  ['reject', undefined],
])('the reason of a decision (%s, %s) is read by staff, and by no client', async (action, difference) => {
  const events: string[] = []
  const { address, billing, call, clock, cycleId, send } = await openTestTreasury({
    announce: async (tx, made) => {
      const found = await rows(tx, sql`select * from (${made}) event (user_id, type, subject, data)`)
      events.push(...found.map((event) => JSON.stringify(event)))
    },
  })
  const [bill, payout] = [`/api/billing/periods/${cycleId}-1`, '/api/payouts/1']
  const pay = (path: string, amountMicro: bigint) =>
    call(4, 'PUT', path, { body: { transactionHash: send([address(1), amountMicro]) } })
  expect((await pay(`${bill}/pay`, 200_000n)).status).toBe(200)
  expect((await pay(`${payout}/process`, 600_000n)).status).toBe(200)
  clock.advance(10_000)
  await billing.checkPayments()
  const notes = [
    'The transfer is of 0.20 USDT instead of 0.50.',
    'The transfer is of 0.60 USDT instead of 1.00.',
  ]
  const noted = async (userId: number, list: string) =>
    (await call(userId, 'GET', list)).body.flatMap(
      (debt: { verificationNote: string }) => debt.verificationNote || [],
    )
  expect(await noted(1, '/api/billing/periods')).toEqual([notes[0]])
  events.length = 0
  for (const path of [bill, payout]) {
    const body = { action, difference, reason }
    expect((await call(5, 'PUT', `${path}/decide`, { body })).body.verificationNote).toBe(reason)
  }
  await billing.signStatements()

  // What the check found stays for the client, unless the transfer was for something else.
  const left = action === 'reject' ? [] : notes
  expect(await noted(1, '/api/billing/periods')).toEqual(left.slice(0, 1))
  expect(await noted(1, '/api/billing/payouts')).toEqual(left.slice(1))
  const own = [...ownLists.map((list) => `/api/billing/${list}`), bill, `${bill}/lines`, `${bill}/statement`]
  for (const path of own) {
    const { status, text } = await call(1, 'GET', path)
    expect([path, status, text.includes(reason)]).toEqual([path, 200, false])
  }
  expect(events.length).toBeGreaterThan(0)
  expect(events.filter((event) => event.includes(reason))).toEqual([])

  expect(await noted(4, '/api/billing/all-periods?userId=1')).toEqual([reason])
  expect(await noted(4, '/api/payouts')).toEqual([reason])
  expect(await noted(4, '/api/payments/all')).toEqual([reason, reason])
})
