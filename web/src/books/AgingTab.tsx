import { paymentRunRoutes, type Aging } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatAmountFigure, formatUsdt } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip, type Stat } from '../ui/StatStrip.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { agedColumns, agedStats } from './aged.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

type AgedClient = Aging['clients'][number]

/** What clients are owed, by age: since the bill was sent or the payout was made. */
export function AgingTab() {
  const aging = useApiQuery(paymentRunRoutes.getAging, {}, { refetchIntervalMs: moneyPollMs })
  const { data } = aging
  if (aging.error && !data) return <FetchFailure of={aging} title={t('Failed to fetch the aging')} />
  return (
    <div className="space-y-4">
      <StatStrip
        label={t('Owed by age')}
        stats={[...agedStats(data?.totals), overdueStat(data?.overdue)]}
        under={<RefreshNote of={[aging]} />}
      />
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
              <>
                <p>
                  {t('Owed in all')} <b>{formatUsdt(data.totals.total)}</b>
                </p>
                {data.overdue.count > 0 && (
                  <p className="text-ink-3">
                    {t('Staff are reminded of what is overdue by mail once a week.')}
                  </p>
                )}
              </>
            ),
          })}
      />
    </div>
  )
}

const debts = (count: number) => counted(count, '1 debt', '{count} debts')

/** Debts that could have been paid long ago. It has its place while it loads, so that nothing moves. */
function overdueStat(overdue: Aging['overdue'] | undefined): Stat {
  if (overdue === undefined)
    return { label: t('Overdue'), figure: undefined, unit: t('USDT'), note: undefined }
  const { count, amount, afterDays } = overdue
  return {
    label: t('Overdue'),
    figure: <span className={count > 0 ? 'text-warn-ink' : ''}>{formatAmountFigure(amount)}</span>,
    unit: t('USDT'),
    note:
      count === 0
        ? t('none for over {afterDays} days', { afterDays })
        : t('{debts}, for over {afterDays} days', {
            debts: debts(count),
            afterDays,
          }),
  }
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
          {debts(debtCount)}
          {!hasAddress && <span className="text-warn-ink"> · {t('no address yet')}</span>}
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
