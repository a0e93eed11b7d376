import { reasonSchema, transactionHashSchema } from '@tollgate/contract/billing/debts.ts'
import { paymentRoutes, type Payment } from '@tollgate/contract/billing/payments.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { byAt } from '../../format/by-at.ts'
import { formatUsdt } from '../../format/money.ts'
import { moneyPaths } from '../../money/queries.ts'
import { Pairs } from '../../ui/Card.tsx'
import { ReasonField } from '../../ui/Field.tsx'
import { showToast } from '../../ui/toasts.ts'
import { HashField } from './HashField.tsx'
import { t } from '../../language/t.ts'

const formSchema = z.object({ transactionHash: transactionHashSchema, reason: reasonSchema })

interface ReplaceHashDialogProps {
  readonly payment: Payment
  /** The viewer has entered the hash that it has now. */
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** Gives a payment the right hash. The old one is still looked up. */
export function ReplaceHashDialog({ payment, isOwn, onClose }: ReplaceHashDialogProps) {
  const form = useApiForm(formSchema, { transactionHash: '', reason: '' })
  const hash = useWatch({ control: form.control, name: 'transactionHash' })
  const onSaved = ({ approval }: Payment) => {
    showToast(
      approval === null
        ? { title: t('Success'), text: t('The hash is replaced') }
        : { title: t('Approval asked for'), text: t('A second person must approve the new hash.') },
    )
    onClose()
  }
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Replace hash')}
      description={`${payment.userName} · ${formatUsdt(payment.amount)}`}
      width="md"
      isFullOnPhone
      consequence={consequenceOf(payment, isOwn)}
      form={form}
      route={paymentRoutes.replacePaymentHash}
      refetch={moneyPaths}
      callOf={(body) => ({ params: { id: payment.id }, body })}
      onSaved={onSaved}
      submitLabel={t('Replace hash')}
      failure={t('Not replaced')}
    >
      <Pairs
        items={[
          {
            label: t('Hash now'),
            value: <span className="font-mono text-xs break-all">{payment.transactionHash}</span>,
          },
          { label: t('Entered'), value: byAt(payment.enteredBy, payment.createdAt) },
        ]}
      />
      <HashField value={hash} {...fieldOf(form, 'transactionHash')} />
      <ReasonField rows={2} {...fieldOf(form, 'reason')} />
    </SaveDialog>
  )
}

function consequenceOf({ approval, paymentVerification }: Payment, isOwn: boolean): string {
  if (approval !== null)
    return t('The payment waits for approval with the new hash. You cannot approve it yourself.')
  const isByWord = paymentVerification === 'unverified'
  if (isOwn)
    return isByWord
      ? t('You entered this hash, and nobody can look it up: a second person replaces it.')
      : t(
          'You entered this hash: you can replace it after ten minutes if the network has not seen it. A second person can at once.',
        )
  return isByWord
    ? t('What is written down is corrected. Nothing is paid by it.')
    : t(
        'The new hash is looked up now. The old one is looked up too: a transfer that turns up under it is booked.',
      )
}
