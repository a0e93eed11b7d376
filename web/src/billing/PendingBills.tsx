import { billingRoutes, type BillingPeriod } from '@tollgate/contract/billing.ts'
import { billingStatuses } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { useUser } from '../api/session.tsx'
import { usePages } from '../api/use-call.ts'
import { chipsOf, failureOf, SearchBox, searchChip } from '../lists/list-parts.tsx'
import { Button } from '../ui/Button.tsx'
import { SelectField } from '../ui/Field.tsx'
import { FilterBar } from '../ui/FilterBar.tsx'
import { SavedViews } from '../ui/SavedViews.tsx'
import { EmptyState } from '../ui/States.tsx'
import { statusLook } from '../ui/status.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import { billColumns, type BillAct } from './bill-columns.tsx'
import { BillDrawer } from './BillDrawer.tsx'
import { periodOf } from '../money/bill-words.ts'
import { DecideDialog } from '../money/DecideDialog.tsx'
import { MarkAsPaidDialog } from './MarkAsPaidDialog.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { managementSearch } from './search.ts'

const statusWord = (status: string) => statusLook('billingManagement', status).label
const statusOptions = [
  { value: 'all', label: 'All' },
  ...billingStatuses.map((value) => ({ value, label: statusWord(value) })),
]
const chipWords = { search: searchChip, status: statusWord }

/** What is to be paid first, then what is open, then what is paid. */
export function PendingBills() {
  const url = useUrlState(managementSearch)
  const { username } = useUser()
  const { search, status, open } = url.state
  const list = usePages(
    billingRoutes.listAllPeriods,
    { query: { search, status: status === 'all' ? undefined : status, sort: 'due' } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [act, setAct] = useState<{ readonly kind: BillAct; readonly bill: BillingPeriod }>()
  const onOpen = (bill: BillingPeriod) => url.set({ open: bill.id }, true)
  const { set } = url
  const columns = useMemo(
    () =>
      billColumns({
        viewer: username,
        onAct: (kind, bill) => (kind === 'open' ? set({ open: bill.id }, true) : setAct({ kind, bill })),
      }),
    [username, set],
  )
  const shown = list.rows?.find(({ id }) => id === open)
  const close = () => setAct(undefined)
  const isFiltered = search !== '' || status !== 'all'
  return (
    <div className="space-y-4">
      <FilterBar
        chips={chipsOf(url, chipWords)}
        onReset={() => url.set({ search: '', status: 'all' })}
        actions={<SavedViews page="pending-bills" current={url.changed} onApply={url.apply} />}
      >
        <SearchBox
          placeholder="Search by user, email or address..."
          value={search}
          onSearch={(text) => url.set({ search: text })}
        />
        <SelectField
          label="Status"
          value={status}
          options={statusOptions}
          onChange={(event) => url.set({ status: event.target.value as typeof status })}
        />
      </FilterBar>
      <DataTable
        label="Pending Bills"
        storageName="pending-bills"
        columns={columns}
        rows={list.rows}
        rowId={(bill) => bill.id}
        rowLabel={(bill) => `${bill.userName}, ${periodOf(bill)}`}
        loadingLabel="Loading billing periods..."
        more={list}
        openId={open}
        onOpen={onOpen}
        {...failureOf(list, 'Failed to fetch billing periods')}
        empty={
          isFiltered ? (
            <EmptyState
              title="No bill matches"
              action={<Button onClick={() => url.set({ search: '', status: 'all' })}>Reset filters</Button>}
            />
          ) : (
            <EmptyState title="No bills yet">
              They come with the first SMS to a number that a client holds.
            </EmptyState>
          )
        }
      />
      {shown && <BillDrawer bill={shown} isForStaff onClose={() => url.set({ open: '' })} />}
      {act?.kind === 'pay' && <MarkAsPaidDialog bill={act.bill} onClose={close} />}
      {act?.kind === 'decide' && <DecideDialog subject={{ kind: 'bill', bill: act.bill }} onClose={close} />}
    </div>
  )
}
