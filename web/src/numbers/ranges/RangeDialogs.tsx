// Adds, changes or deletes a range; for staff.
import { tariffInputSchema } from '@tollgate/contract/money.ts'
import { rangeInputSchema, rangesRoutes, type NumberRange } from '@tollgate/contract/numbers/ranges.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { fieldOf, useApiForm } from '../../api/use-api-form.ts'
import { formatTariff } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import { PriceStepNotice, usePriceStep } from '../../money/price-step.tsx'
import { DateTimeField } from '../../ui/DateField.tsx'
import { NumberField, PhoneField, TextField } from '../../ui/Field.tsx'
import { rateStartSchema } from '../../money/rate-start.ts'
import { ScheduledRateNote } from '../../money/ScheduledRateNote.tsx'
import { rangePaths } from '../queries.ts'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { SaveDialog, type EditDialogProps } from '../../api/SaveDialog.tsx'
import { AccountStatusField } from '../../ui/account-status.tsx'
import { t } from '../../language/t.ts'

const formSchema = rangeInputSchema.extend({ startsAt: rateStartSchema })
type RangeInput = z.input<typeof formSchema>
type RangeForm = UseFormReturn<RangeInput, unknown, z.output<typeof formSchema>>

const emptyRange: RangeInput = {
  rangeNumber: '',
  startNumber: '',
  endNumber: '',
  description: '',
  rate: '0.00',
  startsAt: '',
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
    startsAt: '',
    status,
    version,
  }
}

interface RangeFieldsProps {
  readonly form: RangeForm
  /** A range that exists: its tariff may change later. */
  readonly range?: NumberRange
}

function RangeFields({ form, range }: RangeFieldsProps) {
  const status = <AccountStatusField {...fieldOf(form, 'status')} />
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label={t('Range Number')} placeholder="0900" {...fieldOf(form, 'rangeNumber')} />
      {range && status}
      <NumberField
        label={t('Rate (₪)')}
        step="0.01"
        min="0"
        hint={t('What its callers pay')}
        {...fieldOf(form, 'rate')}
      />
      {range && (
        <DateTimeField
          label={t('Starts (UTC)')}
          hint={t('Empty: now, and a rate that waits still starts. A time replaces that one.')}
          {...fieldOf(form, 'startsAt')}
        />
      )}
      {range?.scheduled && (
        <div className="sm:col-span-2">
          <ScheduledRateNote
            scheduled={range.scheduled}
            of={range.rangeNumber}
            format={formatTariff}
            route={rangesRoutes.cancelScheduledTariff}
            call={{ params: { id: range.id } }}
            refetch={rangePaths}
          />
        </div>
      )}
      <PhoneField label={t('Start Number')} {...fieldOf(form, 'startNumber')} />
      <PhoneField
        label={t('End Number')}
        hint={t('The last number that belongs to it')}
        {...fieldOf(form, 'endNumber')}
      />
      {!range && status}
      <div className={range && 'sm:col-span-2'}>
        <TextField label={t('Description')} {...fieldOf(form, 'description')} />
      </div>
    </div>
  )
}

export function AddRangeDialog({ onClose }: { onClose: () => void }) {
  const form = useApiForm(formSchema, emptyRange)
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
  const form = useApiForm(formSchema, rangeFormValues(opened))
  const tariff = String(form.watch('rate') ?? '')
  const step = usePriceStep((latest ?? opened).rate, tariff, tariffInputSchema)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Edit Range')}
      description={opened.rangeNumber}
      width="md"
      consequence={t('Records already stored keep the range and rate they were stored with.')}
      form={form}
      isDisabled={step.mustConfirm}
      route={rangesRoutes.replaceRange}
      refetch={rangePaths}
      success={t('Range updated successfully')}
      callOf={(body) => ({ params: { id: opened.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update range')}
      saved={latest && rangeFormValues(latest)}
    >
      <RangeFields form={form} range={latest ?? opened} />
      <PriceStepNotice step={step} price={formatTariff(tariff)} />
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
