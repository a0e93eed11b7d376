import { type BillingPeriod, type BillingTerms, billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { transactionHashSchema } from '@tollgate/contract/billing/debts.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { Notice } from '../../ui/Notice.tsx'
import { statusLook } from '../../ui/status.ts'
import { AddressChecks, useAddressCheck } from '../payments/AddressChecks.tsx'
import { describeCost, formatBillingPeriod } from '../../money/bill-text.ts'
import { HashField } from '../payments/HashField.tsx'
import { PayTo } from '../payments/PayTo.tsx'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../../money/queries.ts'
import { ExplorerLink } from '../payments/TransactionHash.tsx'
import { formatWords } from '../../format/sentences.ts'
import { t, joined } from '../../language/t.ts'

const formSchema = z.object({ transactionHash: transactionHashSchema })

interface MarkAsPaidDialogProps {
  readonly bill: BillingPeriod
  readonly onClose: () => void
}

/** Spec §4: asks for a transaction hash. A second person approves the hash that the first person entered. */
export function MarkAsPaidDialog({ bill, onClose }: MarkAsPaidDialogProps) {
  const terms = useTerms(`billing_period ${bill.id}`)
  const gate = useAddressCheck(bill)
  const form = useApiForm(formSchema, { transactionHash: bill.approval ? (bill.paymentTxHash ?? '') : '' })
  const hash = useWatch({ control: form.control, name: 'transactionHash' })
  const isApproval = bill.approval !== null
  return (
    <SaveDialog
      onClose={onClose}
      title={isApproval ? t('Approve Payment') : t('Mark as Paid')}
      description={`${bill.userName} · ${formatBillingPeriod(bill)} · ${describeCost(bill)}`}
      width="lg"
      isFullOnPhone
      consequence={consequenceOf(bill, terms.data)}
      form={form}
      route={billingRoutes.payPeriod}
      refetch={moneyPaths}
      success={paidWords(bill, terms.data)}
      callOf={(body) => ({ params: { id: bill.id }, body })}
      submitLabel={isApproval ? t('Approve') : t('Mark as Paid')}
      isDisabled={gate.isClosed}
      failure={isApproval ? t('Payment not approved') : t('Not marked as paid')}
    >
      <PayTo amount={bill.dueAmount} address={bill.usdtAddress} isSent={isApproval} />
      <AddressChecks gate={gate} />
      {bill.status === 'failed' && (
        <Notice
          tone="warn"
          title={
            bill.paymentVerification === null
              ? t('The last payment was refused')
              : t('The last payment: {result}', {
                  result: statusLook('paymentCheck', bill.paymentVerification).label,
                })
          }
        >
          {bill.verificationNote === ''
            ? t('Enter the hash of the transfer that pays it.')
            : formatWords(bill.verificationNote)}
        </Notice>
      )}
      {terms.data?.isCheckedOnChain === false && (
        <Notice tone="warn" title={t('Not verified on chain')}>
          {t('No TRON node is set. Check the transfer yourself: the bill counts as paid at once.')}
        </Notice>
      )}
      {bill.approval ? (
        <div className="space-y-1">
          <p className="text-xs font-medium text-ink-2">
            {t('Transaction Hash, given by {requestedBy}', { requestedBy: bill.approval.requestedBy })}
          </p>
          <p className="flex items-start justify-between gap-2 rounded-lg border border-line bg-surface-2 px-3 py-2">
            <span className="font-mono break-all">{bill.paymentTxHash}</span>
            <ExplorerLink hash={bill.paymentTxHash ?? ''} />
          </p>
        </div>
      ) : (
        <HashField value={hash} {...fieldOf(form, 'transactionHash')} />
      )}
    </SaveDialog>
  )
}

function paidWords({ approval, dueAmount }: BillingPeriod, terms: BillingTerms | undefined) {
  if (approval === null && needsSecondPerson(dueAmount, terms))
    return { title: t('Approval asked for'), text: t('A second person must approve this payment.') }
  return terms?.isCheckedOnChain === true
    ? {
        title: t('Payment is being verified'),
        text: t('The bill is paid once the transfer is found on chain.'),
      }
    : // Spec §8.
      { title: t('Payment Processed'), text: t('Payment has been marked as paid successfully.') }
}

function consequenceOf({ approval, dueAmount }: BillingPeriod, terms: BillingTerms | undefined): string {
  return joined(
    approval === null && secondPersonNote(dueAmount, terms),
    terms?.isCheckedOnChain === true
      ? t('The bill counts as paid once the transfer is verified on chain.')
      : t('The bill counts as paid, unverified.'),
  )
}
