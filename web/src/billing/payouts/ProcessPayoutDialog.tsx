import type { BillingTerms } from '@tollgate/contract/billing.ts'
import { transactionHashSchema } from '@tollgate/contract/debts.ts'
import { type Payout, payoutRoutes } from '@tollgate/contract/payouts.ts'
import { lineSchema } from '@tollgate/contract/fields.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { SaveDialog } from '../../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { AddressChecks, useAddressCheck } from '../payments/AddressChecks.tsx'
import { formatBillingPeriod } from '../bill-text.ts'
import { HashField } from '../payments/HashField.tsx'
import { PayTo } from '../payments/PayTo.tsx'
import { moneyPaths, needsSecondPerson, secondPersonNote, useTerms } from '../../money/queries.ts'
import { ExplorerLink } from '../payments/TransactionHash.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'

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
      title={isApproval ? 'Approve Payout' : 'Process Payout'}
      description={`${payout.userName} · ${formatPhone(payout.number)} · ${formatBillingPeriod(payout)} · ${formatCount(payout.smsCount)} SMS`}
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
      submitLabel={isApproval ? 'Approve' : 'Process'}
      busyLabel="Processing..."
      isDisabled={gate.isClosed}
      failure="Failed to process payout"
    >
      {payout.usdtAddress === '' ? (
        <Notice tone="warn" title={`No USDT address for ${formatUsdt(payout.dueAmount)}`}>
          The client has not given one. Process it only if it was paid in another way.
        </Notice>
      ) : (
        <>
          <PayTo amount={payout.dueAmount} address={payout.usdtAddress} isSent={isApproval} />
          <AddressChecks gate={gate} />
        </>
      )}
      {isApproval ? (
        <GivenHash payout={payout} />
      ) : (
        <HashField value={hash} isOptional {...fieldOf(form, 'transactionHash')} />
      )}
      {!isApproval && terms?.isCheckedOnChain === true && hash === '' && (
        <TextField label="Reason without a hash" maxLength={500} {...fieldOf(form, 'reason')} />
      )}
    </SaveDialog>
  )
}

function GivenHash({ payout: { approval, transactionHash } }: { payout: Payout }) {
  return (
    <div className="space-y-1">
      <p className="text-xs font-medium text-ink-2">Transaction Hash, given by {approval?.requestedBy}</p>
      <p className="flex items-start justify-between gap-2 rounded-lg border border-line bg-surface-2 px-3 py-2">
        <span className="font-mono break-all">{transactionHash ?? 'none given'}</span>
        {transactionHash !== null && <ExplorerLink hash={transactionHash} />}
      </p>
    </div>
  )
}

function processedWords({ dueAmount, approval }: Payout, hash: string, terms: BillingTerms | undefined) {
  const isByWord = terms?.isCheckedOnChain === true && hash === ''
  if (approval === null && (isByWord || needsSecondPerson(dueAmount, terms)))
    return { title: 'Approval asked for', text: 'A second person must approve this payout.' }
  return terms?.isCheckedOnChain === true && hash !== ''
    ? { title: 'Payout is being verified', text: 'It is completed once the transfer is found on chain.' }
    : // Spec §8.
      'Payout processed successfully'
}

function consequenceOf({ dueAmount, approval }: Payout, terms: BillingTerms | undefined): string {
  if (approval === null && needsSecondPerson(dueAmount, terms))
    return secondPersonNote(dueAmount, terms, 'approves').trim()
  return terms?.isCheckedOnChain === true
    ? 'With a hash it is completed once verified on chain; without one a second person agrees to the reason.'
    : 'It is completed at once, unverified.'
}
