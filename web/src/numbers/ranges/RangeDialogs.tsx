// Adds, changes or deletes a range; for staff.
import { rangeInputSchema, rangesRoutes, type NumberRange } from '@tollgate/contract/ranges.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatPhone } from '../../format/phone.ts'
import { NumberField, PhoneField, TextField } from '../../ui/Field.tsx'
import { rangePaths } from '../queries.ts'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { SaveDialog, type EditDialogProps } from '../../api/SaveDialog.tsx'
import { AccountStatusField } from '../../ui/account-status.tsx'
import { t } from '../../language/t.ts'

type RangeInput = z.input<typeof rangeInputSchema>
type RangeForm = UseFormReturn<RangeInput, unknown, z.output<typeof rangeInputSchema>>

const emptyRange: RangeInput = {
  rangeNumber: '',
  startNumber: '',
  endNumber: '',
  description: '',
  rate: '0.00',
  status: 'active',
}

function rangeFormValues(range: NumberRange): RangeInput {
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
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label={t('Range Number')} placeholder="0900" {...fieldOf(form, 'rangeNumber')} />
      <NumberField
        label={t('Rate (₪)')}
        step="0.01"
        min="0"
        hint={t('What its callers pay')}
        {...fieldOf(form, 'rate')}
      />
      <PhoneField label={t('Start Number')} {...fieldOf(form, 'startNumber')} />
      <PhoneField
        label={t('End Number')}
        hint={t('The last number that belongs to it')}
        {...fieldOf(form, 'endNumber')}
      />
      <AccountStatusField {...fieldOf(form, 'status')} />
      <TextField label={t('Description')} {...fieldOf(form, 'description')} />
    </div>
  )
}

export function AddRangeDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(rangeInputSchema, emptyRange)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Add Range')}
      description={t('Numbers inside it take its rate unless they have their own.')}
      width="md"
      form={form}
      route={rangesRoutes.createRange}
      refetch={rangePaths}
      success={t('Range added successfully')}
      callOf={(body) => ({ body })}
      submitLabel={t('Add Range')}
      failure={t('Failed to add range')}
    >
      <RangeFields form={form} />
    </SaveDialog>
  )
}

export function EditRangeDialog({ opened, latest, onClose }: EditDialogProps<NumberRange>) {
  const form = useApiForm(rangeInputSchema, rangeFormValues(opened))
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Edit Range')}
      description={opened.rangeNumber}
      width="md"
      consequence={t('Records already stored keep the range and rate they were taken with.')}
      form={form}
      route={rangesRoutes.replaceRange}
      refetch={rangePaths}
      success={t('Range updated successfully')}
      callOf={(body) => ({ params: { id: opened.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update range')}
      saved={latest && rangeFormValues(latest)}
    >
      <RangeFields form={form} />
    </SaveDialog>
  )
}

interface DeleteRangeDialogProps {
  readonly range: NumberRange
  readonly onClose: () => void
}

export function DeleteRangeDialog({ range, onClose }: DeleteRangeDialogProps) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Delete range {rangeNumber}?', { rangeNumber: range.rangeNumber })}
      typed={{ word: range.rangeNumber, label: t('Type the range number to confirm') }}
      route={rangesRoutes.deleteRange}
      refetch={rangePaths}
      success={t('Range deleted successfully')}
      failure={t('Failed to delete range')}
      call={{ params: { id: range.id } }}
      confirmLabel={t('Delete')}
      busyLabel={t('Deleting...')}
    >
      {t(
        'Its numbers stay in the list. Those without a rate of their own cost their callers nothing from then on. Records keep its name.',
      )}
    </ConfirmMutation>
  )
}
