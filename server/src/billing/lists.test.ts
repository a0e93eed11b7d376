// The money lists page through every sort, and their exports hold every row of the filter, safe to open.
import { expect, test } from 'vitest'
import { type BillingPeriod, ownPeriodSorts, periodSorts } from '@tollgate/contract/billing/bills.ts'
import { type Payment, paymentSorts } from '@tollgate/contract/billing/payments.ts'
import { type Payout, payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { holdSorts, type Hold } from '@tollgate/contract/integrity/integrity.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { adjustmentSorts, type Adjustment } from '@tollgate/contract/adjustments/adjustments.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { readSorted } from '../../test/http/pages.ts'
import { toAddress } from '../rates/index.ts'

const environment = await openTestBilling()
const { call, traffic, held, closeCycle } = environment
const [support, admin] = [4, 6]
const as = (userId: number) => ({ get: (path: string) => call(userId, 'GET', path) })
// In millionths, so that 10.00 comes after 9.00; far below 0 is as good as any number.
const micro = (amount: string) => Number(parseMicro(amount))
const hash = (digit: string) => digit.repeat(64)

// Three closed cycles and an open one, of three clients, with equal sums on the way; client 3 ends in debt.
for (const userId of [1, 2, 3])
  await call(userId, 'PUT', '/api/user/profile', {
    body: { fullName: `Client ${userId}`, usdtAddress: toAddress(`${userId}${userId}`.repeat(20)) },
  })
for (const round of [1, 2, 3]) {
  for (const client of [1, 2, 3]) {
    await traffic({ client, number: 1, count: round, amountMicro: 50_000 })
    await traffic({ client, number: 3, count: 4 - client, amountMicro: 500_000 })
  }
  await held({ client: round, number: 2, amountMicro: 50_000 * round })
  await closeCycle()
}
await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
for (const [userId, amount, reason] of [
  [3, '-2.50', '=HYPERLINK("http://evil.example")'],
  [1, '1.00', 'goodwill'],
  [2, '-0.25', 'a dispute'],
  [1, '200.00', 'above the limit'],
] as const)
  await call(admin, 'POST', '/api/billing/adjustments', { body: { userId, amount, reason } })
const billIds = (await call(support, 'GET', '/api/billing/all-periods?status=sent_to_support'))
  .body as BillingPeriod[]
for (const [place, { id }] of billIds.slice(0, 3).entries())
  await call(support, 'PUT', `/api/billing/periods/${id}/pay`, {
    body: { transactionHash: hash(String(place)) },
  })
for (const [userId, status] of [
  [1, 'confirmed'],
  [2, 'pending'],
  [2, 'failed'],
] as const)
  await call(support, 'POST', '/api/payments', { body: { userId, amount: '0.15', status, notes: '+1' } })

test('bills page through every sort, both ways, also over equal values', async () => {
  const rank = { pending: 2, paid: 1, void: 1, sent_to_support: 3, failed: 3, no_bill: 0 } as const
  const shown: Record<(typeof periodSorts)[number], (bill: BillingPeriod) => string | number> = {
    newest: ({ id }) => Number(id.split('-')[0]),
    due: ({ status }) => rank[status],
    userName: ({ userName }) => userName,
    totalSmsCount: ({ totalSmsCount }) => totalSmsCount,
    totalCost: ({ totalCost }) => micro(totalCost),
  }
  for (const sort of periodSorts) {
    const all = await readSorted<BillingPeriod>(as(support), '/api/billing/all-periods', sort, shown[sort])
    // Nine bills, and three that are open: one in debt.
    expect([sort, new Set(all.map(({ id }) => id)).size]).toEqual([sort, 12])
  }
  for (const sort of ownPeriodSorts) {
    const own = await readSorted<BillingPeriod>(as(1), '/api/billing/periods', sort, shown[sort])
    expect([sort, own.map(({ userName }) => userName)]).toEqual([sort, ['u1', 'u1', 'u1', 'u1']])
  }
  // What has waited longest comes first.
  const due = (await call(support, 'GET', '/api/billing/all-periods?sort=due&limit=3'))
    .body as BillingPeriod[]
  const oldest = billIds
    .slice(3)
    .map(({ periodStart }) => periodStart)
    .toSorted()
  expect(due.map(({ periodStart }) => periodStart)).toEqual(oldest.slice(0, 3))
})

test('payments, payouts, adjustments and holds page through every sort, both ways', async () => {
  const payments: Record<(typeof paymentSorts)[number], (payment: Payment) => string | number> = {
    createdAt: ({ createdAt }) => createdAt,
    userName: ({ userName }) => userName,
    amount: ({ amount }) => micro(amount),
    status: ({ status }) => status,
    processedBy: ({ processedBy }) => processedBy,
  }
  for (const sort of paymentSorts)
    expect(await readSorted(as(support), '/api/payments/all', sort, payments[sort])).toHaveLength(6)
  const payouts: Record<(typeof payoutSorts)[number], (payout: Payout) => string | number> = {
    createdAt: ({ createdAt }) => createdAt,
    userName: ({ userName }) => userName,
    number: ({ number }) => number,
    smsCount: ({ smsCount }) => smsCount,
    amount: ({ amount }) => micro(amount),
    status: ({ payoutStatus }) => payoutStatus,
  }
  for (const sort of payoutSorts) {
    expect(await readSorted(as(support), '/api/payouts', sort, payouts[sort])).toHaveLength(9)
    expect(await readSorted(as(2), '/api/billing/payouts', sort, payouts[sort])).toHaveLength(3)
  }
  const adjustments: Record<(typeof adjustmentSorts)[number], (adjustment: Adjustment) => string | number> = {
    createdAt: ({ id }) => Number(id),
    userName: ({ userName }) => userName,
    amount: ({ amount }) => micro(amount),
    status: ({ status }) => status,
    requestedBy: ({ requestedBy }) => requestedBy,
  }
  for (const sort of adjustmentSorts)
    expect(await readSorted(as(support), '/api/billing/adjustments', sort, adjustments[sort])).toHaveLength(4)
  const holds: Record<(typeof holdSorts)[number], (hold: Hold) => string | number> = {
    createdAt: ({ id }) => Number(id),
    number: ({ number }) => number,
    userName: ({ userName }) => userName,
    amount: ({ amountUsd }) => micro(amountUsd),
    status: ({ status }) => status,
  }
  for (const sort of holdSorts)
    expect(await readSorted(as(support), '/api/holds', sort, holds[sort])).toHaveLength(3)
  expect((await call(support, 'GET', '/api/payouts?sort=usdtAddress')).status).toBe(400)
  // A cursor belongs to its sort.
  const { next } = await call(support, 'GET', '/api/payouts?sort=userName&limit=2')
  expect((await call(support, 'GET', next!.replace('sort=userName', 'sort=createdAt'))).status).toBe(400)
})

test('exports contain each row of the filter once, exact, and no formula', async () => {
  const rowsOf = async (userId: number, path: string) => {
    const { status, text, headers } = await call(userId, 'GET', path)
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
    return text.trim().split('\r\n')
  }
  expect(await rowsOf(support, '/api/billing/all-periods/export')).toHaveLength(1 + 12)
  expect(await rowsOf(support, '/api/billing/all-periods/export?status=paid&search=u1')).toHaveLength(1 + 1)
  const payments = await rowsOf(support, '/api/payments/all/export')
  expect(payments).toHaveLength(1 + 6)
  expect(payments.filter((line) => line.endsWith(",u4,'+1"))).toHaveLength(3)
  expect(await rowsOf(support, '/api/payouts/export?status=pending')).toHaveLength(1 + 9)
  const own = await rowsOf(2, '/api/billing/payouts/export')
  expect(own[0]).toBe(
    'Payout ID,Date,User,Number,Period Start,Period End,SMS Count,Amount (USDT),Received (USDT),Set Off (USDT),Taken Off (USDT),Due (USDT),Status,Processed,USDT Address,Transaction Hash,Verification',
  )
  expect(own.slice(1).map((line) => line.split(',').slice(2, 4))).toEqual(
    Array(3).fill(['u2', '+447700000003']),
  )
  const adjustments = await rowsOf(support, '/api/billing/adjustments/export')
  expect(adjustments).toHaveLength(1 + 4)
  expect(adjustments.at(-1)).toContain(`-2.50,"'=HYPERLINK(""http://evil.example"")"`)
  const holds = await rowsOf(support, '/api/holds/export?status=open&search=u3')
  expect(holds).toHaveLength(1 + 1)
  expect(holds[1]).toContain(',u3,+447700000002,0.15,')
  // A client's own bills, without the open one; others' are for staff.
  expect(await rowsOf(3, '/api/billing/periods/export')).toHaveLength(1 + 3)
  for (const path of ['/api/billing/all-periods', '/api/payments/all', '/api/payouts', '/api/holds'])
    expect([path, (await call(3, 'GET', `${path}/export`)).status]).toEqual([path, 403])
})
