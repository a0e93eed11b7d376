// API keys: created, shown once, deleted.
import { usersRoutes, type apiKeySchema } from '@tollgate/contract/users.ts'
import { keyScopes, type KeyScope } from '@tollgate/contract/vocabulary.ts'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { TextField } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { EmptyState, Skeleton } from '../../ui/States.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

type ApiKey = z.infer<typeof apiKeySchema>

const scopeLabels: Record<KeyScope, string> = {
  'records:read': t('Read SMS records'),
  'texts:read': t('Read message texts'),
  'events:read': t('Hear the live feed'),
  'messages:send': t('Send messages'),
  'webhooks:manage': t('Test, pause and replay webhooks'),
}
const keyPaths = [usersRoutes.listKeys.path]

function nameOf(key: ApiKey): string {
  return key.name === '' ? key.prefix : key.name
}

function lastUseOf({ lastUsedAt, lastUsedAddress, lastUsedBy }: ApiKey): string {
  if (lastUsedAt === null) return t('Never used')
  const from = lastUsedAddress === null ? '' : t(' from {address}', { address: lastUsedAddress })
  return t('Last used {lastUsedAt}{from}{value}', {
    lastUsedAt: formatDateTime(lastUsedAt),
    from,
    value: lastUsedBy === null ? '' : ' ' + t('by {lastUsedBy}', { lastUsedBy }),
  })
}

export function KeysTab() {
  const keys = useApiQuery(usersRoutes.listKeys)
  return (
    <div className="space-y-5">
      <CreateKey />
      {keys.error ? (
        <FetchFailure of={keys} title={t('Failed to fetch API keys')} />
      ) : keys.data ? (
        <KeyList keys={keys.data} />
      ) : (
        <Skeleton className="h-24" />
      )}
    </div>
  )
}

function CreateKey() {
  const form = useApiForm(usersRoutes.createKey.body, { name: '', scopes: ['records:read'] })
  const create = useApiMutation(usersRoutes.createKey, {
    refetch: keyPaths,
    failure: t('Failed to create the API key'),
    onSuccess: () => form.reset(),
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    create.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      <SaveFailure error={create.error} title={t('Failed to create the API key')} />
      {create.data && (
        <Notice tone="ok" title={t('Copy the key now: it is not shown again')} isAlert>
          <span className="flex items-center gap-1 pt-1 font-mono break-all">
            {create.data.key}
            <CopyButton value={create.data.key} what={t('API key')} />
          </span>
        </Notice>
      )}
      <TextField
        label={t('Name')}
        hint={t('Which program uses it')}
        autoComplete="off"
        maxLength={100}
        {...fieldOf(form, 'name')}
      />
      <fieldset className="space-y-1">
        <legend className="pb-1 text-xs font-medium text-ink-2">{t('What the program may do')}</legend>
        <div className="flex flex-wrap gap-x-5">
          {keyScopes.map((scope) => (
            <Checkbox key={scope} label={scopeLabels[scope]} value={scope} {...form.register('scopes')} />
          ))}
        </div>
        {errors.scopes && (
          <p role="alert" className="text-xs text-bad-ink">
            {errors.scopes.message}
          </p>
        )}
      </fieldset>
      <Button tone="primary" type="submit" isBusy={create.isPending} busyLabel={t('Creating...')}>
        {t('Create key')}
      </Button>
    </form>
  )
}

function KeyList({ keys }: { keys: readonly ApiKey[] }) {
  const [deleting, setDeleting] = useState<ApiKey>()
  if (keys.length === 0) return <EmptyState title={t('No API keys yet')} />
  return (
    <>
      <ul aria-label={t('API keys')} className="divide-y divide-line border-t border-line">
        {keys.map((key) => (
          <li key={key.id} className="flex items-start justify-between gap-3 py-2.5">
            <div className="min-w-0">
              <p className="truncate font-medium">{nameOf(key)}</p>
              <p className="text-xs text-ink-3">
                <span className="font-mono">{key.prefix}…</span>{' '}
                {key.scopes.map((scope) => scopeLabels[scope]).join(', ')}
              </p>
              <p className="text-xs text-ink-3">
                {t('Made {createdAt}.', { createdAt: formatDateTime(key.createdAt) })} {lastUseOf(key)}
              </p>
            </div>
            <IconButton
              icon={Trash2}
              label={t('Delete {key}', { key: nameOf(key) })}
              onClick={() => setDeleting(key)}
            />
          </li>
        ))}
      </ul>
      {deleting && (
        <ConfirmMutation
          onClose={() => setDeleting(undefined)}
          title={t('Delete {deleting}?', { deleting: nameOf(deleting) })}
          route={usersRoutes.deleteKey}
          refetch={keyPaths}
          success={t('API key deleted')}
          failure={t('Failed to delete the API key')}
          call={{ params: { id: deleting.id } }}
          confirmLabel={t('Delete')}
          busyLabel={t('Deleting...')}
        >
          {t('Programs that use this key are refused from now on.')}
        </ConfirmMutation>
      )}
    </>
  )
}
