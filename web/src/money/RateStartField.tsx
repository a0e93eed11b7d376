// From when a rate holds: now, from the next billing period, or at a time of one's own.
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { useState } from 'react'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay } from '../format/dates.ts'
import { DateTimeField } from '../ui/DateField.tsx'
import { SelectField } from '../ui/Field.tsx'
import { t } from '../language/t.ts'

/** A form with a field of date and time in UTC; empty is now. */
interface StartForm {
  readonly watch: (name: 'startsAt') => string
  readonly formState: { readonly errors: { readonly startsAt?: { readonly message?: string | undefined } } }
  readonly setValue: (
    name: 'startsAt',
    value: string,
    options: { readonly shouldDirty: true; readonly shouldValidate: true },
  ) => void
}

export function RateStartField({ form }: { readonly form: StartForm }) {
  const value = form.watch('startsAt')
  const error = form.formState.errors.startsAt?.message
  const onChange = (next: string) =>
    form.setValue('startsAt', next, { shouldDirty: true, shouldValidate: true })
  const [isOwnTime, setOwnTime] = useState(false)
  const { data } = useApiQuery(recordsRoutes.getWeek)
  const nextPeriod = data?.periodEnd.slice(0, 16)
  const choice = isOwnTime ? 'time' : value === '' ? 'now' : value === nextPeriod ? 'period' : 'time'
  const choose = (next: string) => {
    setOwnTime(next === 'time')
    if (next === 'now') onChange('')
    if (next === 'period' && nextPeriod !== undefined) onChange(nextPeriod)
  }
  return (
    <>
      <SelectField
        label={t('Starts')}
        value={choice}
        options={[
          { value: 'now', label: t('Now') },
          ...(data
            ? [
                {
                  value: 'period',
                  label: t('With the next period, {day}', { day: formatDay(data.periodEnd) }),
                },
              ]
            : []),
          { value: 'time', label: t('At a time') },
        ]}
        hint={choice === 'now' ? t('A rate that waits still starts.') : t('A rate that waits is replaced.')}
        {...(choice !== 'time' && { error })}
        onChange={({ target }) => choose(target.value)}
      />
      {choice === 'time' && (
        <DateTimeField
          label={t('Starts (UTC)')}
          value={value}
          error={error}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </>
  )
}

/** What a saved rate does: it is in force, or it starts later. */
export const rateSaved = (startsAt: string, now: string): string =>
  startsAt === '' ? now : t('The rate starts {day}', { day: formatDay(`${startsAt}:00Z`) })
