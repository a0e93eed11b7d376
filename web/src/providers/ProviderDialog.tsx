// Adds, changes or configures a provider, with a preview of its answer.
import {
  createProviderSchema,
  defaultMapping,
  providerDefaults,
  providersRoutes,
  type Provider,
} from '@tollgate/contract/providers/providers.ts'
import { useState } from 'react'
import type { z } from 'zod'
import { isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Fold } from '../ui/Fold.tsx'
import { SupplierAliasField, useSupplierAlias } from '../api/SupplierAliasField.tsx'
import { MappingFields } from './MappingFields.tsx'
import { hasMore, isMoreRefused, LateRowsFields } from './LateRowsFields.tsx'
import { ProviderFields } from './ProviderFields.tsx'
import { providerPaths } from './queries.ts'
import { t } from '../language/t.ts'

interface ProviderDialogProps {
  /** `custom` is the provider with its own call (Spec §7). It is created if it does not exist. */
  readonly kind: 'add' | 'edit' | 'custom'
  /** As the list has it now. */
  readonly provider?: Provider
  readonly onClose: () => void
}

const blank = {
  name: '',
  apiUrl: '',
  authType: 'bearer',
  apiKey: '',
  username: '',
  password: '',
  pollInterval: providerDefaults.pollIntervalMs,
  lookback: providerDefaults.lookbackMs,
  gapAlarm: providerDefaults.gapAlarmMs,
  startAt: null,
  timeZone: 'UTC',
  knownRows: undefined,
  enabled: false,
  mapping: defaultMapping,
} as const

// Spec §8.
const failure = { title: t('Configuration Error'), text: t('Failed to configure provider') }

const valuesOf = (kind: ProviderDialogProps['kind'], provider: Provider | undefined) => ({
  ...blank,
  ...(kind === 'custom' && { name: t('Custom Provider') }),
  ...provider,
  apiKey: '',
  password: '',
})

export function ProviderDialog({ kind, provider: latest, onClose }: ProviderDialogProps) {
  // What the form was filled with. The list is read anew meanwhile, and its version is that of somebody else's save.
  const [provider, setProvider] = useState(latest)
  const form = useApiForm(createProviderSchema, valuesOf(kind, provider))
  const { submit, isPending, error, forget } = useSaveProvider(kind, provider, onClose)
  const takeSaved = latest && {
    onTakeSaved: () => {
      setProvider(latest)
      form.reset(valuesOf(kind, latest))
      forget()
    },
  }
  const onError = (fault: Error) => void showFieldErrors(form, fault)
  const alias = useSupplierAlias('provider', provider?.name)
  const { before } = alias
  const { isDirty } = form.formState
  const send = form.handleSubmit((body) => {
    if (!before.isDue) return submit(body, onError)
    // With nothing else to save, the next poll goes on as before.
    before.run(() => (isDirty ? submit(body, onError) : onClose()))
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={kind === 'edit' ? t('Edit {name}', { name: provider?.name ?? '' }) : t('Configure Provider')}
      description={t(
        'Records come in from the next poll on; one that was taken in already never comes twice.',
      )}
      width="lg"
      isDirty={isDirty || before.isDue}
      onSubmit={(event) => void send(event)}
      action={
        <Button
          tone="primary"
          type="submit"
          isBusy={isPending || before.isPending}
          busyLabel={t('Saving...')}
        >
          {t('Save Configuration')}
        </Button>
      }
    >
      <div className="space-y-5">
        <SaveFailure error={error} {...failure} isAtFields={isToldAtFields(form, error)} {...takeSaved} />
        <ProviderFields form={form} provider={provider} />
        <MappingFields form={form} provider={provider} />
        <Fold label={t('More settings')} startsOpen={hasMore(provider)} isHeldOpen={isMoreRefused(form)}>
          <div className="space-y-4">
            <LateRowsFields form={form} provider={provider} />
            <SupplierAliasField alias={alias} />
          </div>
        </Fold>
      </div>
    </Dialog>
  )
}

type Body = z.output<typeof createProviderSchema>

function useSaveProvider(
  kind: ProviderDialogProps['kind'],
  provider: Provider | undefined,
  onSuccess: () => void,
) {
  const options = (name: string) => ({
    refetch: providerPaths,
    success: { title: t('Provider Configured'), text: name },
    failure,
    isShownInPlace: true,
    onSuccess,
  })
  const add = useApiMutation(
    providersRoutes.createProvider,
    options(t('It is polled as soon as it is enabled.')),
  )
  const edit = useApiMutation(providersRoutes.editProvider, options(t('The next poll uses it.')))
  const configure = useApiMutation(
    providersRoutes.configureCustomProvider,
    options(t('The next poll uses it.')),
  )
  const used = { add, edit, custom: configure }[kind]
  return {
    isPending: used.isPending,
    error: used.error,
    forget: used.reset,
    submit: (body: Body, onError: (fault: Error) => void) => {
      const version = provider === undefined ? {} : { version: provider.version }
      if (kind === 'add') add.mutate({ body }, { onError })
      else if (kind === 'custom') configure.mutate({ body: { ...body, ...version } }, { onError })
      else if (provider !== undefined)
        edit.mutate({ params: { id: provider.id }, body: { ...body, ...version } }, { onError })
    },
  }
}
