import { decisionSchema } from '@tollgate/contract/billing.ts'
import { treasuryRoutes, type Adjustment } from '@tollgate/contract/treasury.ts'
import { showFieldFaults, useApiForm } from '../api/use-api-form.ts'
import { useAct } from '../api/use-call.ts'
import { formatDateTime } from '../format/dates.ts'
import { SaveFailure } from '../lists/SaveFailure.tsx'
import { moneyPaths } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SelectField, TextAreaField } from '../ui/Field.tsx'
import { SignedAmount } from './SignedAmount.tsx'

interface DecideAdjustmentDialogProps {
  readonly adjustment: Adjustment
  /** The viewer asked for it, so somebody else must accept it. */
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** A second person's word on an adjustment above the limit. */
export function DecideAdjustmentDialog({ adjustment, isOwn, onClose }: DecideAdjustmentDialogProps) {
  const form = useApiForm(decisionSchema, { action: isOwn ? 'reject' : 'accept', reason: '' })
  const { errors, isDirty } = form.formState
  const decide = useAct(treasuryRoutes.decideAdjustment, {
    refetch: moneyPaths,
    failure: 'Not decided',
    success: 'The decision is saved',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    decide.mutate(
      { params: { id: adjustment.id }, body },
      { onError: (error) => void showFieldFaults(form, error) },
    ),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Decide on Adjustment"
      description={`${adjustment.userName}: ${adjustment.reason}`}
      width="md"
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      consequence={
        isOwn
          ? 'You asked for it: a second person accepts it. You can take it back.'
          : 'Accepted, it counts in the client’s open period.'
      }
      act={
        <Button tone="primary" type="submit" isBusy={decide.isPending} busyLabel="Saving...">
          Save decision
        </Button>
      }
    >
      <div className="space-y-4">
        {!errors.reason && <SaveFailure error={decide.error} title="Not decided" />}
        <Pairs
          items={[
            { label: 'Amount', value: <SignedAmount value={adjustment.amount} /> },
            {
              label: 'Asked by',
              value: `${adjustment.requestedBy}, ${formatDateTime(adjustment.createdAt)}`,
            },
            ...(adjustment.reference === ''
              ? []
              : [{ label: 'Reference', value: <span className="font-mono">{adjustment.reference}</span> }]),
          ]}
        />
        <SelectField
          label="Decision"
          options={[
            ...(isOwn ? [] : [{ value: 'accept', label: 'Accept' }]),
            { value: 'reject', label: isOwn ? 'Take back' : 'Reject' },
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
