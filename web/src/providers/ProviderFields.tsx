// The settings of a provider: address, credentials, poll interval. Spec §5: username and password only for basic.
import { changedProvider } from '@tollgate/contract/destinations.ts'
import type { createProviderSchema, Provider } from '@tollgate/contract/providers/providers.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { toDayInput } from '../format/dates.ts'
import { Switch } from '../ui/Checkbox.tsx'
import { DateField, NumberField, PasswordField, SelectField, TextField } from '../ui/Field.tsx'
import { formatPollInterval } from './labels.ts'
import { fieldOf } from '../api/use-api-form.ts'
import { secretAgainHint } from '../api/secret-again.ts'
import { t } from '../language/t.ts'
import { zoneOptions } from '../language/zone-options.ts'

export type ProviderForm = UseFormReturn<
  z.input<typeof createProviderSchema>,
  unknown,
  z.output<typeof createProviderSchema>
>

interface ProviderFieldsProps {
  readonly form: ProviderForm
  /** The provider to change. Its credentials stay if none are entered. */
  readonly provider: Provider | undefined
}

const authTypes = [
  { value: 'bearer', label: t('Bearer token') },
  { value: 'basic', label: t('Basic (username and password)') },
  { value: 'api_key', label: t('API key (X-API-Key)') },
]
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

export function ProviderFields({ form, provider }: ProviderFieldsProps) {
  const { register, watch, setValue } = form
  const { errors } = form.formState
  const startAt = watch('startAt') ?? null
  const pollInterval = Number(watch('pollInterval'))
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('Name')} {...fieldOf(form, 'name')} />
        <NumberField
          label={t('Poll Interval (ms)')}
          min="1000"
          step="1000"
          hint={pollInterval >= 1_000 ? formatPollInterval(pollInterval) : undefined}
          {...fieldOf(form, 'pollInterval')}
        />
      </div>
      <TextField
        label={t('API URL')}
        autoCapitalize="none"
        placeholder="https://api.example.com/records"
        isMono
        {...fieldOf(form, 'apiUrl')}
      />
      <KnownRowsField form={form} />
      <CredentialFields form={form} provider={provider} />
      <div className="grid gap-4 sm:grid-cols-3">
        <DateField
          label={t('Take in records from')}
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
      <Switch label={t('Enabled')} {...register('enabled')} />
    </>
  )
}

/** Asked once the server knows the address by another provider. */
function KnownRowsField({ form }: { form: ProviderForm }) {
  const { errors } = form.formState
  const value = form.watch('knownRows')
  if (errors.knownRows === undefined && value === undefined) return null
  return (
    <SelectField
      label={t('Rows of that provider')}
      options={knownRowsOptions}
      error={errors.knownRows?.message}
      {...form.register('knownRows', {
        setValueAs: (chosen: string) => (chosen === '' ? undefined : chosen),
      })}
    />
  )
}

const knownRowsOptions = [
  { value: '', label: t('Please choose') },
  { value: 'keep', label: t('The same source: its rows stay known') },
  { value: 'again', label: t('Another source: all rows become new records') },
]

function CredentialFields({ form, provider }: ProviderFieldsProps) {
  const { register, watch } = form
  const { errors } = form.formState
  const authType = watch('authType') ?? 'bearer'
  const isBasic = authType === 'basic'
  const isStored = isBasic ? provider?.hasPassword === true : provider?.hasApiKey === true
  const changed = provider && changedProvider(provider, { apiUrl: watch('apiUrl'), authType })
  const secret = {
    autoComplete: 'new-password',
    'aria-required': changed !== undefined,
    hint: !isStored
      ? undefined
      : changed === undefined
        ? t('Leave it empty to keep the current one')
        : secretAgainHint(isBasic ? 'password' : 'API key', changed),
  }
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField label={t('Authentication Type')} options={authTypes} {...fieldOf(form, 'authType')} />
      {isBasic ? (
        <>
          <TextField
            label={t('Username')}
            autoComplete="off"
            autoCapitalize="none"
            {...fieldOf(form, 'username')}
          />
          <PasswordField
            label={t('Password')}
            error={errors.password?.message}
            {...secret}
            {...register('password')}
          />
        </>
      ) : (
        <PasswordField
          label={t('API Key')}
          error={errors.apiKey?.message}
          {...secret}
          {...register('apiKey')}
        />
      )}
    </div>
  )
}
