// API keys: created, shown once, deleted.
import { usersRoutes } from '@tollgate/contract/users.ts'
import { keyScopes } from '@tollgate/contract/vocabulary.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
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

const keyPaths = [usersRoutes.listKeys.path]

export function KeysTab() {
  const keys = useApiQuery(usersRoutes.listKeys)
  return (
    <div className="space-y-5">
      <CreateKey />
      {keys.error ? (
        <FetchFailure of={keys} title={t('Failed to fetch API keys')} />
      ) : keys.data ? (
        <KeyList
          keys={keys.data}
          withdrawal={(id) => ({ route: usersRoutes.deleteKey, call: { params: { id } }, refetch: keyPaths })}
        />
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
    <PageForm onSubmit={(event) => void submit(event)} className="space-y-4">
      <SaveFailure error={create.error} title={t('Failed to create the API key')} />
      {create.data && (
        <SecretNotice
          key={create.data.key}
          title={t('Copy the key now: it is not shown again')}
          value={create.data.key}
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
