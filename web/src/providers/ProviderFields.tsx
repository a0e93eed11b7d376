// The settings of a provider: address, credentials, poll interval. Spec §5: username and password only for basic.
import { changedProvider } from '@tollgate/contract/destinations.ts'
import type { createProviderSchema, Provider } from '@tollgate/contract/providers/providers.ts'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { useState } from 'react'
import { Switch } from '../ui/Checkbox.tsx'
import { NumberField, PasswordField, SelectField, TextField } from '../ui/Field.tsx'
import { formatPollInterval } from './labels.ts'
import { fieldOf } from '../api/use-api-form.ts'
import { secretAgainHint } from '../api/secret-again.ts'
import { t } from '../language/t.ts'

export type ProviderForm = UseFormReturn<
  z.input<typeof createProviderSchema>,
  unknown,
  z.output<typeof createProviderSchema>
>

export interface ProviderFieldsProps {
  readonly form: ProviderForm
  /** The provider to change. Its credentials stay if none are entered. */
  readonly provider: Provider | undefined
}

const authTypes = [
  { value: 'bearer', label: t('Bearer token') },
  { value: 'basic', label: t('Basic (username and password)') },
  { value: 'api_key', label: t('API key (X-API-Key)') },
]
export function ProviderFields({ form, provider }: ProviderFieldsProps) {
  const { register, watch, setValue } = form
  const { errors } = form.formState
  const pollInterval = Number(watch('pollInterval'))
  const [seconds, setSeconds] = useState(String(pollInterval / 1_000))
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t('Name')} {...fieldOf(form, 'name')} />
        <NumberField
          label={t('Poll Interval (seconds)')}
          min="1"
          step="any"
          hint={pollInterval >= 60_000 ? formatPollInterval(pollInterval) : undefined}
          error={errors.pollInterval?.message}
          value={seconds}
          onChange={({ target }) => {
            setSeconds(target.value)
            setValue('pollInterval', target.value === '' ? '' : Number(target.value) * 1_000, {
              shouldDirty: true,
              shouldTouch: true,
            })
          }}
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
