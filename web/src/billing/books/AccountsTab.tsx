import { booksRoutes, type ListedAccount } from '@tollgate/contract/books.ts'
import { useMemo } from 'react'
import { urlOf } from '../../api/call.ts'
import { useApiPages, useApiQuery } from '../../api/use-api.ts'
import { formatDay } from '../../format/dates.ts'
import { formatAmountFigure, formatCount, unknownFigure } from '../../format/money.ts'
import { Amount } from '../../money/cells.tsx'
import { MoneyList } from '../../money/MoneyList.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { StatStrip } from '../../ui/StatStrip.tsx'
import type { Column } from '../../ui/table/column.ts'
import { useUrlState } from '../../url-state.ts'
import { agedColumns, agedStats } from './aged.tsx'
import { booksSearch } from './search.ts'

/** The accounts of all clients with their totals. */
export function AccountsTab() {
  const url = useUrlState(booksSearch)
  const { search, show, sort, order } = url.state
  const filters = { search, show }
  const totals = useApiQuery(booksRoutes.getAccountTotals, {}, { refetchIntervalMs: moneyPollMs })
  const list = useApiPages(
    booksRoutes.listAccounts,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const columns = useMemo(() => accountColumns((userId) => url.set({ account: String(userId) }, true)), [url])
  return (
    <div className="space-y-4">
      <StatStrip
        label="All accounts"
        stats={[
          {
            label: 'Balance',
            figure: totals.data
              ? formatAmountFigure(totals.data.balance)
              : totals.error
                ? unknownFigure
                : undefined,
            unit: 'USDT',
            note: totals.data && `of ${formatCount(totals.data.clientCount)} clients`,
          },
          ...agedStats(totals.data, totals.error !== null),
        ]}
      />
      <MoneyList<ListedAccount, (typeof url)['state']>
        url={url}
        names={{ search: 'search', status: 'show', sort: 'sort', order: 'order' }}
        placeholder="User or e-mail"
        statuses={['owed']}
        statusLabel={() => 'With a balance'}
        label="Accounts"
        storageName="accounts"
        columns={columns}
        list={list}
        rowId={({ userId }) => String(userId)}
        rowLabel={({ userName }) => userName}
        loadingLabel="Loading accounts..."
        failure="Failed to fetch the accounts"
        exportHref={urlOf(booksRoutes.exportAccounts, { query: filters })}
        empty={{
          title: 'No clients yet',
          text: 'Each client has an account from the first day.',
          filtered: 'No account matches',
        }}
      />
    </div>
  )
}

function accountColumns(onOpen: (userId: number) => void): readonly Column<ListedAccount>[] {
  return [
    {
      id: 'user',
      header: 'User',
      sortBy: 'userName',
      isSubject: true,
      isHideable: false,
      card: 'title',
      cell: ({ userId, userName }) => (
        <button
          type="button"
          aria-label={`Open the account of ${userName}`}
          onClick={() => onOpen(userId)}
          className="text-accent-ink underline underline-offset-2"
        >
          {userName}
        </button>
      ),
    },
    {
      id: 'oldest',
      header: 'Oldest',
      card: 'fact',
      cell: ({ oldestAt }) =>
        oldestAt === null ? <span className="text-ink-3">–</span> : formatDay(oldestAt),
    },
    ...agedColumns<ListedAccount>(['older']),
    {
      id: 'credit',
      header: 'Credit',
      sortBy: 'credit',
      align: 'right',
      cell: ({ credit }) =>
        credit === '0.00' ? <span className="text-ink-3">0.00</span> : <Amount value={credit} />,
    },
    {
      id: 'balance',
      header: 'Balance',
      sortBy: 'balance',
      align: 'right',
      card: 'end',
      cell: ({ balance }) => <Amount value={balance} />,
    },
  ]
}
