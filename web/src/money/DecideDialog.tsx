// A person's word on a payment that differs, waits, or is not found on chain.
import {
  billingRoutes,
  decisionSchema,
  type BillingPeriod,
  type Payment,
  type Payout,
} from '@tollgate/contract/billing.ts'
import { showFieldFaults, useApiForm } from '../api/use-api-form.ts'
import { useAct } from '../api/use-call.ts'
import { formatUsdt } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { SaveFailure } from '../lists/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SelectField, TextAreaField } from '../ui/Field.tsx'
import { periodOf } from './bill-words.ts'
import { moneyPaths } from './queries.ts'
import { CheckNote, TransactionHash } from './TransactionHash.tsx'

type Subject =
  | { readonly kind: 'bill'; readonly bill: BillingPeriod }
  | { readonly kind: 'payout'; readonly payout: Payout }
  | { readonly kind: 'payment'; readonly payment: Payment }

interface DecideDialogProps {
  readonly subject: Subject
  readonly onClose: () => void
}

function factsOf(subject: Subject) {
  switch (subject.kind) {
    case 'bill':
      return {
        ...subject.bill,
        of: periodOf(subject.bill),
        amount: subject.bill.totalCost,
        hash: subject.bill.paymentTxHash,
      }
    case 'payout':
      return {
        ...subject.payout,
        of: formatPhone(subject.payout.number),
        hash: subject.payout.transactionHash,
      }
    case 'payment':
      return {
        ...subject.payment,
        of: 'payment outside the bills',
        hash: subject.payment.transactionHash || null,
        approval: null,
      }
  }
}

function routeOf({ kind }: Subject) {
  if (kind === 'bill') return billingRoutes.decidePeriodPayment
  return kind === 'payout' ? billingRoutes.decidePayoutPayment : billingRoutes.decidePayment
}

const idOf = (subject: Subject) =>
  subject.kind === 'bill'
    ? subject.bill.id
    : subject.kind === 'payout'
      ? subject.payout.id
      : subject.payment.id

export function DecideDialog({ subject, onClose }: DecideDialogProps) {
  const facts = factsOf(subject)
  // A payment of another amount may be taken as it is; outside the bills nobody else confirms it.
  const mayAccept =
    subject.kind === 'payment' ||
    facts.paymentVerification === 'underpaid' ||
    facts.paymentVerification === 'overpaid'
  const form = useApiForm(decisionSchema, { action: mayAccept ? 'accept' : 'reject', reason: '' })
  const { errors, isDirty } = form.formState
  const decide = useAct(routeOf(subject), {
    refetch: moneyPaths,
    failure: 'Not decided',
    success: 'The decision is saved',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    decide.mutate(
      { params: { id: idOf(subject) }, body },
      { onError: (error) => void showFieldFaults(form, error) },
    ),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Decide on Payment"
      description={`${facts.userName} · ${facts.of} · ${formatUsdt(facts.amount)}`}
      width="md"
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      consequence={
        mayAccept
          ? 'Accepting counts it as paid in full. Rejecting frees it to be paid by another transfer.'
          : 'It can then be paid by another transfer. One that is looked for on chain can be rejected after 24 hours.'
      }
      act={
        <Button tone="primary" type="submit" isBusy={decide.isPending} busyLabel="Saving...">
          Save decision
        </Button>
      }
    >
      <div className="space-y-4">
        {decide.error && !errors.reason && <SaveFailure error={decide.error} title="Not decided" />}
        <Pairs
          items={[
            ...(facts.hash === null
              ? []
              : [{ label: 'Transaction Hash', value: <TransactionHash hash={facts.hash} isForStaff /> }]),
            ...(facts.paymentVerification === null
              ? []
              : [
                  {
                    label: 'Check on chain',
                    value: (
                      <CheckNote verification={facts.paymentVerification} note={facts.verificationNote} />
                    ),
                  },
                ]),
            ...(facts.approval === null
              ? []
              : [{ label: 'Approval asked by', value: facts.approval.requestedBy }]),
          ]}
        />
        <SelectField
          label="Decision"
          options={[
            ...(mayAccept ? [{ value: 'accept', label: 'Accept' }] : []),
            { value: 'reject', label: 'Reject' },
          ]}
          {...form.register('action')}
        />
        <TextAreaField
          label="Reason"
          rows={3}
          maxLength={500}
          error={errors.reason?.message}
          {...form.register('reason')}
        />
      </div>
    </Dialog>
  )
}
