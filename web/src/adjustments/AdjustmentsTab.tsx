import { type Adjustment, adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import { adjustmentStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../api/call.ts'
import { useSession, useUser } from '../api/session.tsx'
import { useApiPages } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { moneyPollMs } from '../money/queries.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { statusLook } from '../ui/status.ts'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import type { UrlState } from '../url-state.ts'
import { AddAdjustmentDialog } from './AddAdjustmentDialog.tsx'
import { DecideAdjustmentDialog } from './DecideAdjustmentDialog.tsx'
import { MoneyList } from '../money/MoneyList.tsx'
import type { PapersSearch } from '../billing/search.ts'
import { formatCount } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { SignedAmount } from '../money/SignedAmount.tsx'
import { t } from '../language/t.ts'

/** Corrections of what clients are owed. Each is its own ledger entry, with its author and reason. */
export function AdjustmentsTab({ url }: { readonly url: UrlState<PapersSearch> }) {
  const { adjustment: status, adjustmentSort: sort, adjustmentOrder: order } = url.state
  const { may } = useSession()
  const { username } = useUser()
  const filters = { status: status === 'all' ? undefined : status }
  const list = useApiPages(
    adjustmentRoutes.listAdjustments,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [isAdding, setAdding] = useState(false)
  const [decided, setDecided] = useState<Adjustment>()
  const mayAdjust = may('moneyAdjust')
  const columns = useMemo(() => adjustmentColumns(mayAdjust, setDecided), [mayAdjust, setDecided])
  return (
    <>
      <MoneyList
        url={url}
        names={{ status: 'adjustment', sort: 'adjustmentSort', order: 'adjustmentOrder' }}
        statuses={adjustmentStatuses}
        statusLabel={(word) => statusLook('adjustment', word).label}
        label={t('Adjustments')}
        storageName="adjustments"
        actions={
          mayAdjust ? (
            <Button tone="primary" size="sm" icon={Plus} onClick={() => setAdding(true)}>
              {t('Add Adjustment')}
            </Button>
          ) : (
            <span className="text-ink-3">{t('Admins make adjustments.')}</span>
          )
        }
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={(adjustment) => `${adjustment.userName}, ${adjustment.amount} USDT`}
        loadingLabel={t('Loading adjustments...')}
        failure={t('Failed to fetch adjustments')}
        exportHref={urlOf(adjustmentRoutes.exportAdjustments, { query: filters })}
        empty={{
          title: t('No adjustments yet'),
          text: t(
            'A dispute, a goodwill credit, a correction: it counts in the client’s open period, with its reason.',
          ),
          filtered: t('No adjustment matches'),
        }}
      />
      {isAdding && <AddAdjustmentDialog onClose={() => setAdding(false)} />}
      {decided && (
        <DecideAdjustmentDialog
          adjustment={decided}
          isOwn={decided.requestedBy === username}
          onClose={() => setDecided(undefined)}
        />
      )}
    </>
  )
}

function adjustmentColumns(
  mayAdjust: boolean,
  onDecide: (adjustment: Adjustment) => void,
): readonly Column<Adjustment>[] {
  return [
    { ...subject, id: 'user', sortBy: 'userName', header: t('User'), cell: ({ userName }) => userName },
    {
      id: 'amount',
      sortBy: 'amount',
      header: t('Amount'),
      align: 'right',
      card: 'end',
      cell: ({ amount }) => <SignedAmount value={amount} />,
    },
    { id: 'reason', header: t('Reason'), cell: (adjustment) => <Reason adjustment={adjustment} /> },
    {
      id: 'status',
      sortBy: 'status',
      header: t('Status'),
      cell: ({ status, periodId }) => (
        <span className="block">
          <StatusBadge kind="adjustment" status={status} />
          {periodId !== null && (
            <span className="block text-xs text-ink-3">{t('in period #{periodId}', { periodId })}</span>
          )}
        </span>
      ),
    },
    {
      id: 'by',
      sortBy: 'requestedBy',
      header: t('Made by'),
      cell: ({ requestedBy, decidedBy }) =>
        decidedBy === '' || decidedBy === requestedBy
          ? requestedBy
          : t('{first}, then {second}', { first: requestedBy, second: decidedBy }),
    },
    {
      id: 'date',
      header: t('Date'),
      sortBy: 'createdAt',
      card: 'fact',
      cell: ({ createdAt }) => formatDateTime(createdAt),
    },
    actionsColumn((adjustment) =>
      mayAdjust && adjustment.status === 'pending' ? (
        <Button
          size="sm"
          aria-label={t('Decide on adjustment of {userName}', { userName: adjustment.userName })}
          onClick={() => onDecide(adjustment)}
        >
          {t('Decide')}
        </Button>
      ) : null,
    ),
  ]
}

function Reason({
  adjustment: { reason, reference, decisionReason, backdating },
}: {
  adjustment: Adjustment
}) {
  return (
    <span className="block max-w-120 break-words sm:min-w-60 whitespace-normal">
      {reason}
      {backdating !== null && backdating.recordsUrl !== '' && (
        <span className="block text-xs">
          <RecordsLink
            url={backdating.recordsUrl}
            label={t('The SMS of this adjustment to {number}', { number: backdating.number })}
          >
            {t('{smsCount} SMS', { smsCount: formatCount(backdating.smsCount) })}
          </RecordsLink>
        </span>
      )}
      {reference !== '' && (
        <span className="block text-xs text-ink-3">
          {t('about')} <span className="font-mono">{reference}</span>
        </span>
      )}
      {decisionReason !== '' && (
        <span className="block text-xs text-ink-3">
          {t('decision: {decisionReason}', { decisionReason })}
        </span>
      )}
    </span>
  )
}
