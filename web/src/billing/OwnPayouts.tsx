import { billingRoutes, type Payout } from '@tollgate/contract/billing.ts'
import { usePages } from '../api/use-call.ts'
import { formatDay } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { failureOf } from '../lists/list-parts.tsx'
import { StatusBadge } from '../ui/Badge.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { periodOf } from '../money/bill-words.ts'
import { moneyPollMs } from '../money/queries.ts'
import { TransactionHash } from '../money/TransactionHash.tsx'

const columns: readonly Column<Payout>[] = [
  { id: 'date', header: 'Date', card: 'fact', cell: (payout) => formatDay(payout.createdAt) },
  {
    id: 'number',
    header: 'Number',
    isSubject: true,
    card: 'title',
    cell: (payout) => <span className="phone-number">{formatPhone(payout.number)}</span>,
  },
  { id: 'period', header: 'Period', card: 'fact', cell: periodOf },
  { id: 'count', header: 'SMS Count', align: 'right', cell: (payout) => formatCount(payout.smsCount) },
  {
    id: 'amount',
    header: 'Amount',
    align: 'right',
    card: 'end',
    cell: (payout) => formatUsdt(payout.amount),
  },
  {
    id: 'status',
    header: 'Status',
    cell: (payout) => <StatusBadge kind="payout" status={payout.payoutStatus} />,
  },
  {
    id: 'hash',
    header: 'Transaction Hash',
    cell: (payout) =>
      payout.transactionHash === null ? (
        <span className="text-ink-3">{payout.payoutStatus === 'pending' ? 'not paid yet' : '–'}</span>
      ) : (
        <TransactionHash hash={payout.transactionHash} verification={payout.paymentVerification} />
      ),
  },
]

/** What the client's own-price numbers earned, which is in no weekly bill. Absent for those who have none. */
export function OwnPayouts() {
  const list = usePages(
    billingRoutes.listOwnPayouts,
    { query: { limit: 10 } },
    { refetchIntervalMs: moneyPollMs },
  )
  if (!list.error && (list.rows?.length ?? 0) === 0) return null
  return (
    <DataTable
      label="Payouts"
      title="Payouts of numbers with a price of their own"
      columns={columns}
      rows={list.rows}
      rowId={(payout) => payout.id}
      rowLabel={(payout) => formatPhone(payout.number)}
      more={list}
      {...failureOf(list, 'Failed to fetch payouts')}
      empty={null}
    />
  )
}
