import { type BillingPeriod, billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { periodStatuses } from '@tollgate/contract/vocabulary.ts'
import { useCallback, useMemo, useState, type ComponentProps } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { useApiPages } from '../../api/use-api.ts'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { statusLook } from '../../ui/status.ts'
import { useUrlState } from '../../url-state.ts'
import { billColumns } from './bill-columns.tsx'
import type { BillAction } from './bill-menu.ts'
import { BillDialog } from './BillDialog.tsx'
import { MoneyList } from '../../money/MoneyList.tsx'
import { paymentManagementSearch } from '../search.ts'
import { t } from '../../language/t.ts'

/** Every bill: those to pay first, then open ones, then paid ones, unless sorted otherwise. */
export function AllBills() {
  const url = useUrlState(paymentManagementSearch)
  const { state, set } = url
  const { username, role } = useUser()
  const { billText: search, billStatus: status, billSort: sort, billOrder: order, open } = state
  const filters = { search, status: status === 'all' ? undefined : status }
  const list = useApiPages(
    billingRoutes.listAllPeriods,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [dialog, setDialog] = useState<Pick<ComponentProps<typeof BillDialog>, 'action' | 'bill'>>()
  const viewer = useMemo(() => ({ username, role }), [username, role])
  const onAction = useCallback(
    (action: BillAction, bill: BillingPeriod) =>
      action === 'open' ? set({ open: bill.id }, true) : setDialog({ action, bill }),
    [set, setDialog],
  )
  const columns = useMemo(() => billColumns({ viewer, onAction }), [viewer, onAction])
  return (
    <>
      <MoneyList
        url={url}
        names={{ search: 'billText', status: 'billStatus', sort: 'billSort', order: 'billOrder' }}
        placeholder={t('Search by user, email or address...')}
        statuses={periodStatuses}
        statusLabel={(word) => statusLook('billingManagement', word).label}
        label={t('All bills')}
        storageName="pending-bills"
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={(bill) => `${bill.userName}, ${formatBillingPeriod(bill)}`}
        loadingLabel={t('Loading billing periods...')}
        openId={open}
        onOpen={(bill) => set({ open: bill.id }, true)}
        failure={t('Failed to fetch billing periods')}
        exportHref={urlOf(billingRoutes.exportAllPeriods, { query: filters })}
        empty={{
          title: t('No bills yet'),
          text: t('They come with the first SMS to a number that a client holds.'),
          filtered: t('No bill matches'),
        }}
      />
      {dialog && <BillDialog {...dialog} viewer={viewer} onClose={() => setDialog(undefined)} />}
    </>
  )
}
