// Adds and changes a schedule. Its secret is only ever entered.
import { cdrRoutes, type CdrDestination, type CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { exportColumns } from '@tollgate/contract/records/export-columns.ts'
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { useState, type FormEvent } from 'react'
import { ApiError } from '../api/api-error.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { ExportColumnsField } from '../records/ExportColumnsField.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField, PasswordField, SelectField, TextAreaField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { cdrPaths, destinationLabels, formatLabels, rhythmLabels } from './queries.ts'
import { t } from '../language/t.ts'

type Fields = Pick<
  CdrSchedule,
  'name' | 'every' | 'format' | 'columns' | 'client' | 'gateway' | 'destination'
>

const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }))

const blank: Readonly<Record<CdrDestination['type'], CdrDestination>> = {
  folder: { type: 'folder', path: '' },
  s3: { type: 's3', endpoint: 'https://', region: 'us-east-1', bucket: '', path: '', accessKeyId: '' },
  sftp: { type: 'sftp', host: '', port: 22, username: '', path: '', hostKey: '', signIn: 'password' },
}

/** What an archive has: all there is. */
const wholeRecords: Pick<Fields, 'format' | 'columns' | 'client' | 'gateway'> = {
  format: 'parquet',
  columns: exportColumns.join(','),
  client: null,
  gateway: null,
}

interface CdrScheduleDialogProps {
  /** As it was when the dialog opened. Undefined when a new one is added. */
  readonly opened: CdrSchedule | undefined
  /** The schedule in the current list. */
  readonly latest: CdrSchedule | undefined
  readonly canUseFolders: boolean
  readonly onClose: () => void
}

export function CdrScheduleDialog({ opened, latest, canUseFolders, onClose }: CdrScheduleDialogProps) {
  // What the fields were filled with: its version is sent, not the one of somebody else's save.
  const [schedule, setSchedule] = useState(opened)
  const [fields, setFields] = useState<Fields>(
    schedule ?? {
      name: '',
      every: 'hour',
      format: 'csv',
      columns: exportColumns.join(','),
      client: null,
      gateway: null,
      destination: canUseFolders ? blank.folder : blank.s3,
    },
  )
  const [secret, setSecret] = useState('')
  const [isDirty, setDirty] = useState(false)
  const failure = t('Failed to save the schedule')
  const shared = {
    refetch: cdrPaths,
    success: t('The schedule is saved'),
    failure,
    isShownInPlace: true,
    onSuccess: onClose,
  }
  const add = useApiMutation(cdrRoutes.createCdrSchedule, shared)
  const edit = useApiMutation(cdrRoutes.editCdrSchedule, shared)
  const { error } = schedule ? edit : add
  const takeSaved = latest && {
    onTakeSaved: () => {
      setSchedule(latest)
      setFields(latest)
      setSecret('')
      setDirty(false)
      edit.reset()
    },
  }
  const change = (some: Partial<Fields>) => {
    setDirty(true)
    setFields((before) => ({ ...before, ...some }))
  }
  const isArchive = fields.every === 'archive'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { name, every, format, columns, client, gateway, destination } = fields
    const chosen = isArchive ? wholeRecords : { format, columns, client, gateway }
    const body = { name, every, ...chosen, destination, secret }
    if (schedule) edit.mutate({ params: { id: schedule.id }, body: { ...body, version: schedule.version } })
    else add.mutate({ body })
  }
  const errorOf = (name: string) => (error instanceof ApiError ? error.fields[name] : undefined)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={schedule ? t('Edit {name}', { name: schedule.name }) : t('Add schedule')}
      description={t(
        'Each file has what was stored in its hour or day (UTC), or of an archive what was received in its day, and is sent again until it is taken.',
      )}
      width="md"
      isDirty={isDirty}
      onSubmit={submit}
      action={
        <Button
          tone="primary"
          type="submit"
          isBusy={add.isPending || edit.isPending}
          busyLabel={t('Saving...')}
        >
          {schedule ? t('Save') : t('Add schedule')}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={error} title={failure} {...takeSaved} />
        <TextField
          label={t('Name')}
          hint={t('It begins the names of the files: letters, digits, dashes and underscores')}
          value={fields.name}
          maxLength={40}
          error={errorOf('name')}
          onChange={({ target }) => change({ name: target.value })}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={t('Files')}
            value={fields.every}
            options={optionsOf(rhythmLabels)}
            error={errorOf('every')}
            onChange={({ target }) => change({ every: target.value as Fields['every'] })}
          />
          {!isArchive && (
            <SelectField
              label={t('Format')}
              value={fields.format}
              options={optionsOf(formatLabels)}
              onChange={({ target }) => change({ format: target.value as Fields['format'] })}
            />
          )}
        </div>
        {isArchive ? (
          <p className="text-sm text-ink-2">
            {t(
              'Everybody’s records of each closed week, with all columns, as Parquet. With ONLINE_WEEKS they leave the database once they are archived.',
            )}
          </p>
        ) : (
          <>
            <WhoseFields fields={fields} onChange={change} errorOf={errorOf} />
            <ExportColumnsField
              columns={fields.columns}
              onChange={(columns) => change({ columns })}
              error={errorOf('columns')}
            />
          </>
        )}
        <SelectField
          label={t('Destination')}
          value={fields.destination.type}
          options={optionsOf(destinationLabels)}
          error={errorOf('destination')}
          onChange={({ target }) => change({ destination: blank[target.value as CdrDestination['type']] })}
        />
        {fields.destination.type === 'folder' && !canUseFolders && (
          <Notice tone="warn" title={t('Folders are not permitted')}>
            {t('The operator permits them by the setting CDR_DIR.')}
          </Notice>
        )}
        <DestinationFields
          to={fields.destination}
          onChange={(destination) => change({ destination })}
          errorOf={errorOf}
        />
        {fields.destination.type !== 'folder' && (
          <SecretField
            to={fields.destination}
            hasSecret={schedule?.hasSecret === true}
            value={secret}
            error={errorOf('secret')}
            onChange={(value) => {
              setDirty(true)
              setSecret(value)
            }}
          />
        )}
      </div>
    </Dialog>
  )
}

type ErrorOf = (name: string) => string | undefined

interface WhoseFieldsProps {
  readonly fields: Fields
  readonly onChange: (some: Partial<Fields>) => void
  readonly errorOf: ErrorOf
}

function WhoseFields({ fields, onChange, errorOf }: WhoseFieldsProps) {
  const names = useApiQuery(recordsRoutes.listRecordFilters).data
  const options = (list: readonly string[] = [], chosen: string | null) => [
    { value: '', label: t('Everybody') },
    ...[...new Set([...list, ...(chosen === null ? [] : [chosen])])].map((value) => ({
      value,
      label: value,
    })),
  ]
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('Client')}
        hint={t('A client’s file says what the client may see')}
        value={fields.client ?? ''}
        options={options(names?.clients, fields.client)}
        error={errorOf('client')}
        onChange={({ target }) => onChange({ client: target.value || null })}
      />
      <SelectField
        label={t('Supplier')}
        value={fields.gateway ?? ''}
        options={options(names?.gateways, fields.gateway)}
        error={errorOf('gateway')}
        onChange={({ target }) => onChange({ gateway: target.value || null })}
      />
    </div>
  )
}

interface DestinationFieldsProps {
  readonly to: CdrDestination
  readonly onChange: (to: CdrDestination) => void
  readonly errorOf: ErrorOf
}

function DestinationFields({ to, onChange, errorOf }: DestinationFieldsProps) {
  const text = (label: string, key: string, value: string, hint?: string) => (
    <TextField
      label={label}
      hint={hint}
      value={value}
      autoCapitalize="none"
      spellCheck={false}
      error={errorOf(`destination.${key}`)}
      onChange={({ target }) => onChange({ ...to, [key]: target.value } as CdrDestination)}
    />
  )
  if (to.type === 'folder') return text(t('Folder below CDR_DIR'), 'path', to.path)
  if (to.type === 's3')
    return (
      <div className="grid gap-4 sm:grid-cols-2">
        {text(t('Address of the storage'), 'endpoint', to.endpoint)}
        {text(t('Region'), 'region', to.region)}
        {text(t('Bucket'), 'bucket', to.bucket)}
        {text(t('Folder'), 'path', to.path)}
        {text(t('Access key id'), 'accessKeyId', to.accessKeyId)}
      </div>
    )
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {text(t('Host'), 'host', to.host)}
      <NumberField
        label={t('Port')}
        min="1"
        max="65535"
        value={to.port}
        error={errorOf('destination.port')}
        onChange={({ target }) => onChange({ ...to, port: Number(target.value) })}
      />
      {text(t('User name'), 'username', to.username)}
      {text(t('Folder'), 'path', to.path)}
      {text(t('Host key'), 'hostKey', to.hostKey, t('SHA256:… Leave it empty first: a test tells it'))}
      <SelectField
        label={t('Sign in with')}
        value={to.signIn}
        error={errorOf('destination.signIn')}
        options={[
          { value: 'password', label: t('Password') },
          { value: 'key', label: t('Private key') },
        ]}
        onChange={({ target }) => onChange({ ...to, signIn: target.value === 'key' ? 'key' : 'password' })}
      />
    </div>
  )
}

interface SecretFieldProps {
  readonly to: CdrDestination
  readonly hasSecret: boolean
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function SecretField({ to, hasSecret, value, error, onChange }: SecretFieldProps) {
  const hint = hasSecret
    ? t('Leave it empty to keep the stored one, unless the address changes')
    : t('Stored encrypted and never shown')
  if (to.type === 'sftp' && to.signIn === 'key')
    return (
      <TextAreaField
        label={t('Private key')}
        hint={hint}
        value={value}
        rows={4}
        spellCheck={false}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  return (
    <PasswordField
      label={to.type === 's3' ? t('Secret access key') : t('Password')}
      hint={hint}
      value={value}
      autoComplete="new-password"
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
