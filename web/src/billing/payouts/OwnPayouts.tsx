import { type Payout, payoutRoutes, type payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { urlOf } from '../../api/call.ts'
import { useApiPages } from '../../api/use-api.ts'
import { formatDay } from '../../format/dates.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { formatPhone } from '../../format/phone.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { TransactionHash } from '../payments/TransactionHash.tsx'
import { urlSort, useUrlState } from '../../url-state.ts'
import { paymentSearch } from '../search.ts'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { failureOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

const columns: readonly Column<Payout>[] = [
  {
    id: 'date',
    header: t('Date'),
    sortBy: 'createdAt',
    card: 'fact',
    cell: (payout) => formatDay(payout.createdAt),
  },
  {
    id: 'number',
    header: t('Number'),
    sortBy: 'number',
    isSubject: true,
    card: 'title',
    cell: (payout) => <span className="phone-number">{formatPhone(payout.number)}</span>,
  },
  { id: 'period', header: t('Period'), card: 'fact', cell: formatBillingPeriod },
  {
    id: 'count',
    header: t('SMS Count'),
    sortBy: 'smsCount',
    align: 'right',
    cell: (payout) => (
      <RecordsLink
        url={payout.recordsUrl}
        label={t('Records of the payout for {number}', { number: payout.number })}
      >
        {formatCount(payout.smsCount)}
      </RecordsLink>
    ),
  },
  {
    id: 'amount',
    header: t('Amount'),
    sortBy: 'amount',
    align: 'right',
    card: 'end',
    cell: (payout) => formatUsdt(payout.amount),
  },
  {
    id: 'status',
    header: t('Status'),
    sortBy: 'status',
    cell: (payout) => <StatusBadge kind="payout" status={payout.payoutStatus} />,
  },
  {
    id: 'hash',
    header: t('Transaction Hash'),
    cell: (payout) =>
      payout.transactionHash === null ? (
        <span className="text-ink-3">{payout.payoutStatus === 'pending' ? t('not paid yet') : '–'}</span>
      ) : (
        <TransactionHash hash={payout.transactionHash} verification={payout.paymentVerification} />
      ),
  },
]

function useOwnPayouts(sorted: { sort: (typeof payoutSorts)[number]; order: 'asc' | 'desc' }) {
  return useApiPages(
    payoutRoutes.listOwnPayouts,
    { query: { ...sorted, limit: 10 } },
    { refetchIntervalMs: moneyPollMs },
  )
}

/** What the client's own-price numbers earned. It is in no weekly bill. Nothing for a client without such numbers. */
export function OwnPayouts() {
  const url = useUrlState(paymentSearch)
  const { payoutSort: sort, payoutOrder: order } = url.state
  const newest = useOwnPayouts({ sort: 'createdAt', order: 'desc' })
  const list = useOwnPayouts({ sort, order })
  if (!newest.error && (newest.rows?.length ?? 0) === 0) return null
  return (
    <DataTable
      label={t('Payouts')}
      title={t('Payouts of numbers with a price of their own')}
      columns={columns}
      rows={list.rows}
      rowId={(payout) => payout.id}
      rowLabel={(payout) => formatPhone(payout.number)}
      {...urlSort(url, { sort: 'payoutSort', order: 'payoutOrder' })}
      more={list}
      {...failureOf(list, t('Failed to fetch payouts'))}
      empty={null}
      foot={<ExportCsv href={urlOf(payoutRoutes.exportOwnPayouts)} />}
    />
  )
}
