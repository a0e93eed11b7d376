import { billingRoutes, type BillingPeriod } from '@tollgate/contract/billing.ts'
import { billingStatuses } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { useUser } from '../api/session.tsx'
import { usePages } from '../api/use-call.ts'
import { failureOf, searchChip } from '../lists/list-parts.tsx'
import { Button } from '../ui/Button.tsx'
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
import { MoneyFilters } from './MoneyFilters.tsx'
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
  const reset = () => url.set({ search: '', status: 'all' })
  return (
    <div className="space-y-4">
      <MoneyFilters
        page="pending-bills"
        url={url}
        chipWords={chipWords}
        placeholder="Search by user, email or address..."
        search={search}
        onSearch={(next) => url.set({ search: next })}
        status={status}
        statusOptions={statusOptions}
        onStatus={(next) => url.set({ status: next })}
        onReset={reset}
      />
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
            <EmptyState title="No bill matches" action={<Button onClick={reset}>Reset filters</Button>} />
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
