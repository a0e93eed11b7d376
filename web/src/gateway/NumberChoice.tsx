import type { simulatorRoutes } from '@tollgate/contract/gateway/simulator.ts'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { useEffect, useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { fieldOf } from '../api/use-api-form.ts'
import { useApiPages } from '../api/use-api.ts'
import { formatPhone } from '../format/phone.ts'
import { t } from '../language/t.ts'
import { PhoneField, SelectField } from '../ui/Field.tsx'

type Values = z.input<typeof simulatorRoutes.simulateMessage.body>

// More than these are typed, with the newest as suggestions.
const choicesMax = 50

/** The numbers there are, the newest first; it is chosen already. */
export function NumberChoice({ form }: { readonly form: UseFormReturn<Values, unknown, Values> }) {
  const listId = useId()
  const { rows, hasMore } = useApiPages(numbersRoutes.listAccountNumbers, { query: { limit: choicesMax } })
  const newest = rows?.[0]?.phoneNumber
  const { resetField } = form
  useEffect(() => {
    if (newest !== undefined) resetField('to', { defaultValue: newest })
  }, [newest, resetField])
  const choices = (rows ?? []).map(({ phoneNumber, clientName }) => ({
    value: phoneNumber,
    label: clientName === '' ? formatPhone(phoneNumber) : `${formatPhone(phoneNumber)} · ${clientName}`,
  }))
  if (!hasMore) return <SelectField label={t('To')} options={choices} {...fieldOf(form, 'to')} />
  return (
    <>
      <PhoneField label={t('To')} list={listId} {...fieldOf(form, 'to')} />
      <datalist id={listId}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </datalist>
    </>
  )
}
