// Adding, changing and deleting a number under management.
import { numbersRoutes, premiumNumberInputSchema, type PremiumNumber } from '@tollgate/contract/numbers.ts'
import { useState } from 'react'
import { reasonOf } from '../../api/api-error.ts'
import { showFieldFaults, useApiForm } from '../../api/use-api-form.ts'
import { useAct } from '../../api/use-call.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../lists/SaveFailure.tsx'
import { emptyNumber, formValues, NumberFields } from './NumberFields.tsx'

export function AddPremiumNumberDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(premiumNumberInputSchema, emptyNumber)
  const add = useAct(numbersRoutes.createPremiumNumber, {
    refetch: numberPaths,
    success: 'Number added successfully',
    failure: 'Failed to add number',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    add.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add Premium Number"
      description="Messages to it are taken from the moment it is saved."
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="Has no price of its own: what it earns goes into the weekly bill of whoever holds it."
      act={
        <Button tone="primary" type="submit" isBusy={add.isPending} busyLabel="Saving...">
          Add Number
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={add.error} title="Failed to add number" />
        <NumberFields form={form} />
      </div>
    </Dialog>
  )
}

interface EditNumberDialogProps {
  /** The row as it was when the dialog opened. */
  readonly opened: PremiumNumber
  /** The row as the list has it now: fetched again after a refusal. */
  readonly latest: PremiumNumber | undefined
  readonly onClose: () => void
}

export function EditNumberDialog({ opened, latest, onClose }: EditNumberDialogProps) {
  const form = useApiForm(premiumNumberInputSchema, formValues(opened))
  const save = useAct(numbersRoutes.replacePremiumNumber, {
    refetch: numberPaths,
    success: 'Number updated successfully',
    failure: 'Failed to update number',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    save.mutate(
      { params: { id: opened.id }, body },
      { onError: (error) => void showFieldFaults(form, error) },
    ),
  )
  const takeSaved = latest && {
    onTakeSaved: () => {
      form.reset(formValues(latest))
      save.reset()
    },
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Edit Number"
      description={<span className="phone-number">{formatPhone(opened.number)}</span>}
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="Records already stored keep the rate they were taken with."
      act={
        <Button tone="primary" type="submit" isBusy={save.isPending} busyLabel="Saving...">
          Save Changes
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={save.error} title="Failed to update number" {...takeSaved} />
        <NumberFields form={form} />
      </div>
    </Dialog>
  )
}

interface DeleteNumberDialogProps {
  readonly number: PremiumNumber
  readonly onClose: () => void
}

export function DeleteNumberDialog({ number, onClose }: DeleteNumberDialogProps) {
  const [reason, setReason] = useState<string>()
  const shown = formatPhone(number.number)
  const remove = useAct(numbersRoutes.deletePremiumNumber, {
    refetch: numberPaths,
    success: 'Number deleted successfully',
    failure: 'Failed to delete number',
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${shown}?`}
      typed={{ word: shown, label: 'Type the number to confirm' }}
      act="Delete"
      busyLabel="Deleting..."
      isBusy={remove.isPending}
      error={reason}
      onConfirm={() =>
        remove.mutate({ params: { id: number.id } }, { onError: (error) => setReason(reasonOf(error)) })
      }
    >
      Messages to it will be refused from now on, and whoever holds it loses it. Its records and their bills
      stay.
    </ConfirmDialog>
  )
}
