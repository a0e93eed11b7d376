// API keys: created, shown once, deleted.
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { keyScopes } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { TextField } from '../../ui/Field.tsx'
import { PageForm } from '../../ui/PageForm.tsx'
import { SecretNotice } from '../../ui/SecretNotice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { KeyList, scopeLabels } from '../KeyList.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

type CreatedKey = RouteAnswer<typeof usersRoutes.createKey>

const keyPaths = [usersRoutes.listKeys.path]

export function KeysTab() {
  const keys = useApiQuery(usersRoutes.listKeys)
  const [created, setCreated] = useState<CreatedKey>()
  return (
    <div className="space-y-5">
      <CreateKey created={created} onCreated={setCreated} />
      {keys.error ? (
        <FetchFailure of={keys} title={t('Failed to fetch API keys')} />
      ) : keys.data ? (
        <KeyList
          keys={keys.data}
          withdrawal={(id) => ({ route: usersRoutes.deleteKey, call: { params: { id } }, refetch: keyPaths })}
          // Nobody needs to copy a key that is deleted.
          onWithdrawn={(id) => setCreated((shown) => (shown?.id === id ? undefined : shown))}
        />
      ) : (
        <Skeleton className="h-24" />
      )}
    </div>
  )
}

interface CreateKeyProps {
  readonly created: CreatedKey | undefined
  readonly onCreated: (key: CreatedKey) => void
}

function CreateKey({ created, onCreated }: CreateKeyProps) {
  const form = useApiForm(usersRoutes.createKey.body, { name: '', scopes: ['records:read'] })
  const create = useApiMutation(usersRoutes.createKey, {
    refetch: keyPaths,
    failure: t('Failed to create the API key'),
    isShownInPlace: true,
    onSuccess: (key) => {
      form.reset()
      onCreated(key)
    },
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    create.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <PageForm onSubmit={(event) => void submit(event)} className="space-y-4">
      <SaveFailure
        error={create.error}
        title={t('Failed to create the API key')}
        isAtFields={isToldAtFields(form, create.error)}
      />
      {created && (
        <SecretNotice
          key={created.id}
          title={t('Copy the key now: it is not shown again')}
          value={created.key}
          what={t('API key')}
        />
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
    </PageForm>
  )
}
