import { requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { linkedFigure } from '../../money/linked-figure.tsx'
import { paths } from '../../paths.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { StatStrip } from '../../ui/StatStrip.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { urlSort, useUrlState } from '../../url-state.ts'
import { requestPaths } from '../waiting-requests.ts'
import { ownColumns, type OwnRequestAction } from './columns.tsx'
import { EditRequestDialog } from './RequestNumberDialog.tsx'
import { requestsSearch } from './search.ts'
import { tableOf } from '../../api/FetchFailure.tsx'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { t } from '../../language/t.ts'

interface RequestCounts {
  readonly data: { pending: number; approved: number; rejected: number; total: number } | undefined
  readonly error: Error | null
  readonly dataUpdatedAt: number
}

interface RequestStatsProps {
  readonly label: string
  readonly counts: RequestCounts
  /** Each figure leads to its requests in the queue. */
  readonly isLinked?: boolean
}

/** Spec §2: Pending, Approved (with those assigned), Rejected, Total. */
export function RequestStats({ label, counts, isLinked = false }: RequestStatsProps) {
  const { data, error } = counts
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (name: string, count: number | undefined, status: string) => {
    const shown = data === undefined && !error ? undefined : formatCount(count)
    return isLinked ? linkedFigure(shown, name, paths.numberRequests, { status }) : shown
  }
  const stat = (name: string, count: number | undefined, status: string, note: string) => ({
    label: name,
    figure: figure(name, count, status),
    note,
  })
  return (
    <StatStrip
      label={label}
      under={<RefreshNote of={[counts]} />}
      stats={[
        stat(t('Pending'), data?.pending, 'pending', t('under review')),
        stat(t('Approved'), data?.approved, 'granted', t('with those assigned')),
        stat(t('Rejected'), data?.rejected, 'rejected', t('with a reason')),
        stat(t('Total'), data?.total, 'all', t('ever asked')),
      ]}
    />
  )
}

interface OwnRequestsProps {
  /** Staff have the figures of all requests above, and no button in the head of the page. */
  readonly isStaff: boolean
  readonly onRequest: () => void
}

/** The viewer's own requests and their results. */
export function OwnRequests({ isStaff, onRequest }: OwnRequestsProps) {
  const url = useUrlState(requestsSearch)
  const { ownSort: sort, ownOrder: order } = url.state
  const list = useApiPages(requestsRoutes.listOwnRequests, { query: { sort, order } })
  const counts = useApiQuery(requestsRoutes.summariseOwnRequests, {}, { isEnabled: !isStaff })
  const [chosen, setChosen] = useState<{ row: NumberRequest; action: OwnRequestAction }>()
  const columns = useMemo(() => ownColumns((row, action) => setChosen({ row, action })), [setChosen])
  const close = () => setChosen(undefined)
  const request = (
    <Button icon={Plus} onClick={onRequest}>
      {t('Request Number')}
    </Button>
  )
  return (
    <div className="space-y-4">
      {!isStaff && <RequestStats label={t('Your requests')} counts={counts} />}
      <DataTable
        label={t('Your Number Requests')}
        title={t('Your Number Requests')}
        actions={isStaff && list.rows?.length !== 0 && request}
        storageName="own-requests"
        columns={columns}
        rowId={(row) => row.id}
        rowLabel={(row) => row.requestedNumber || t('any available number')}
        loadingLabel={t('Loading number requests...')}
        {...urlSort(url, { sort: 'ownSort', order: 'ownOrder' })}
        {...tableOf(list, t('Failed to fetch number requests'))}
        empty={
          <EmptyState
            title={t('No requests found. Submit your first number request to get started.')}
            action={request}
          />
        }
      />
      {chosen?.action === 'edit' && <EditRequestDialog request={chosen.row} onClose={close} />}
      {chosen?.action === 'withdraw' && <WithdrawDialog request={chosen.row} onClose={close} />}
    </div>
  )
}

function WithdrawDialog({ request, onClose }: { request: NumberRequest; onClose: () => void }) {
  return (
    <ConfirmMutation
      onClose={onClose}
      route={requestsRoutes.withdrawRequest}
      call={{ params: { id: request.id } }}
      refetch={requestPaths}
      title={t('Withdraw Request')}
      confirmLabel={t('Withdraw')}
      success={t('Number request withdrawn')}
      failure={t('Failed to withdraw request')}
    >
      {request.requestedNumber === ''
        ? t('Nobody answers your request for any available number then. It stays in your list.')
        : t('Nobody answers your request for {number} then. It stays in your list.', {
            number: formatPhone(request.requestedNumber),
          })}
    </ConfirmMutation>
  )
}
