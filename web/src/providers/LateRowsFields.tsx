// What few providers need: from when on, late rows, silence, and the zone of their times.
import { providerDefaults, type Provider } from '@tollgate/contract/providers/providers.ts'
import { toDayInput } from '../format/dates.ts'
import { DateField } from '../ui/DateField.tsx'
import { SelectField } from '../ui/Field.tsx'
import { fieldOf } from '../api/use-api-form.ts'
import { t } from '../language/t.ts'
import { zoneOptions } from '../language/zone-options.ts'
import type { ProviderFieldsProps, ProviderForm } from './ProviderFields.tsx'

const hourMs = 3_600_000
const spans = [
  { value: String(hourMs), label: t('1 hour') },
  { value: String(6 * hourMs), label: t('6 hours') },
  { value: String(24 * hourMs), label: t('1 day') },
  { value: String(7 * 24 * hourMs), label: t('7 days') },
  { value: String(30 * 24 * hourMs), label: t('30 days') },
]

/** A value that a program has set stays selectable. */
function withValue(options: readonly { value: string; label: string }[], valueMs: number | undefined) {
  const value = String(valueMs ?? '')
  const isKnown = valueMs === undefined || options.some((option) => option.value === value)
  return isKnown ? options : [{ value, label: t('{duration} ms', { duration: valueMs }) }, ...options]
}

const names: readonly string[] = ['startAt', 'lookback', 'gapAlarm', 'timeZone']

/** Whether any of them differs from what a new provider has. */
export function hasMore(provider: Provider | undefined): boolean {
  if (provider === undefined) return false
  const { startAt, lookback, gapAlarm, timeZone } = provider
  return (
    startAt !== null ||
    timeZone !== 'UTC' ||
    lookback !== providerDefaults.lookbackMs ||
    gapAlarm !== providerDefaults.gapAlarmMs
  )
}

export const isMoreRefused = ({ formState: { errors } }: ProviderForm): boolean =>
  Object.keys(errors).some((name) => names.includes(name))

export function LateRowsFields({ form, provider }: ProviderFieldsProps) {
  const { register, watch, setValue } = form
  const { errors } = form.formState
  const startAt = watch('startAt') ?? null
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <DateField
          label={t('Take in records from')}
          zone="UTC"
          hint={t('Empty: all there are')}
          error={errors.startAt?.message}
          value={startAt === null ? '' : toDayInput(startAt)}
          onChange={({ target }) =>
            setValue('startAt', target.value === '' ? null : `${target.value}T00:00:00Z`, {
              shouldDirty: true,
            })
          }
        />
        <SelectField
          label={t('Look back for late rows')}
          options={withValue([{ value: '0', label: t('Only the overlap') }, ...spans], provider?.lookback)}
          {...register('lookback')}
        />
        <SelectField
          label={t('Alert when silent for')}
          options={withValue([{ value: '0', label: t('Never') }, ...spans], provider?.gapAlarm)}
          {...register('gapAlarm')}
        />
      </div>
      <SelectField
        label={t('Time zone of its times')}
        hint={t('For times that name no zone')}
        options={zoneOptions(watch('timeZone') ?? 'UTC')}
        {...fieldOf(form, 'timeZone')}
      />
    </>
  )
}
