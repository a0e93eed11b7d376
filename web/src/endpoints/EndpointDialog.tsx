// Adds, changes and deletes an endpoint, and shows its secret once.
import { endpointEventNames, type EndpointEventName } from '@tollgate/contract/endpoints/deliveries.ts'
import { createEndpointSchema, type Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { endpointMethods, endpointStatuses } from '@tollgate/contract/vocabulary.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../api/use-api-form.ts'
import { useApiMutation } from '../api/use-api.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { UserPicker } from '../users/UserPicker.tsx'
import { Button } from '../ui/Button.tsx'
import { Checkbox } from '../ui/Checkbox.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField, SelectField, TextField } from '../ui/Field.tsx'
import { SecretNotice } from '../ui/SecretNotice.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { statusLook } from '../ui/status.ts'
import { useEndpointCalls, useIsOwn } from './endpoint-calls.tsx'
import { eventLabels } from './event-labels.ts'
import { endpointPaths } from './queries.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'

const methodOptions = endpointMethods.map((value) => ({ value, label: value }))
const statusOptions = endpointStatuses.map((value) => ({ value, label: statusLook('endpoint', value).label }))

/** Spec §9: POST, 1000 requests per minute. */
const newEndpoint = {
  name: '',
  endpoint: '',
  method: 'POST',
  rateLimit: 1_000,
  status: 'active',
  events: ['message', 'completed', 'receipt'] as EndpointEventName[],
  userId: null,
} as const

interface EndpointDialogProps {
  /** The endpoint to change, as the list has it now. Absent when a new one is added. */
  readonly endpoint?: Endpoint
  readonly onClose: () => void
  /** Gets the new endpoint with its readable secret. */
  readonly onAdded?: (endpoint: Endpoint) => void
}

export function EndpointDialog({ endpoint: latest, onClose, onAdded }: EndpointDialogProps) {
  // What the form was filled with. The list is read anew meanwhile, and its version is that of somebody else's save.
  const [endpoint, setEndpoint] = useState(latest)
  const [calls, isOwn] = [useEndpointCalls(), useIsOwn()]
  const failure = endpoint ? t('Failed to update API endpoint') : t('Failed to add API endpoint')
  const form = useApiForm(createEndpointSchema, { ...newEndpoint, ...endpoint })
  const add = useApiMutation(calls.create, {
    refetch: endpointPaths,
    success: t('API endpoint added successfully'),
    failure,
    isShownInPlace: true,
    onSuccess: (added) => {
      onClose()
      onAdded?.(added)
    },
  })
  const edit = useApiMutation(calls.edit, {
    refetch: endpointPaths,
    success: t('API endpoint updated successfully'),
    failure,
    isShownInPlace: true,
    onSuccess: onClose,
  })
  const onError = (error: Error) => void showFieldErrors(form, error)
  const [isOne, setOne] = useState(false)
  const takeSaved = latest && {
    onTakeSaved: () => {
      setEndpoint(latest)
      form.reset({ ...newEndpoint, ...latest })
      edit.reset()
    },
  }
  const submit = form.handleSubmit(({ userId, ...fields }) => {
    // 'One client' without a client must not be sent as 'everybody'.
    if (isOne && !isOwn && userId === null) return form.setError('userId', { message: t('Choose a client') })
    return endpoint
      ? edit.mutate(
          { params: { id: endpoint.id }, body: { ...fields, version: endpoint.version } },
          { onError },
        )
      : add.mutate({ body: isOwn ? fields : { ...fields, userId } }, { onError })
  })
  const { errors } = form.formState
  const error = endpoint ? edit.error : add.error
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={endpoint ? t('Edit {name}', { name: endpoint.name }) : t('Add Endpoint')}
      description={t('What you choose is sent there as a signed webhook, and again until it is accepted.')}
      width="md"
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      action={
        <Button
          tone="primary"
          type="submit"
          isBusy={add.isPending || edit.isPending}
          busyLabel={t('Saving...')}
        >
          {endpoint ? t('Save') : t('Add Endpoint')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={error} title={failure} isAtFields={isToldAtFields(form, error)} {...takeSaved} />
        <TextField label={t('Name')} {...fieldOf(form, 'name')} />
        <TextField
          label={t('Endpoint URL')}
          type="url"
          autoCapitalize="none"
          placeholder="https://crm.example.com/tollgate"
          {...fieldOf(form, 'endpoint')}
        />
        <div className="grid gap-4 sm:grid-cols-3">
          <SelectField label={t('Method')} options={methodOptions} {...form.register('method')} />
          <NumberField
            label={t('Rate Limit')}
            hint={t('Requests per minute')}
            min="1"
            max="100000"
            {...fieldOf(form, 'rateLimit')}
          />
          <SelectField
            label={t('Status')}
            hint={t('Deliveries wait during maintenance')}
            options={statusOptions}
            {...form.register('status')}
          />
        </div>
        <fieldset className="space-y-1">
          <legend className="pb-1 text-xs font-medium text-ink-2">{t('What is sent')}</legend>
          <div className="grid gap-x-5 sm:grid-cols-2">
            {endpointEventNames
              .filter((event) => !isOwn || event !== 'alert')
              .map((event) => (
                <Checkbox key={event} label={eventLabels[event]} value={event} {...form.register('events')} />
              ))}
          </div>
          {errors.events && (
            <p role="alert" className="text-xs text-bad-ink">
              {errors.events.message}
            </p>
          )}
        </fieldset>
        {!isOwn && endpoint && <RecordsOwner endpoint={endpoint} />}
        {!isOwn && !endpoint && (
          <RecordsOwnerField
            isOne={isOne}
            onOne={setOne}
            error={errors.userId?.message}
            onChange={(userId) =>
              form.setValue('userId', userId, { shouldDirty: true, shouldValidate: true })
            }
          />
        )}
      </div>
    </Dialog>
  )
}

/** Whose records an endpoint gets, which stays as it was chosen. */
function RecordsOwner({ endpoint: { userId, client } }: { readonly endpoint: Endpoint }) {
  return (
    <p className="text-xs text-ink-3">
      {userId === null
        ? t("It gets everybody's records, texts masked. Add an endpoint for one client's.")
        : t('It gets the records of {client}. Add an endpoint for another client.', { client })}
    </p>
  )
}

interface RecordsOwnerFieldProps {
  readonly isOne: boolean
  readonly onOne: (isOne: boolean) => void
  readonly error: string | undefined
  readonly onChange: (userId: number | null) => void
}

/** Whether the endpoint gets the records of everybody, or of one client with their texts. */
function RecordsOwnerField({ isOne, onOne, error, onChange }: RecordsOwnerFieldProps) {
  const [user, setUser] = useState<User>()
  return (
    <div className="space-y-2">
      <Segmented
        label={t('Records of')}
        value={isOne ? 'one' : 'all'}
        options={[
          { value: 'all', label: t("Everybody's records") },
          { value: 'one', label: t("One client's records") },
        ]}
        onChange={(choice) => {
          onOne(choice === 'one')
          onChange(choice === 'one' ? (user?.id ?? null) : null)
        }}
      />
      {isOne ? (
        <UserPicker
          label={t('Client')}
          value={user}
          error={error}
          onChange={(picked) => {
            setUser(picked)
            onChange(picked.id)
          }}
        />
      ) : (
        <p className="text-xs text-ink-3">
          {t('Message texts are masked; a client’s own address gets them.')}
        </p>
      )}
    </div>
  )
}

interface DeleteEndpointDialogProps {
  readonly endpoint: Endpoint
  readonly onClose: () => void
  /** The list that one goes back to. */
  readonly leaveTo: string
}

export function DeleteEndpointDialog({ endpoint, ...where }: DeleteEndpointDialogProps) {
  const calls = useEndpointCalls()
  return (
    <ConfirmMutation
      {...where}
      title={t('Delete {name}?', { name: endpoint.name })}
      confirmLabel={t('Delete')}
      route={calls.remove}
      refetch={endpointPaths}
      success={t('API endpoint deleted successfully')}
      failure={false}
      call={{ params: { id: endpoint.id } }}
    >
      {endpoint.waiting === 0
        ? t('Its secret and its list of deliveries are deleted. Records stay.')
        : t('{waiting} deliveries are waiting and will not be made. Its secret is deleted. Records stay.', {
            waiting: endpoint.waiting,
          })}
    </ConfirmMutation>
  )
}

/** Shows the secret of a new endpoint. It cannot be shown again. */
export function SecretDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Signing secret')}
      description={endpoint.name}
      closeLabel={t('Close')}
      width="md"
    >
      <div className="space-y-4">
        <SecretNotice title={t('Shown this once')} value={endpoint.apiKey} what={t('Signing secret')}>
          {t('Copy it now. It is masked from here on; a new one can be made at any time.')}
        </SecretNotice>
        <p className="text-ink-3">
          {tNodes(
            'Verify each request: {header} is {prefix} followed by the base64 HMAC-SHA256 of {content} with this secret.',
            {
              header: <code className="font-mono text-xs">webhook-signature</code>,
              prefix: <code className="font-mono text-xs">v1,</code>,
              content: <code className="font-mono text-xs">id.timestamp.body</code>,
            },
          )}
        </p>
      </div>
    </Dialog>
  )
}
