import { type Payment, paymentRoutes } from '@tollgate/contract/billing/payments.ts'
import { paymentStatuses } from '@tollgate/contract/vocabulary.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { urlOf } from '../../api/call.ts'
import { useUser } from '../../api/session.tsx'
import { formatDay } from '../../format/dates.ts'
import { useApiPages } from '../../api/use-api.ts'
import { DecidePaymentDialog } from './DecidePaymentDialog.tsx'
import { moneyPollMs } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { statusLook } from '../../ui/status.ts'
import { useUrlState } from '../../url-state.ts'
import { AddPaymentDialog } from './AddPaymentDialog.tsx'
import { MoneyList } from '../../money/MoneyList.tsx'
import { paymentColumns, type PaymentAction } from './payment-columns.tsx'
import { ReplaceHashDialog } from './ReplaceHashDialog.tsx'
import { paymentManagementSearch } from '../search.ts'
import { t } from '../../language/t.ts'

/** All payments: of bills, of payouts, and outside both. */
export function PaymentHistory() {
  const url = useUrlState(paymentManagementSearch)
  const { text, payment: status, paidFrom, paymentSort: sort, paymentOrder: order } = url.state
  const filters = {
    search: text,
    status: status === 'all' ? undefined : status,
    from: paidFrom === '' ? undefined : paidFrom,
  }
  const list = useApiPages(
    paymentRoutes.listPayments,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [isAdding, setAdding] = useState(false)
  const [dialog, setDialog] = useState<{ readonly action: PaymentAction; readonly payment: Payment }>()
  const { username } = useUser()
  const columns = useMemo(() => paymentColumns((action, payment) => setDialog({ action, payment })), [])
  const close = () => setDialog(undefined)
  return (
    <>
      <MoneyList
        url={url}
        names={{ search: 'text', status: 'payment', sort: 'paymentSort', order: 'paymentOrder' }}
        placeholder={t('User, address, hash or notes')}
        statuses={paymentStatuses}
        statusLabel={(word) => statusLook('payment', word).label}
        chipLabels={{ paidFrom: (day) => t('From {day} UTC', { day: formatDay(day) }) }}
        label={t('Payment History')}
        storageName="payments"
        actions={
          <Button tone="primary" size="sm" icon={Plus} onClick={() => setAdding(true)}>
            {t('Add Payment')}
          </Button>
        }
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={({ userName, amount }) => `${userName}, ${amount} USDT`}
        loadingLabel={t('Loading payments...')}
        failure={t('Failed to fetch payments')}
        exportHref={urlOf(paymentRoutes.exportPayments, { query: filters })}
        empty={{
          title: t('No payments yet'),
          text: t('They come with the first bill marked as paid, or are written down by Add Payment.'),
          filtered: t('No payment matches'),
        }}
      />
      {isAdding && <AddPaymentDialog onClose={() => setAdding(false)} />}
      {dialog?.action === 'decide' && (
        <DecidePaymentDialog subject={{ kind: 'payment', payment: dialog.payment }} onClose={close} />
      )}
      {dialog?.action === 'replaceHash' && (
        <ReplaceHashDialog
          payment={dialog.payment}
          isOwn={dialog.payment.enteredBy === username}
          onClose={close}
        />
      )}
    </>
  )
}
