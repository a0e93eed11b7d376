// Adding a number with its own price, changing its stock entry, ending a holding.
import { inventoryInputSchema, inventoryRoutes, type InventoryItem } from '@tollgate/contract/numbers.ts'
import { useState } from 'react'
import { reasonOf } from '../../api/api-error.ts'
import { showFieldFaults, useApiForm } from '../../api/use-api-form.ts'
import { useAct } from '../../api/use-call.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { NumberField, TextField } from '../../ui/Field.tsx'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../lists/SaveFailure.tsx'

// Spec §9: 0.50 USD unless said otherwise.
const emptyItem = { number: '', countryCode: '', operator: '', pricePerSms: '0.50' }

export function AddInventoryDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(inventoryInputSchema, emptyItem)
  const { errors } = form.formState
  const add = useAct(inventoryRoutes.createInventoryItem, {
    refetch: numberPaths,
    success: 'Number added to inventory',
    failure: 'Error',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    add.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add New Premium Number"
      description="A number that is not in the list is added; one that is gets this price."
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="With a price of its own it settles in payouts, not in the weekly bill."
      act={
        <Button tone="primary" type="submit" isBusy={add.isPending} busyLabel="Saving...">
          Add Number
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={add.error} title="Error" />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Phone Number"
            isMono
            inputMode="tel"
            autoComplete="off"
            placeholder="+44 909 879 0142"
            error={errors.number?.message}
            {...form.register('number')}
          />
          <TextField
            label="Country Code"
            placeholder="GB or +44"
            hint="Empty: found from the number"
            error={errors.countryCode?.message}
            {...form.register('countryCode')}
          />
          <TextField label="Operator" error={errors.operator?.message} {...form.register('operator')} />
          <NumberField
            label="Price per SMS (USD)"
            step="0.01"
            min="0"
            error={errors.pricePerSms?.message}
            {...form.register('pricePerSms')}
          />
        </div>
      </div>
    </Dialog>
  )
}

function itemValues({ countryCode, operator, pricePerSms, version }: InventoryItem) {
  return { countryCode, operator, pricePerSms, version }
}

interface EditInventoryDialogProps {
  readonly opened: InventoryItem
  /** The row as the list has it now: fetched again after a refusal. */
  readonly latest: InventoryItem | undefined
  readonly onClose: () => void
}

export function EditInventoryDialog({ opened, latest, onClose }: EditInventoryDialogProps) {
  const form = useApiForm(inventoryRoutes.editInventoryItem.body, itemValues(opened))
  const { errors } = form.formState
  const save = useAct(inventoryRoutes.editInventoryItem, {
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
      form.reset(itemValues(latest))
      save.reset()
    },
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Edit Number"
      description={<span className="phone-number">{formatPhone(opened.number)}</span>}
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="Records already stored keep the price they were taken with."
      act={
        <Button tone="primary" type="submit" isBusy={save.isPending} busyLabel="Saving...">
          Save Changes
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={save.error} title="Failed to update number" {...takeSaved} />
        <NumberField
          label="Price per SMS (USD)"
          step="0.01"
          min="0"
          hint="Empty: no price of its own; it settles in the weekly bill at its holder's rate."
          error={errors.pricePerSms?.message}
          {...form.register('pricePerSms')}
        />
        <TextField label="Operator" error={errors.operator?.message} {...form.register('operator')} />
        <TextField
          label="Country Code"
          error={errors.countryCode?.message}
          {...form.register('countryCode')}
        />
      </div>
    </Dialog>
  )
}

interface UnassignDialogProps {
  readonly item: InventoryItem
  readonly onClose: () => void
}

export function UnassignDialog({ item, onClose }: UnassignDialogProps) {
  const [reason, setReason] = useState<string>()
  const unassign = useAct(inventoryRoutes.unassignNumber, {
    refetch: numberPaths,
    success: 'Number unassigned successfully',
    failure: 'Failed to unassign number',
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Unassign ${formatPhone(item.number)}?`}
      act="Unassign"
      busyLabel="Unassigning..."
      isBusy={unassign.isPending}
      error={reason}
      onConfirm={() =>
        unassign.mutate({ params: { id: item.id } }, { onError: (error) => setReason(reasonOf(error)) })
      }
    >
      {item.assignedUsername === '' ? `User ${item.assignedTo ?? ''}` : item.assignedUsername} holds it until
      now. Its earlier records and what they earned stay; from now on its messages earn nobody anything.
    </ConfirmDialog>
  )
}
