import { requestsRoutes, type NumberRequest } from '@tollgate/contract/number-requests.ts'
import { requestStatuses, type RequestAction } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useCall, usePages } from '../../api/use-call.ts'
import { Button } from '../../ui/Button.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { useUrlState } from '../../url-state.ts'
import { chipsOf, ExportCsv, failureOf, searchChip, sortOf } from '../../lists/list-parts.tsx'
import { ListFilters } from '../../lists/ListFilters.tsx'
import { queueColumns } from './columns.tsx'
import { RequestStats } from './OwnRequests.tsx'
import { AssignRequestDialog, RejectRequestDialog, useProcess } from './ProcessDialogs.tsx'
import { requestsSearch } from './search.ts'

// Shorter than the badges' sentences, which say the same to the person who asked.
const statusWords = {
  pending: 'Pending',
  approved: 'Approved',
  assigned: 'Assigned',
  rejected: 'Rejected',
} as const
const statusOptions = [
  { value: 'all', label: 'All' },
  ...requestStatuses.map((value) => ({ value, label: statusWords[value] })),
]
const chipWords = {
  search: searchChip,
  status: (value: string) => statusOptions.find((option) => option.value === value)?.label ?? value,
}

interface Act {
  readonly row: NumberRequest
  readonly action: 'assign' | 'reject'
}

/** Everybody's requests, for support to answer. design.md 11. */
export function RequestQueue() {
  const url = useUrlState(requestsSearch)
  const { search, status, sort, order } = url.state
  const filters = { search, status: status === 'all' ? undefined : status }
  const list = usePages(requestsRoutes.listAllRequests, { query: { ...filters, sort, order } })
  const counts = useCall(requestsRoutes.summariseAllRequests)
  const [act, setAct] = useState<Act>()
  const { mutate: process } = useProcess()
  const columns = useMemo(
    () =>
      queueColumns((row: NumberRequest, action: RequestAction) => {
        if (action === 'approve') process({ params: { id: row.id }, body: { action } })
        else setAct({ row, action })
      }),
    [process, setAct],
  )
  const chips = chipsOf(url, chipWords)
  const reset = () => url.set({ search: '', status: 'all' })
  const close = () => setAct(undefined)
  return (
    <div className="space-y-4">
      <RequestStats label="All requests" counts={counts} />
      <ListFilters
        page="number-requests"
        url={url}
        chips={chips}
        onReset={reset}
        placeholder="Search by user, number or purpose..."
      >
        <SelectField
          label="Status"
          value={status}
          options={statusOptions}
          onChange={(event) => url.set({ status: event.target.value as typeof status })}
        />
      </ListFilters>
      <DataTable
        label="Number requests"
        storageName="number-requests"
        columns={columns}
        rows={list.rows}
        rowId={(row) => row.id}
        rowLabel={(row) => `request of ${row.userName}`}
        loadingLabel="Loading number requests..."
        {...sortOf(url)}
        more={list}
        {...failureOf(list, 'Failed to fetch number requests')}
        empty={
          <EmptyState
            title={chips.length > 0 ? 'No requests match.' : 'No requests yet.'}
            action={chips.length > 0 ? <Button onClick={reset}>Reset filters</Button> : undefined}
          >
            {chips.length === 0
              ? 'What clients ask for comes here, to be approved, assigned or rejected.'
              : undefined}
          </EmptyState>
        }
        {...(list.rows?.length !== 0 && {
          foot: <ExportCsv href={urlOf(requestsRoutes.exportRequests, { query: filters })} />,
        })}
      />
      {act?.action === 'assign' && <AssignRequestDialog request={act.row} onClose={close} />}
      {act?.action === 'reject' && <RejectRequestDialog request={act.row} onClose={close} />}
    </div>
  )
}
