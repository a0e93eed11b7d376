// The bills, payouts and payments of one person or bill, without the filters of their own pages.
import { useNavigate } from '@tanstack/react-router'
import { billingRoutes, type BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { paymentRoutes, type Payment } from '@tollgate/contract/billing/payments.ts'
import { payoutRoutes, type Payout } from '@tollgate/contract/billing/payouts.ts'
import { tableOf } from '../api/FetchFailure.tsx'
import { useApiPages } from '../api/use-api.ts'
import { billColumns } from '../billing/bills/bill-columns.tsx'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { paymentColumns } from '../billing/payments/payment-columns.tsx'
import { payoutColumns } from '../billing/payouts/payout-columns.tsx'
import { formatPhone } from '../format/phone.ts'
import { objectPath, paths } from '../paths.ts'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

const nothing = () => undefined
const nobody = { username: '', role: 'support' } as const

/** Columns of a list whose rows only lead on. */
function plain<Row>(columns: readonly Column<Row>[], without: readonly string[]): readonly Column<Row>[] {
  return columns.filter(({ id }) => id !== 'actions' && !without.includes(id))
}

const billsShown = plain<BillingPeriod>(billColumns({ viewer: nobody, onAction: nothing }), ['user'])
const payoutsShown = plain<Payout>(payoutColumns({ viewer: '', onAction: nothing }), ['user'])
const paymentsShown = plain<Payment>(paymentColumns(nothing), ['user'])

// The newest; their own pages have all, with filters.
const limit = 50

/** The periods of a client; each leads to its page. */
export function BillsOf({ userId }: { userId: number }) {
  const navigate = useNavigate()
  const list = useApiPages(billingRoutes.listAllPeriods, { query: { userId, limit } })
  return (
    <DataTable
      label={t('Bills')}
      title={t('Bills')}
      columns={billsShown}
      rowId={({ id }) => id}
      rowLabel={formatBillingPeriod}
      onOpen={({ id }) => void navigate({ to: objectPath('bill', id) })}
      {...tableOf(list, t('Failed to fetch billing periods'))}
      empty={<EmptyState title={t('No bills yet')} />}
    />
  )
}

/** The payouts of a client's numbers. */
export function PayoutsOf({ userId }: { userId: number }) {
  const list = useApiPages(payoutRoutes.listPayouts, { query: { userId, limit } })
  return (
    <DataTable
      label={t('Payouts')}
      title={t('Payouts')}
      columns={payoutsShown}
      rowId={({ id }) => id}
      rowLabel={({ number }) => formatPhone(number)}
      {...tableOf(list, t('Failed to fetch payouts'))}
      empty={<EmptyState title={t('No payouts yet')} />}
    />
  )
}

/** The payments to a client, or of one bill; each leads to Payment History. */
export function PaymentsOf({ query }: { query: { readonly userId?: number; readonly periodId?: string } }) {
  const navigate = useNavigate()
  const list = useApiPages(paymentRoutes.listPayments, { query: { ...query, limit } })
  return (
    <DataTable
      label={t('Payments')}
      title={t('Payments')}
      columns={paymentsShown}
      rowId={({ id }) => id}
      rowLabel={({ amount }) => `${amount} USDT`}
      onOpen={({ transactionHash, userName }) =>
        void navigate({
          to: paths.paymentManagement,
          search: { tab: 'history', text: transactionHash || userName } as never,
        })
      }
      {...tableOf(list, t('Failed to fetch payments'))}
      empty={<EmptyState title={t('No payments yet')} />}
    />
  )
}
