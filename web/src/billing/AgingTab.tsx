import { paymentRunRoutes, type Aging } from '@tollgate/contract/payment-runs.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatCount, formatUsdt } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { Notice } from '../ui/Notice.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { agedColumns, agedStats } from './books/aged.tsx'
import { t } from '../language/t.ts'

type AgedClient = Aging['clients'][number]

/** What clients are owed, by age: since the bill was sent or the payout was made. */
export function AgingTab() {
  const aging = useApiQuery(paymentRunRoutes.getAging, {}, { refetchIntervalMs: moneyPollMs })
  const { data } = aging
  if (aging.error && !data) return <FetchFailure of={aging} title={t('Failed to fetch the aging')} />
  return (
    <div className="space-y-4">
      {data !== undefined && data.overdue.count > 0 && (
        <Notice tone="warn" title={t('{amount} are overdue', { amount: formatUsdt(data.overdue.amount) })}>
          {t(
            '{value} could have been paid for more than {afterDays} days. Staff are reminded by mail once a week.',
            {
              value:
                data.overdue.count === 1
                  ? t('1 debt')
                  : t('{count} debts', { count: formatCount(data.overdue.count) }),
              afterDays: data.overdue.afterDays,
            },
          )}
        </Notice>
      )}
      <StatStrip label={t('Owed by age')} stats={agedStats(data?.totals)} />
      <DataTable<AgedClient>
        label={t('Aging')}
        columns={columns}
        rows={data?.clients}
        rowId={({ userId }) => String(userId)}
        rowLabel={({ userName }) => userName}
        loadingLabel={t('Loading the aging...')}
        empty={<EmptyState title={t('Nothing is owed')}>{t('Every bill and payout is paid.')}</EmptyState>}
        {...(data &&
          data.clients.length > 0 && {
            foot: (
              <p>
                {t('Owed in all')} <b>{formatUsdt(data.totals.total)}</b>
              </p>
            ),
          })}
      />
    </div>
  )
}

const columns: readonly Column<AgedClient>[] = [
  {
    id: 'user',
    header: t('User'),
    isSubject: true,
    isHideable: false,
    card: 'title',
    cell: ({ userName, debtCount, hasAddress }) => (
      <span className="block">
        {userName}
        <span className="block text-xs font-normal text-ink-3">
          {debtCount === 1 ? t('1 debt') : t('{debtCount} debts', { debtCount: formatCount(debtCount) })}
          {!hasAddress && <span className="text-warn-ink"> {t('· no address yet')}</span>}
        </span>
      </span>
    ),
  },
  { id: 'oldest', header: t('Oldest'), cell: ({ oldestAt }) => formatDay(oldestAt) },
  ...agedColumns<AgedClient>(),
  {
    id: 'total',
    header: t('Total'),
    align: 'right',
    card: 'end',
    cell: ({ total }) => <Amount value={total} />,
  },
]
