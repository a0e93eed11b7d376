// Adding, changing and deleting a range: for staff.
import { rangeInputSchema, rangesRoutes, type NumberRange } from '@tollgate/contract/ranges.ts'
import { accountStatuses } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { reasonOf } from '../../api/api-error.ts'
import { showFieldFaults, useApiForm } from '../../api/use-api-form.ts'
import { useAct } from '../../api/use-call.ts'
import { formatPhone } from '../../format/phone.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { NumberField, SelectField, TextField } from '../../ui/Field.tsx'
import { statusLook } from '../../ui/status.ts'
import { numberPaths } from '../queries.ts'
import { SaveFailure } from '../../lists/SaveFailure.tsx'

// A number without a tariff of its own shows its range's.
const touched = ['/api/ranges', ...numberPaths]

type Input = z.input<typeof rangeInputSchema>
type RangeForm = UseFormReturn<Input, unknown, z.output<typeof rangeInputSchema>>

const emptyRange: Input = {
  rangeNumber: '',
  startNumber: '',
  endNumber: '',
  description: '',
  rate: '0.00',
  status: 'active',
}

function formValues(range: NumberRange): Input {
  const { rangeNumber, startNumber, endNumber, description, rate, status, version } = range
  return {
    rangeNumber,
    startNumber: formatPhone(startNumber),
    endNumber: formatPhone(endNumber),
    description,
    rate,
    status,
    version,
  }
}

function RangeFields({ form }: { form: RangeForm }) {
  const { errors } = form.formState
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Range Number"
        placeholder="0900"
        error={errors.rangeNumber?.message}
        {...form.register('rangeNumber')}
      />
      <NumberField
        label="Rate (₪)"
        step="0.01"
        min="0"
        hint="What its callers pay"
        error={errors.rate?.message}
        {...form.register('rate')}
      />
      <TextField
        label="Start Number"
        isMono
        inputMode="tel"
        autoComplete="off"
        error={errors.startNumber?.message}
        {...form.register('startNumber')}
      />
      <TextField
        label="End Number"
        isMono
        inputMode="tel"
        autoComplete="off"
        hint="The last number that belongs to it"
        error={errors.endNumber?.message}
        {...form.register('endNumber')}
      />
      <SelectField
        label="Status"
        options={accountStatuses.map((value) => ({ value, label: statusLook('account', value).label }))}
        error={errors.status?.message}
        {...form.register('status')}
      />
      <TextField label="Description" error={errors.description?.message} {...form.register('description')} />
    </div>
  )
}

export function AddRangeDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(rangeInputSchema, emptyRange)
  const add = useAct(rangesRoutes.createRange, {
    refetch: touched,
    success: 'Range added successfully',
    failure: 'Failed to add range',
    onSuccess: onClose,
  })
  const submit = form.handleSubmit((body) =>
    add.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Add Range"
      description="Numbers inside it take its rate unless they have their own."
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      act={
        <Button tone="primary" type="submit" isBusy={add.isPending} busyLabel="Saving...">
          Add Range
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={add.error} title="Failed to add range" />
        <RangeFields form={form} />
      </div>
    </Dialog>
  )
}

interface EditRangeDialogProps {
  readonly opened: NumberRange
  /** The row as the list has it now: fetched again after a refusal. */
  readonly latest: NumberRange | undefined
  readonly onClose: () => void
}

export function EditRangeDialog({ opened, latest, onClose }: EditRangeDialogProps) {
  const form = useApiForm(rangeInputSchema, formValues(opened))
  const save = useAct(rangesRoutes.replaceRange, {
    refetch: touched,
    success: 'Range updated successfully',
    failure: 'Failed to update range',
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
      title="Edit Range"
      description={opened.rangeNumber}
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      consequence="Records already stored keep the range and rate they were taken with."
      act={
        <Button tone="primary" type="submit" isBusy={save.isPending} busyLabel="Saving...">
          Save Changes
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={save.error} title="Failed to update range" {...takeSaved} />
        <RangeFields form={form} />
      </div>
    </Dialog>
  )
}

interface DeleteRangeDialogProps {
  readonly range: NumberRange
  readonly onClose: () => void
}

export function DeleteRangeDialog({ range, onClose }: DeleteRangeDialogProps) {
  const [reason, setReason] = useState<string>()
  const remove = useAct(rangesRoutes.deleteRange, {
    refetch: touched,
    success: 'Range deleted successfully',
    failure: 'Failed to delete range',
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete range ${range.rangeNumber}?`}
      typed={{ word: range.rangeNumber, label: 'Type the range number to confirm' }}
      act="Delete"
      busyLabel="Deleting..."
      isBusy={remove.isPending}
      error={reason}
      onConfirm={() =>
        remove.mutate({ params: { id: range.id } }, { onError: (error) => setReason(reasonOf(error)) })
      }
    >
      Its numbers stay in the list, but those without a rate of their own cost their callers nothing more
      under it. Records keep its name.
    </ConfirmDialog>
  )
}
