import type { PremiumNumber, premiumNumberInputSchema } from '@tollgate/contract/numbers/numbers.ts'
import { numberTypes } from '@tollgate/contract/vocabulary.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { formatPhone } from '../../format/phone.ts'
import { NumberField, PhoneField, SelectField, TextField } from '../../ui/Field.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { AccountStatusField } from '../../ui/account-status.tsx'
import { fieldOf } from '../../api/use-api-form.ts'
import { t } from '../../language/t.ts'

type NumberInput = z.input<typeof premiumNumberInputSchema>
export type NumberForm = UseFormReturn<NumberInput, unknown, z.output<typeof premiumNumberInputSchema>>

export const emptyNumber = {
  number: '',
  description: '',
  rate: '',
  status: 'active',
  country: '',
  countryCode: '',
  type: 'premium',
} as const

/** The form values of a number. The version tells the server which state the person has seen. */
export function numberFormValues(row: PremiumNumber): NumberInput {
  const { description, rate, status, country, countryCode, type, version } = row
  return { number: formatPhone(row.number), description, rate, status, country, countryCode, type, version }
}

/** The fields of Add Premium Number and Edit Number. */
export function NumberFields({ form }: { form: NumberForm }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <PhoneField label={t('Number')} placeholder="+44 909 879 0142" {...fieldOf(form, 'number')} />
      <NumberField
        label={t('Rate (₪)')}
        step="0.01"
        min="0"
        hint={t('What its caller pays. Empty takes the rate of its range.')}
        {...fieldOf(form, 'rate')}
      />
      <TextField
        label={t('Country')}
        placeholder={t('United Kingdom')}
        hint={t('Empty: found from the number')}
        {...fieldOf(form, 'country')}
      />
      <TextField
        label={t('Country Code')}
        isMono
        inputMode="tel"
        placeholder="+44"
        {...fieldOf(form, 'countryCode')}
      />
      <AccountStatusField {...fieldOf(form, 'status')} />
      <SelectField
        label={t('Type')}
        options={numberTypes.map((value) => ({ value, label: numberTypeLabels[value] }))}
        {...fieldOf(form, 'type')}
      />
      <TextField label={t('Description')} fieldClassName="sm:col-span-2" {...fieldOf(form, 'description')} />
    </div>
  )
}
