import { countryCodes } from '@tollgate/contract/countries.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { fieldOf } from '../api/use-api-form.ts'
import { SelectField, TextAreaField, TextField } from '../ui/Field.tsx'
import type { entityFormSchema } from './entity-form.ts'
import { t } from '../language/t.ts'
import { wordLocale } from '../language/reader.ts'

export type EntityForm = UseFormReturn<
  z.input<typeof entityFormSchema>,
  unknown,
  z.output<typeof entityFormSchema>
>

const names = new Intl.DisplayNames([wordLocale()], { type: 'region' })
const countries = countryCodes
  .map((value) => ({ value, label: names.of(value) ?? value }))
  .toSorted((one, other) => one.label.localeCompare(other.label))
const countryOptions = [{ value: '', label: t('Choose a country') }, ...countries]

/** Name, address, country and tax number of a legal entity, in any script. */
export function EntityFields({ form }: { form: EntityForm }) {
  return (
    <>
      <TextField
        label={t('Legal Name')}
        required
        autoComplete="organization"
        maxLength={200}
        dir="auto"
        {...fieldOf(form, 'legalName')}
      />
      <TextAreaField
        label={t('Address')}
        required
        rows={3}
        dir="auto"
        hint={t('As on a letter, 1 to 5 lines; the country goes below')}
        {...fieldOf(form, 'addressLines')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={t('Country')} required options={countryOptions} {...fieldOf(form, 'country')} />
        <TextField
          label={t('Tax Number')}
          autoComplete="off"
          spellCheck={false}
          maxLength={60}
          hint={t('Optional, such as a VAT ID')}
          {...fieldOf(form, 'taxNumber')}
        />
      </div>
      <TextField
        label={t('Name in Latin letters')}
        autoComplete="off"
        maxLength={200}
        hint={t('Only if documents cannot print the name, as in Chinese, Japanese, Korean, Thai or Hindi')}
        {...fieldOf(form, 'latinName')}
      />
      <TextAreaField
        label={t('Address in Latin letters')}
        rows={2}
        hint={t('Only if documents cannot print the address')}
        {...fieldOf(form, 'latinAddressLines')}
      />
    </>
  )
}
