import { csvReply } from '../platform/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../platform/http/handlers.ts'
import { listPeriods } from './views.ts'

const header = [
  'Period ID',
  'Period Start',
  'Period End',
  'SMS Count',
  'Cost per SMS',
  'Total Cost (USDT)',
  'Status',
  'Bill Sent',
  'Payment Date',
  'USDT Address',
  'Transaction Hash',
  'Verification',
]

/** A client's closed periods, newest first. */
export function exportPeriods(db: Db, userId: number, now: Date): StreamReply {
  return csvReply('billing-history.csv', header, lines(db, userId, now))
}

async function* lines(db: Db, userId: number, now: Date): AsyncGenerator<string[][]> {
  let cursor: string | undefined
  do {
    const page = await listPeriods(db, { userId, now }, { limit: 500, cursor })
    yield page.items
      .filter(({ status }) => status !== 'pending')
      .map((bill) => [
        bill.id,
        bill.periodStart,
        bill.periodEnd,
        String(bill.totalSmsCount),
        bill.costPerSms,
        bill.totalCost,
        bill.status,
        bill.billSentAt ?? '',
        bill.paidAt ?? '',
        bill.usdtAddress,
        bill.paymentTxHash ?? '',
        bill.paymentVerification ?? '',
      ])
    cursor = page.next
  } while (cursor !== undefined)
}
