import { requestFilters, requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import type { RequestAction } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useMatchingSelection } from '../../api/matching.tsx'
import { useApiQuery, useApiPages } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { urlSelect, filterChips, quoted, urlSort, useUrlState } from '../../url-state.ts'
import { copyRows } from '../../ui/copy-rows.ts'
import { ExportSelected } from '../../api/ExportSelected.tsx'
import { ListFilters } from '../../ui/ListFilters.tsx'
import { RefusedRowsDialog, type RefusedRows } from '../../ui/RefusedRows.tsx'
import { isOpenTo, queueColumns, requestLine } from './columns.tsx'
import { RequestStats } from './OwnRequests.tsx'
import {
  AssignRequestDialog,
  RejectRequestDialog,
  RejectRequestsDialog,
  useProcess,
  useProcessMany,
} from './ProcessDialogs.tsx'
import { MatchingRequests } from './MatchingRequests.tsx'
import { requestsSearch } from './search.ts'
import { CopySelected } from '../../ui/CopySelected.tsx'
import { ExportCsv } from '../../ui/ExportCsv.tsx'
import { tableOf } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

// Shorter than the labels of the badges, which address the requester.
const statusWords = {
  pending: t('Pending'),
  approved: t('Approved'),
  assigned: t('Assigned'),
  rejected: t('Rejected'),
  withdrawn: t('Withdrawn'),
  granted: t('Approved, with those assigned'),
  waiting: t('Waiting'),
  all: t('All'),
} as const
const statusOptions = requestFilters.toReversed().map((value) => ({ value, label: statusWords[value] }))
const chipWords = {
  search: quoted,
  status: (value: string) => statusOptions.find((option) => option.value === value)?.label ?? value,
}

type RequestDialogState =
  | { readonly action: 'assign' | 'reject'; readonly row: NumberRequest }
  | { readonly action: 'rejectMany'; readonly rows: readonly NumberRequest[] }

/** The requests of all clients, for support to answer. */
export function RequestQueue() {
  const url = useUrlState(requestsSearch)
  const { search, status, sort, order } = url.state
  const filters = { search, status: status === 'all' ? undefined : status }
  const list = useApiPages(requestsRoutes.listAllRequests, { query: { ...filters, sort, order } })
  const counts = useApiQuery(requestsRoutes.summariseAllRequests)
  const matching = useApiQuery(requestsRoutes.summariseAllRequests, { query: filters })
  const [dialog, setDialog] = useState<RequestDialogState>()
  const marked = useMatchingSelection(filters, matching.data?.total)
  const { selected, select, clear } = marked
  const [refused, setRefused] = useState<RefusedRows>()
  const many = useProcessMany((left) => {
    setDialog(undefined)
    setRefused(left)
    select(new Set(left?.rows.map(({ id }) => id)))
  })
  const { mutate: process } = useProcess()
  const columns = useMemo(
    () =>
      queueColumns((row: NumberRequest, action: RequestAction) => {
        if (action === 'approve') process({ params: { id: row.id }, body: { action } })
        else setDialog({ row, action })
      }),
    [process, setDialog],
  )
  const chips = filterChips(url, chipWords)
  const reset = () => url.set({ search: '', status: 'waiting' })
  const close = () => setDialog(undefined)
  return (
    <div className="space-y-4">
      <RequestStats label={t('All requests')} counts={counts} isLinked />
      <ListFilters
        page="number-requests"
        url={url}
        chips={chips}
        onReset={reset}
        placeholder={t('Search by user, number or purpose...')}
      >
        <SelectField label={t('Status')} options={statusOptions} {...urlSelect(url, 'status')} />
      </ListFilters>
      <DataTable
        label={t('Number requests')}
        storageName="number-requests"
        columns={columns}
        rowId={(row) => row.id}
        rowLabel={(row) => t('request of {userName}', { userName: row.userName })}
        loadingLabel={t('Loading number requests...')}
        {...urlSort(url)}
        selection={{
          ...marked.selection,
          actions: marked.isAllChosen ? (
            <MatchingRequests filters={filters} count={marked.count} onDone={clear} />
          ) : (
            <RequestBulkActions
              rows={(list.rows ?? []).filter((row) => selected.has(row.id))}
              ids={selected}
              isBusy={many.isPending}
              onApprove={(rows) => many.process(rows, 'approve')}
              onReject={(rows) => {
                many.reset()
                setDialog({ action: 'rejectMany', rows })
              }}
            />
          ),
        }}
        {...tableOf(list, t('Failed to fetch number requests'))}
        empty={<NoRequests isFiltered={chips.length > 0} onReset={reset} />}
        {...(list.rows?.length !== 0 && {
          foot: <ExportCsv href={urlOf(requestsRoutes.exportRequests, { query: filters })} />,
        })}
      />
      {dialog?.action === 'assign' && <AssignRequestDialog request={dialog.row} onClose={close} />}
      {dialog?.action === 'reject' && <RejectRequestDialog request={dialog.row} onClose={close} />}
      {dialog?.action === 'rejectMany' && (
        <RejectRequestsDialog requests={dialog.rows} many={many} onClose={close} />
      )}
      {refused && <RefusedRowsDialog refused={refused} onClose={() => setRefused(undefined)} />}
    </div>
  )
}

function NoRequests({ isFiltered, onReset }: { isFiltered: boolean; onReset: () => void }) {
  return isFiltered ? (
    <EmptyState
      title={t('No requests match.')}
      action={<Button onClick={onReset}>{t('Reset filters')}</Button>}
    />
  ) : (
    <EmptyState title={t('No requests yet.')}>
      {t('What clients ask for comes here, to be approved, assigned or rejected.')}
    </EmptyState>
  )
}

interface RequestBulkActionsProps {
  /** The selected requests as they are now. */
  readonly rows: readonly NumberRequest[]
  readonly ids: ReadonlySet<string>
  readonly isBusy: boolean
  readonly onApprove: (rows: readonly NumberRequest[]) => void
  readonly onReject: (rows: readonly NumberRequest[]) => void
}

/** Each button shows for how many of the selected requests it is possible. */
function RequestBulkActions({ rows, ids, isBusy, onApprove, onReject }: RequestBulkActionsProps) {
  const toApprove = rows.filter((row) => isOpenTo(row, 'approve'))
  const toReject = rows.filter((row) => isOpenTo(row, 'reject'))
  const answered = rows.length - toReject.length
  return (
    <>
      {answered > 0 && (
        <span className="text-ink-3">
          {t('{answered} of them answered already', { answered: formatCount(answered) })}
        </span>
      )}
      <Button
        size="sm"
        isBusy={isBusy}
        isDisabled={toApprove.length === 0}
        onClick={() => onApprove(toApprove)}
      >
        {t('Approve ({count})', { count: formatCount(toApprove.length) })}
      </Button>
      <Button size="sm" isDisabled={isBusy || toReject.length === 0} onClick={() => onReject(toReject)}>
        {t('Reject ({count})', { count: formatCount(toReject.length) })}
      </Button>
      <CopySelected ids={ids} rows={rows} onCopy={() => void copyRows(rows.map(requestLine))} />
      <ExportSelected route={requestsRoutes.exportChosenRequests} ids={ids} />
    </>
  )
}
