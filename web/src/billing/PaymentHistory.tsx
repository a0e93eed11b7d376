import { billingRoutes, type Payment } from '@tollgate/contract/billing.ts'
import { paymentStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { usePages } from '../api/use-call.ts'
import { failureOf, searchChip } from '../lists/list-parts.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import { statusLook } from '../ui/status.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import { AddPaymentDialog } from './AddPaymentDialog.tsx'
import { DecideDialog } from '../money/DecideDialog.tsx'
import { paymentColumns } from './payment-columns.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { MoneyFilters } from './MoneyFilters.tsx'
import { managementSearch } from './search.ts'

const statusWord = (status: string) => statusLook('payment', status).label
const statusOptions = [
  { value: 'all', label: 'All' },
  ...paymentStatuses.map((value) => ({ value, label: statusWord(value) })),
]
const chipWords = { text: searchChip, payment: statusWord }

/** Every payment, of bills, of payouts and outside them, newest first. */
export function PaymentHistory() {
  const url = useUrlState(managementSearch)
  const { text, payment: status } = url.state
  const list = usePages(
    billingRoutes.listPayments,
    { query: { search: text, status: status === 'all' ? undefined : status } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [isAdding, setAdding] = useState(false)
  const [decided, setDecided] = useState<Payment>()
  const columns = useMemo(() => paymentColumns(setDecided), [])
  const isFiltered = text !== '' || status !== 'all'
  const reset = () => url.set({ text: '', payment: 'all' })
  return (
    <div className="space-y-4">
      <MoneyFilters
        page="payments"
        url={url}
        chipWords={chipWords}
        placeholder="User, address, hash or notes"
        search={text}
        onSearch={(next) => url.set({ text: next })}
        status={status}
        statusOptions={statusOptions}
        onStatus={(next) => url.set({ payment: next })}
        onReset={reset}
      />
      <DataTable
        label="Payment History"
        storageName="payments"
        actions={
          <Button tone="primary" size="sm" icon={Plus} onClick={() => setAdding(true)}>
            Add Payment
          </Button>
        }
        columns={columns}
        rows={list.rows}
        rowId={(payment) => payment.id}
        rowLabel={(payment) => `${payment.userName}, ${payment.amount} USDT`}
        loadingLabel="Loading payments..."
        more={list}
        {...failureOf(list, 'Failed to fetch payments')}
        empty={
          isFiltered ? (
            <EmptyState title="No payment matches" action={<Button onClick={reset}>Reset filters</Button>} />
          ) : (
            <EmptyState title="No payments yet">
              They come with the first bill marked as paid, or are written down by Add Payment.
            </EmptyState>
          )
        }
      />
      {isAdding && <AddPaymentDialog onClose={() => setAdding(false)} />}
      {decided && (
        <DecideDialog subject={{ kind: 'payment', payment: decided }} onClose={() => setDecided(undefined)} />
      )}
    </div>
  )
}
