import type { BillingTerms } from '@tollgate/contract/billing/bills.ts'
import { transactionHashSchema } from '@tollgate/contract/billing/debts.ts'
import { type Payout, payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { lineSchema } from '@tollgate/contract/fields.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { AddressChecks, useAddressCheck } from '../payments/AddressChecks.tsx'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { HashField } from '../payments/HashField.tsx'
import { PayTo } from '../payments/PayTo.tsx'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../../money/queries.ts'
import { ExplorerLink } from '../payments/TransactionHash.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { t } from '../../language/t.ts'

const formSchema = z.object({
  transactionHash: z.union([z.literal(''), transactionHashSchema]),
  reason: lineSchema(500),
})

interface ProcessPayoutDialogProps {
  readonly payout: Payout
  readonly onClose: () => void
}

/**
 * Processes one payout, with its transaction hash if there is one. A second person approves the hash of the first
 * person.
 */
export function ProcessPayoutDialog({ payout, onClose }: ProcessPayoutDialogProps) {
  const terms = useTerms(`payout ${payout.id}`).data
  const gate = useAddressCheck(payout)
  const isApproval = payout.approval !== null
  const form = useApiForm(formSchema, {
    transactionHash: isApproval ? (payout.transactionHash ?? '') : '',
    reason: '',
  })
  const hash = useWatch({ control: form.control, name: 'transactionHash' })
  return (
    <SaveDialog
      onClose={onClose}
      title={isApproval ? t('Approve Payout') : t('Process Payout')}
      description={t('{userName} · {number} · {payout} · {smsCount} SMS', {
        userName: payout.userName,
        number: formatPhone(payout.number),
        payout: formatBillingPeriod(payout),
        smsCount: formatCount(payout.smsCount),
      })}
      width="lg"
      isFullOnPhone
      consequence={consequenceOf(payout, terms)}
      form={form}
      route={payoutRoutes.processPayout}
      refetch={moneyPaths}
      success={processedWords(payout, hash, terms)}
      callOf={({ reason, ...body }) => ({
        params: { id: payout.id },
        body: reason === '' ? body : { ...body, reason },
      })}
      submitLabel={isApproval ? t('Approve') : t('Process')}
      busyLabel={t('Processing...')}
      isDisabled={gate.isClosed}
      failure={t('Failed to process payout')}
    >
      {payout.usdtAddress === '' ? (
        <Notice
          tone="warn"
          title={t('No USDT address for {dueAmount}', { dueAmount: formatUsdt(payout.dueAmount) })}
        >
          {t('The client has not given one. Process it only if it was paid in another way.')}
        </Notice>
      ) : (
        <>
          <PayTo amount={payout.dueAmount} address={payout.usdtAddress} isSent={isApproval} />
          <AddressChecks gate={gate} />
        </>
      )}
      {isApproval ? (
        <EnteredHash payout={payout} />
      ) : (
        <HashField value={hash} isOptional {...fieldOf(form, 'transactionHash')} />
      )}
      {!isApproval && terms?.isCheckedOnChain === true && hash === '' && (
        <TextField label={t('Reason without a hash')} maxLength={500} {...fieldOf(form, 'reason')} />
      )}
    </SaveDialog>
  )
}

function EnteredHash({ payout: { approval, transactionHash } }: { payout: Payout }) {
  return (
    <div className="space-y-1">
      <p className="text-xs font-medium text-ink-2">
        {t('Transaction Hash, given by {requestedBy}', { requestedBy: approval?.requestedBy })}
      </p>
      <p className="flex items-start justify-between gap-2 rounded-lg border border-line bg-surface-2 px-3 py-2">
        <span className="font-mono break-all">{transactionHash ?? t('none given')}</span>
        {transactionHash !== null && <ExplorerLink hash={transactionHash} />}
      </p>
    </div>
  )
}

function processedWords({ dueAmount, approval }: Payout, hash: string, terms: BillingTerms | undefined) {
  const isByWord = terms?.isCheckedOnChain === true && hash === ''
  if (approval === null && (isByWord || needsSecondPerson(dueAmount, terms)))
    return { title: t('Approval asked for'), text: t('A second person must approve this payout.') }
  return terms?.isCheckedOnChain === true && hash !== ''
    ? {
        title: t('Payout is being verified'),
        text: t('It is completed once the transfer is found on chain.'),
      }
    : // Spec §8.
      t('Payout processed successfully')
}

function consequenceOf({ dueAmount, approval }: Payout, terms: BillingTerms | undefined): string {
  if (approval === null && needsSecondPerson(dueAmount, terms)) return secondPersonNote(dueAmount, terms)
  return terms?.isCheckedOnChain === true
    ? t(
        'With a hash it is completed once verified on chain; without one a second person agrees to the reason.',
      )
    : t('It is completed at once, unverified.')
}
