// The money lists as CSV: exact amounts, times in UTC, newest first.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payment, PaymentFilter } from '@tollgate/contract/billing/payments.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../files/formats/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { listPayments, listPayouts, type PayoutFilter } from './payments/payment-views.ts'
import { listPeriods, type PeriodFilter } from './bills/period-views.ts'

const newest = { sort: 'createdAt', order: 'desc', limit: exportPageRows } as const

const userColumn: CsvColumn<{ readonly userName: string }> = ['User', ({ userName }) => userName]

const debtColumns: readonly CsvColumn<BillingPeriod | Payout>[] = [
  ['Received (USDT)', ({ receivedAmount }) => receivedAmount],
  ['Set Off (USDT)', ({ setOffAmount }) => setOffAmount],
  ['Taken Off (USDT)', ({ reducedAmount }) => reducedAmount],
  ['Due (USDT)', ({ dueAmount }) => dueAmount],
]

const ownPeriodColumns: readonly CsvColumn<BillingPeriod>[] = [
  ['Period ID', ({ id }) => id],
  ['Period Start', ({ periodStart }) => periodStart],
  ['Period End', ({ periodEnd }) => periodEnd],
  ['SMS Count', ({ totalSmsCount }) => String(totalSmsCount)],
  ['Cost per SMS', ({ costPerSms }) => costPerSms],
  ['Total Cost (USDT)', ({ totalCost }) => totalCost],
  ...debtColumns,
  ['Credit Notes (USDT)', ({ creditedAmount }) => creditedAmount],
  ['Status', ({ status }) => status],
  ['Withheld', ({ withheld }) => withheld?.at ?? ''],
  ['Withheld Because', ({ withheld }) => withheld?.reason ?? ''],
  ['Bill Sent', ({ billSentAt }) => billSentAt ?? ''],
  ['Payment Date', ({ paidAt }) => paidAt ?? ''],
  ['USDT Address', ({ usdtAddress }) => usdtAddress],
  ['Transaction Hash', ({ paymentTxHash }) => paymentTxHash ?? ''],
  ['Verification', ({ paymentVerification }) => paymentVerification ?? ''],
]

const staffPeriodColumns: readonly CsvColumn<BillingPeriod>[] = [
  ['Waits for a Second Person', ({ pendingAmendment }) => pendingAmendment?.kind ?? ''],
  ['Payment Run', ({ runId }) => runId ?? ''],
]

/** A client's closed periods, also those without a bill. */
export function exportOwnPeriods(db: Db, userId: number, now: Date): StreamReply {
  return csvOfList('billing-history.csv', ownPeriodColumns, async (cursor) => {
    const page = await listPeriods(
      db,
      { userId, hasOwnOpen: true, asTold: true, hasUnbilled: true, now },
      { sort: 'newest', order: 'desc', limit: exportPageRows, cursor },
    )
    return { ...page, items: page.items.filter(({ status }) => status !== 'pending') }
  })
}

/** All clients' periods; open ones with their sums so far. */
export function exportPeriods(db: Db, filter: PeriodFilter): StreamReply {
  return csvOfList('bills.csv', [userColumn, ...ownPeriodColumns, ...staffPeriodColumns], (cursor) =>
    listPeriods(db, filter, { sort: 'newest', order: 'desc', limit: exportPageRows, cursor }),
  )
}

const paymentColumns: readonly CsvColumn<Payment>[] = [
  ['Payment ID', ({ id }) => id],
  ['Date', ({ createdAt }) => createdAt],
  userColumn,
  ['Amount (USDT)', ({ amount }) => amount],
  ['Received (USDT)', ({ receivedAmount }) => receivedAmount],
  ['USDT Address', ({ usdtAddress }) => usdtAddress],
  ['Transaction Hash', ({ transactionHash }) => transactionHash],
  ['Status', ({ status }) => status],
  ['Verification', ({ paymentVerification }) => paymentVerification ?? ''],
  ['Bill', ({ periodId }) => periodId ?? ''],
  ['Payout', ({ payoutId }) => payoutId ?? ''],
  ['Replaced by Payment', ({ replacedWith }) => replacedWith ?? ''],
  // Spec §3: an empty value is shown as System.
  ['Processed By', ({ processedBy }) => processedBy || 'System'],
  ['Notes', ({ notes }) => notes],
]

export function exportPayments(db: Db, filter: PaymentFilter): StreamReply {
  return csvOfList('payment-history.csv', paymentColumns, (cursor) =>
    listPayments(db, filter, { ...newest, cursor }),
  )
}

const payoutColumns: readonly CsvColumn<Payout>[] = [
  ['Payout ID', ({ id }) => id],
  ['Date', ({ createdAt }) => createdAt],
  userColumn,
  ['Number', ({ number }) => `+${number}`],
  ['Period Start', ({ periodStart }) => periodStart],
  ['Period End', ({ periodEnd }) => periodEnd],
  ['SMS Count', ({ smsCount }) => String(smsCount)],
  ['Amount (USDT)', ({ amount }) => amount],
  ...debtColumns,
  ['Status', ({ payoutStatus }) => payoutStatus],
  ['Processed', ({ processedAt }) => processedAt ?? ''],
  ['USDT Address', ({ usdtAddress }) => usdtAddress],
  ['Transaction Hash', ({ transactionHash }) => transactionHash ?? ''],
  ['Verification', ({ paymentVerification }) => paymentVerification ?? ''],
]

export function exportPayouts(db: Db, filter: PayoutFilter): StreamReply {
  return csvOfList('payouts.csv', payoutColumns, (cursor) => listPayouts(db, filter, { ...newest, cursor }))
}
