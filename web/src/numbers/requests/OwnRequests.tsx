import { requestsRoutes, type NumberRequest } from '@tollgate/contract/number-requests.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
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

interface RequestCounts {
  readonly data: { pending: number; approved: number; rejected: number; total: number } | undefined
  readonly error: Error | null
}

/** Spec §2: Pending, Approved (with those assigned), Rejected, Total. */
export function RequestStats({ label, counts: { data, error } }: { label: string; counts: RequestCounts }) {
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (count: number | undefined) =>
    data === undefined && !error ? undefined : formatCount(count)
  return (
    <StatStrip
      label={label}
      stats={[
        { label: 'Pending', figure: figure(data?.pending), note: 'under review' },
        { label: 'Approved', figure: figure(data?.approved), note: 'with those assigned' },
        { label: 'Rejected', figure: figure(data?.rejected), note: 'with a reason' },
        { label: 'Total', figure: figure(data?.total), note: 'ever asked' },
      ]}
    />
  )
}

/** The viewer's own requests and their results. */
export function OwnRequests({ onRequest }: { onRequest: () => void }) {
  const url = useUrlState(requestsSearch)
  const { sort, order } = url.state
  const list = useApiPages(requestsRoutes.listOwnRequests, { query: { sort, order } })
  const counts = useApiQuery(requestsRoutes.summariseOwnRequests)
  const [chosen, setChosen] = useState<{ row: NumberRequest; action: OwnRequestAction }>()
  const columns = useMemo(() => ownColumns((row, action) => setChosen({ row, action })), [setChosen])
  const close = () => setChosen(undefined)
  return (
    <div className="space-y-4">
      <RequestStats label="Your requests" counts={counts} />
      <DataTable
        label="Your Number Requests"
        title="Your Number Requests"
        storageName="own-requests"
        columns={columns}
        rowId={(row) => row.id}
        rowLabel={(row) => row.requestedNumber || 'any available number'}
        loadingLabel="Loading number requests..."
        {...urlSort(url)}
        {...tableOf(list, 'Failed to fetch number requests')}
        empty={
          <EmptyState
            title="No requests found. Submit your first number request to get started."
            action={
              <Button icon={Plus} onClick={onRequest}>
                Request Number
              </Button>
            }
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
      title="Withdraw Request"
      confirmLabel="Withdraw"
      success="Number request withdrawn"
      failure="Failed to withdraw request"
    >
      {request.requestedNumber === ''
        ? 'Your request for any available number'
        : `Your request for ${formatPhone(request.requestedNumber)}`}{' '}
      is not answered any more. It stays in your list.
    </ConfirmMutation>
  )
}
