import { expect, test } from 'vitest'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { nextPaymentOf } from './next-payment.ts'

const bill = (extra: Partial<BillingPeriod>) =>
  ({
    id: '3-7',
    status: 'sent_to_support',
    payableFrom: '2026-11-20T00:00:00.000Z',
    dueAmount: '5.00',
    withheld: null,
    ...extra,
  }) as BillingPeriod
const payout = (extra: Partial<Payout>) =>
  ({
    payoutStatus: 'pending',
    payableFrom: '2026-11-20T00:00:00.000Z',
    dueAmount: '1.50',
    ...extra,
  }) as Payout

test('the next payment is all that may be paid from the earliest day on', () => {
  expect(nextPaymentOf([bill({})], [payout({})])).toEqual({
    from: '2026-11-20T00:00:00.000Z',
    amount: '6.50',
    bill: '3-7',
    count: 2,
  })
  const later = bill({ id: '4-7', payableFrom: '2026-11-27T00:00:00.000Z' })
  expect(nextPaymentOf([later, bill({})], [])).toMatchObject({ amount: '5.00', bill: '3-7', count: 1 })
})

test('what is paid, withheld, open or has nothing due is no next payment', () => {
  const bills = [
    bill({ status: 'paid' }),
    bill({ withheld: { at: '2026-11-20T00:00:00.000Z', reason: 'asked' } }),
    bill({ status: 'pending', payableFrom: null }),
    bill({ dueAmount: '0.00' }),
  ]
  expect(nextPaymentOf(bills, [payout({ payoutStatus: 'completed' })])).toBe('none')
})
