import type { PremiumNumber, premiumNumberInputSchema } from '@tollgate/contract/numbers.ts'
import { numberTypes } from '@tollgate/contract/vocabulary.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { formatPhone } from '../../format/phone.ts'
import { NumberField, PhoneField, SelectField, TextField } from '../../ui/Field.tsx'
import { numberTypeLabels } from '../type-labels.ts'
import { AccountStatusField } from '../../ui/account-status.tsx'

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
  const { errors } = form.formState
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <PhoneField
        label="Number"
        placeholder="+44 909 879 0142"
        error={errors.number?.message}
        {...form.register('number')}
      />
      <NumberField
        label="Rate (₪)"
        step="0.01"
        min="0"
        hint="What its caller pays. Empty takes the rate of its range."
        error={errors.rate?.message}
        {...form.register('rate')}
      />
      <TextField
        label="Country"
        placeholder="United Kingdom"
        hint="Empty: found from the number"
        error={errors.country?.message}
        {...form.register('country')}
      />
      <TextField
        label="Country Code"
        inputMode="tel"
        placeholder="+44"
        error={errors.countryCode?.message}
        {...form.register('countryCode')}
      />
      <AccountStatusField error={errors.status?.message} {...form.register('status')} />
      <SelectField
        label="Type"
        options={numberTypes.map((value) => ({ value, label: numberTypeLabels[value] }))}
        error={errors.type?.message}
        {...form.register('type')}
      />
      <TextField
        label="Description"
        fieldClassName="sm:col-span-2"
        error={errors.description?.message}
        {...form.register('description')}
      />
    </div>
  )
}
