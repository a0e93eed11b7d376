import { termsInputSchema, termsRoutes, type Terms } from '@tollgate/contract/terms/terms.ts'
import { z } from 'zod'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { NumberField, TextField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'

/** An empty field is no limit. */
const orNone = <T extends z.ZodType>(schema: T) => z.union([z.literal('').transform(() => null), schema])

const { numbersMax, smsPerDayMax, valuePerCycleMax } = termsInputSchema.shape
const formSchema = termsInputSchema.extend({
  numbersMax: orNone(numbersMax),
  smsPerDayMax: orNone(smsPerDayMax),
  valuePerCycleMax: orNone(valuePerCycleMax),
})

const valuesOf = (terms: Terms) => ({
  numbersMax: String(terms.numbersMax ?? ''),
  smsPerDayMax: String(terms.smsPerDayMax ?? ''),
  valuePerCycleMax: terms.valuePerCycleMax ?? '',
  payableAfterDays: String(terms.payableAfterDays),
  reservePercent: String(terms.reservePercent),
  reserveDays: String(terms.reserveDays),
})

interface EditTermsProps {
  readonly userId: number
  readonly terms: Terms
  readonly onClose: () => void
}

/** Sets the terms of a client. Looser ones wait for a second admin. */
export function EditTermsDialog({ userId, terms, onClose }: EditTermsProps) {
  const form = useApiForm(formSchema, valuesOf(terms))
  return (
    <SaveDialog
      onClose={onClose}
      title={t('Change terms')}
      description={t('What this client may do, and when it is paid. An empty field is no limit.')}
      consequence={t(
        'Stricter terms begin at once. Terms that are looser in anything wait for a second admin.',
      )}
      form={form}
      route={termsRoutes.putTerms}
      refetch={['/api/users']}
      failure={t('Terms not changed')}
      success={t('The terms are saved')}
      callOf={(body) => ({ params: { id: userId }, body })}
      submitLabel={t('Save')}
      saved={valuesOf(terms)}
    >
      <NumberField
        label={t('Numbers held')}
        hint={t('No further number is assigned above it')}
        {...fieldOf(form, 'numbersMax')}
      />
      <NumberField
        label={t('SMS a day')}
        hint={t('Above it no message is refused, but the bill waits for a person')}
        {...fieldOf(form, 'smsPerDayMax')}
      />
      <TextField
        label={t('Value of a period (USDT)')}
        inputMode="decimal"
        autoComplete="off"
        hint={t('Above it no message is refused, but the bill waits for a person')}
        {...fieldOf(form, 'valuePerCycleMax')}
      />
      <NumberField
        label={t('Days until a bill may be paid')}
        required
        hint={t('From the close of its period; 30 are usual for newcomers')}
        {...fieldOf(form, 'payableAfterDays')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t('Reserve (%)')}
          required
          hint={t('Of what each period earns')}
          {...fieldOf(form, 'reservePercent')}
        />
        <NumberField
          label={t('Kept for (days)')}
          required
          hint={t('From the close of its period')}
          {...fieldOf(form, 'reserveDays')}
        />
      </div>
    </SaveDialog>
  )
}
