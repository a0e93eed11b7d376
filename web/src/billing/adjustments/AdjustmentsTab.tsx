import { treasuryRoutes, type Adjustment } from '@tollgate/contract/treasury.ts'
import { adjustmentStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useSession, useUser } from '../../api/session.tsx'
import { useApiPages } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { statusLook } from '../../ui/status.ts'
import type { Column } from '../../ui/table/column.ts'
import { useUrlState } from '../../url-state.ts'
import { AddAdjustmentDialog } from './AddAdjustmentDialog.tsx'
import { DecideAdjustmentDialog } from './DecideAdjustmentDialog.tsx'
import { MoneyList } from '../../money/MoneyList.tsx'
import { paymentManagementSearch } from '../search.ts'
import { formatCount } from '../../format/money.ts'
import { RecordsLink } from '../../money/RecordsLink.tsx'
import { SignedAmount } from './SignedAmount.tsx'

/** Corrections of what clients are owed. Each is its own ledger entry, with its author and reason. */
export function AdjustmentsTab() {
  const url = useUrlState(paymentManagementSearch)
  const { adjustment: status, adjustmentSort: sort, adjustmentOrder: order } = url.state
  const { may } = useSession()
  const { username } = useUser()
  const filters = { status: status === 'all' ? undefined : status }
  const list = useApiPages(
    treasuryRoutes.listAdjustments,
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
        label="Adjustments"
        storageName="adjustments"
        actions={
          mayAdjust ? (
            <Button tone="primary" size="sm" icon={Plus} onClick={() => setAdding(true)}>
              Add Adjustment
            </Button>
          ) : (
            <span className="text-ink-3">Admins make adjustments.</span>
          )
        }
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={(adjustment) => `${adjustment.userName}, ${adjustment.amount} USDT`}
        loadingLabel="Loading adjustments..."
        failure="Failed to fetch adjustments"
        exportHref={urlOf(treasuryRoutes.exportAdjustments, { query: filters })}
        empty={{
          title: 'No adjustments yet',
          text: 'A dispute, a goodwill credit, a correction: it counts in the client’s open period, with its reason.',
          filtered: 'No adjustment matches',
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
    {
      id: 'user',
      sortBy: 'userName',
      header: 'User',
      isSubject: true,
      isHideable: false,
      card: 'title',
      cell: ({ userName }) => userName,
    },
    {
      id: 'amount',
      sortBy: 'amount',
      header: 'Amount',
      align: 'right',
      card: 'end',
      cell: ({ amount }) => <SignedAmount value={amount} />,
    },
    { id: 'reason', header: 'Reason', cell: (adjustment) => <Reason adjustment={adjustment} /> },
    {
      id: 'status',
      sortBy: 'status',
      header: 'Status',
      cell: ({ status, periodId }) => (
        <span className="block">
          <StatusBadge kind="adjustment" status={status} />
          {periodId !== null && <span className="block text-xs text-ink-3">in period #{periodId}</span>}
        </span>
      ),
    },
    {
      id: 'by',
      sortBy: 'requestedBy',
      header: 'Made by',
      cell: ({ requestedBy, decidedBy }) =>
        decidedBy === '' || decidedBy === requestedBy ? requestedBy : `${requestedBy}, then ${decidedBy}`,
    },
    {
      id: 'date',
      header: 'Date',
      sortBy: 'createdAt',
      card: 'fact',
      cell: ({ createdAt }) => formatDateTime(createdAt),
    },
    {
      id: 'actions',
      header: 'Actions',
      align: 'right',
      isHideable: false,
      card: 'actions',
      cell: (adjustment) =>
        mayAdjust && adjustment.status === 'pending' ? (
          <Button
            size="sm"
            aria-label={`Decide on adjustment of ${adjustment.userName}`}
            onClick={() => onDecide(adjustment)}
          >
            Decide
          </Button>
        ) : null,
    },
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
            label={`The SMS of this adjustment to ${backdating.number}`}
          >
            {formatCount(backdating.smsCount)} SMS
          </RecordsLink>
        </span>
      )}
      {reference !== '' && (
        <span className="block text-xs text-ink-3">
          about <span className="font-mono">{reference}</span>
        </span>
      )}
      {decisionReason !== '' && <span className="block text-xs text-ink-3">decision: {decisionReason}</span>}
    </span>
  )
}
