import { decisionSchema, type billingRoutes } from '@tollgate/contract/billing.ts'
import type { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import type { treasuryTransferRoutes } from '@tollgate/contract/treasury-transfers.ts'
import { showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { Button } from '../../ui/Button.tsx'
import { Pairs, type Pair } from '../../ui/Card.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField, TextAreaField } from '../../ui/Field.tsx'
import { moneyPaths } from '../../money/queries.ts'

interface DecisionDialogProps {
  readonly title: string
  readonly description: string
  /** What the decision causes. */
  readonly consequence: string
  /** The facts about the bill, payout, payment or adjustment. */
  readonly facts: readonly Pair[]
  readonly mayAccept: boolean
  readonly rejectLabel?: string
  readonly route:
    | typeof billingRoutes.decidePeriodPayment
    | typeof billingRoutes.decidePayoutPayment
    | typeof billingRoutes.decidePayment
    | typeof treasuryRoutes.decideAdjustment
    | typeof treasuryTransferRoutes.decideTransfer
  readonly id: string
  readonly onClose: () => void
}

/** Accept or reject with a reason, where money waits for a decision. */
export function DecisionDialog(props: DecisionDialogProps) {
  const {
    title,
    description,
    consequence,
    facts,
    mayAccept,
    rejectLabel = 'Reject',
    route,
    id,
    onClose,
  } = props
  const form = useApiForm(decisionSchema, { action: mayAccept ? 'accept' : 'reject', reason: '' })
  const { errors, isDirty } = form.formState
  const decide = useApiMutation(route, {
    refetch: moneyPaths,
    failure: 'Not decided',
    success: 'The decision is saved',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    decide.mutate({ params: { id }, body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      width="md"
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      consequence={consequence}
      action={
        <Button tone="primary" type="submit" isBusy={decide.isPending} busyLabel="Saving...">
          Save decision
        </Button>
      }
    >
      <div className="space-y-4">
        {!errors.reason && <SaveFailure error={decide.error} title="Not decided" />}
        <Pairs items={facts} />
        <SelectField
          label="Decision"
          options={[
            ...(mayAccept ? [{ value: 'accept', label: 'Accept' }] : []),
            { value: 'reject', label: rejectLabel },
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
