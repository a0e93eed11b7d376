import { requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
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
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { t } from '../../language/t.ts'

interface RequestCounts {
  readonly data: { pending: number; approved: number; rejected: number; total: number } | undefined
  readonly error: Error | null
  readonly dataUpdatedAt: number
}

/** Spec §2: Pending, Approved (with those assigned), Rejected, Total. */
export function RequestStats({ label, counts }: { label: string; counts: RequestCounts }) {
  const { data, error } = counts
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (count: number | undefined) =>
    data === undefined && !error ? undefined : formatCount(count)
  return (
    <StatStrip
      label={label}
      under={<RefreshNote of={[counts]} />}
      stats={[
        { label: t('Pending'), figure: figure(data?.pending), note: t('under review') },
        { label: t('Approved'), figure: figure(data?.approved), note: t('with those assigned') },
        { label: t('Rejected'), figure: figure(data?.rejected), note: t('with a reason') },
        { label: t('Total'), figure: figure(data?.total), note: t('ever asked') },
      ]}
    />
  )
}

/** The viewer's own requests and their results. */
export function OwnRequests({ onRequest }: { onRequest: () => void }) {
  const url = useUrlState(requestsSearch)
  const { ownSort: sort, ownOrder: order } = url.state
  const list = useApiPages(requestsRoutes.listOwnRequests, { query: { sort, order } })
  const counts = useApiQuery(requestsRoutes.summariseOwnRequests)
  const [chosen, setChosen] = useState<{ row: NumberRequest; action: OwnRequestAction }>()
  const columns = useMemo(() => ownColumns((row, action) => setChosen({ row, action })), [setChosen])
  const close = () => setChosen(undefined)
  return (
    <div className="space-y-4">
      <RequestStats label={t('Your requests')} counts={counts} />
      <DataTable
        label={t('Your Number Requests')}
        title={t('Your Number Requests')}
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
            action={
              <Button icon={Plus} onClick={onRequest}>
                {t('Request Number')}
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
