import { booksRoutes, type ListedAccount } from '@tollgate/contract/books/books.ts'
import { paymentRunRoutes, type Aging } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { useMemo } from 'react'
import { urlOf } from '../api/call.ts'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiPages, useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { formatAmountFigure, formatCount, unknownFigure } from '../format/money.ts'
import { counted } from '../format/counted.ts'
import { Amount } from '../money/cells.tsx'
import { linkedFigure } from '../money/linked-figure.tsx'
import { MoneyList } from '../money/MoneyList.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { paths } from '../paths.ts'
import { StatStrip, type Stat } from '../ui/StatStrip.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { useUrlState } from '../url-state.ts'
import { agedColumns, AgedTotals } from './aged.tsx'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

/** The accounts of all clients with their totals. */
export function AccountsTab() {
  const url = useUrlState(booksSearch)
  const { search, show, sort, order } = url.state
  const filters = { search, show }
  const totals = useApiQuery(booksRoutes.getAccountTotals, {}, { refetchIntervalMs: moneyPollMs })
  const aging = useApiQuery(paymentRunRoutes.getAging, {}, { refetchIntervalMs: moneyPollMs })
  const list = useApiPages(
    booksRoutes.listAccounts,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const columns = useMemo(() => accountColumns((userId) => url.set({ account: String(userId) }, true)), [url])
  return (
    <div className="space-y-4">
      <StatStrip
        label={t('All accounts')}
        under={<RefreshNote of={[totals, aging]} />}
        stats={[
          {
            label: t('Balance'),
            figure: totals.data
              ? formatAmountFigure(totals.data.balance)
              : totals.error
                ? unknownFigure
                : undefined,
            unit: t('USDT'),
            note:
              totals.data &&
              t('of {clientCount} clients', { clientCount: formatCount(totals.data.clientCount) }),
          },
          overdueStat(aging.data?.overdue, aging.error !== null),
        ]}
      />
      <MoneyList<ListedAccount, (typeof url)['state']>
        url={url}
        names={{ search: 'search', status: 'show', sort: 'sort', order: 'order' }}
        placeholder={t('User or e-mail')}
        statuses={['owed']}
        statusLabel={() => t('With a balance')}
        label={t('Accounts')}
        storageName="accounts"
        columns={columns}
        list={list}
        rowId={({ userId }) => String(userId)}
        rowLabel={({ userName }) => userName}
        loadingLabel={t('Loading accounts...')}
        failure={t('Failed to fetch the accounts')}
        totals={<AgedTotals sums={totals.data} />}
        exportHref={urlOf(booksRoutes.exportAccounts, { query: filters })}
        empty={{
          title: t('No clients yet'),
          text: t('Each client has an account from the first day.'),
          filtered: t('No account matches'),
        }}
      />
    </div>
  )
}

/** Debts that could have been paid long ago, of which staff are reminded by mail once a week. */
function overdueStat(overdue: Aging['overdue'] | undefined, hasFailed: boolean): Stat {
  const label = t('Overdue')
  if (overdue === undefined)
    return { label, figure: hasFailed ? unknownFigure : undefined, unit: t('USDT'), note: undefined }
  const { count, amount, afterDays } = overdue
  return {
    label,
    figure: linkedFigure(formatAmountFigure(amount), label, paths.alerts),
    unit: t('USDT'),
    note:
      count === 0
        ? t('none for over {afterDays} days', { afterDays })
        : t('{debts}, for over {afterDays} days', {
            debts: counted(count, '1 debt', '{count} debts'),
            afterDays,
          }),
  }
}

function accountColumns(onOpen: (userId: number) => void): readonly Column<ListedAccount>[] {
  return [
    {
      ...subject,
      id: 'user',
      header: t('User'),
      sortBy: 'userName',
      cell: ({ userId, userName }) => (
        <button
          type="button"
          aria-label={t('Open the account of {userName}', { userName })}
          onClick={() => onOpen(userId)}
          className="text-accent-ink underline underline-offset-2"
        >
          {userName}
        </button>
      ),
    },
    {
      id: 'oldest',
      header: t('Oldest'),
      cell: ({ oldestAt }) =>
        oldestAt === null ? <span className="text-ink-3">–</span> : formatDay(oldestAt),
    },
    ...agedColumns<ListedAccount>(['older']),
    {
      id: 'credit',
      header: t('Credit'),
      sortBy: 'credit',
      align: 'right',
      cell: ({ credit }) =>
        credit === '0.00' ? <span className="text-ink-3">0.00</span> : <Amount value={credit} />,
    },
    {
      id: 'balance',
      header: t('Balance'),
      sortBy: 'balance',
      align: 'right',
      card: 'end',
      cell: ({ balance }) => <Amount value={balance} />,
    },
  ]
}
