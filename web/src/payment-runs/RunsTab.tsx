import { paymentRunRoutes, type PaymentRun } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { failureOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Amount } from '../money/cells.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import { paymentManagementSearch } from '../billing/search.ts'
import { DraftRunDialog } from './DraftRunDialog.tsx'
import { RunDialog } from './RunDialog.tsx'
import { t } from '../language/t.ts'

/** Many debts paid together: drafted by one person, approved by another, taken to the wallet, matched on chain. */
export function RunsTab() {
  const url = useUrlState(paymentManagementSearch)
  const list = useApiPages(paymentRunRoutes.listRuns, {}, { refetchIntervalMs: moneyPollMs })
  const [isDrafting, setDrafting] = useState(false)
  const { run } = url.state
  return (
    <>
      <DataTable<PaymentRun>
        label={t('Payment Runs')}
        storageName="payment-runs"
        columns={columns}
        rows={list.rows}
        more={list}
        rowId={({ id }) => id}
        rowLabel={({ id }) => t('Payment run {id}', { id })}
        loadingLabel={t('Loading payment runs...')}
        openId={run}
        onOpen={({ id }) => url.set({ run: id }, true)}
        actions={
          <Button tone="primary" size="sm" icon={Plus} onClick={() => setDrafting(true)}>
            {t('New payment run')}
          </Button>
        }
        {...failureOf(list, t('Failed to fetch payment runs'))}
        empty={
          <EmptyState title={t('No payment runs yet')}>
            {t(
              'A run pays many bills and payouts together: two persons agree, the wallet gets a file, and what leaves it is matched on chain.',
            )}
          </EmptyState>
        }
      />
      {isDrafting && (
        <DraftRunDialog
          onClose={() => setDrafting(false)}
          onDrafted={(id) => {
            setDrafting(false)
            url.set({ run: id }, true)
          }}
        />
      )}
      {run !== '' && <RunDialog key={run} id={run} onClose={() => url.set({ run: '' })} />}
    </>
  )
}

const columns: readonly Column<PaymentRun>[] = [
  {
    ...subject,
    id: 'run',
    header: t('Run'),
    cell: ({ id, note }) => (
      <span className="block">
        #{id}
        {note !== '' && (
          <span className="block max-w-80 text-xs font-normal break-words whitespace-normal text-ink-3">
            {note}
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'amount',
    header: t('Amount'),
    align: 'right',
    card: 'end',
    cell: ({ amount }) => <Amount value={amount} />,
  },
  {
    id: 'status',
    header: t('Status'),
    cell: ({ status }) => <StatusBadge kind="paymentRun" status={status} />,
  },
  {
    id: 'paid',
    header: t('Transfers paid'),
    align: 'right',
    cell: ({ paidCount, lineCount }) =>
      t('{paidCount} of {lineCount}', {
        paidCount: formatCount(paidCount),
        lineCount: formatCount(lineCount),
      }),
  },
  {
    id: 'by',
    header: t('Drafted, approved'),
    cell: ({ draftedBy, approvedBy }) => (approvedBy === '' ? draftedBy : `${draftedBy}, ${approvedBy}`),
  },
  { id: 'date', header: t('Date'), card: 'fact', cell: ({ draftedAt }) => formatDateTime(draftedAt) },
]
