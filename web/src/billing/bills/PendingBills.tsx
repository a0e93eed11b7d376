import { type BillingPeriod, billingRoutes } from '@tollgate/contract/billing.ts'
import { periodStatuses } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiPages } from '../../api/use-api.ts'
import { formatBillingPeriod } from '../bill-text.ts'
import { DecidePaymentDialog } from '../payments/DecidePaymentDialog.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { statusLook } from '../../ui/status.ts'
import { useUrlState } from '../../url-state.ts'
import { billColumns, type BillAction } from './bill-columns.tsx'
import { BillDrawer } from './BillDrawer.tsx'
import { MarkAsPaidDialog } from './MarkAsPaidDialog.tsx'
import { MoneyList } from '../../money/MoneyList.tsx'
import { paymentManagementSearch } from '../search.ts'

/** Bills to pay first, then open ones, then paid ones, unless sorted otherwise. */
export function PendingBills() {
  const url = useUrlState(paymentManagementSearch)
  const { state, set } = url
  const { username } = useUser()
  const { search, status, sort, order, open } = state
  const filters = { search, status: status === 'all' ? undefined : status }
  const list = useApiPages(
    billingRoutes.listAllPeriods,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [dialog, setDialog] = useState<{ readonly kind: BillAction; readonly bill: BillingPeriod }>()
  const columns = useMemo(
    () =>
      billColumns({
        viewer: username,
        onAction: (kind, bill) =>
          kind === 'open' ? set({ open: bill.id }, true) : setDialog({ kind, bill }),
      }),
    [username, set],
  )
  const shown = list.rows?.find(({ id }) => id === open)
  const close = () => setDialog(undefined)
  return (
    <>
      <MoneyList
        url={url}
        names={{ search: 'search', status: 'status', sort: 'sort', order: 'order' }}
        placeholder="Search by user, email or address..."
        statuses={periodStatuses}
        statusLabel={(word) => statusLook('billingManagement', word).label}
        label="Pending Bills"
        storageName="pending-bills"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={(bill) => `${bill.userName}, ${formatBillingPeriod(bill)}`}
        loadingLabel="Loading billing periods..."
        openId={open}
        onOpen={(bill) => set({ open: bill.id }, true)}
        failure="Failed to fetch billing periods"
        exportHref={urlOf(billingRoutes.exportAllPeriods, { query: filters })}
        empty={{
          title: 'No bills yet',
          text: 'They come with the first SMS to a number that a client holds.',
          filtered: 'No bill matches',
        }}
      />
      {shown && <BillDrawer bill={shown} isForStaff onClose={() => set({ open: '' })} />}
      {dialog?.kind === 'pay' && <MarkAsPaidDialog bill={dialog.bill} onClose={close} />}
      {dialog?.kind === 'decide' && (
        <DecidePaymentDialog subject={{ kind: 'bill', bill: dialog.bill }} onClose={close} />
      )}
    </>
  )
}
