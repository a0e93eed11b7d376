// Adds or changes a connection to an upstream.
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { changedConnection } from '@tollgate/contract/destinations.ts'
import { bindTypes, interfaceVersions, readIdForms } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { alphabetOptions } from '../format/alphabets.ts'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { Switch } from '../ui/Checkbox.tsx'
import { NumberField, PasswordField, SelectField, TextField } from '../ui/Field.tsx'
import { NetworksField } from '../users/NetworksField.tsx'
import { Fold } from '../ui/Fold.tsx'
import type { ConnectionCure } from '../gateway/link-state.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { connectionPaths } from '../gateway/queries.ts'
import { SupplierAliasField, useSupplierAlias } from '../api/SupplierAliasField.tsx'
import { secretAgainHint } from '../api/secret-again.ts'
import { bodyOf, formSchema, newConnection, valuesOf, type ConnectionForm } from './connection-form.ts'
import { TlsFields } from './TlsFields.tsx'
import { t } from '../language/t.ts'

const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }))
// Made when they are shown: the labels may stand in a script that is loaded with this one.
const bindTypeOptions = () => bindTypes.map((value) => ({ value, label: bindTypeLabels[value] }))

interface ConnectionDialogProps {
  /** The connection to change, as the list has it now. Absent when a new one is added. */
  readonly connection?: Connection
  /** The field to begin in: what cures a fault. */
  readonly field?: ConnectionCure
  readonly onClose: () => void
}

export function ConnectionDialog({ connection: latest, field, onClose }: ConnectionDialogProps) {
  // What the form was filled with. The list is read anew meanwhile, and its version is that of somebody else's save.
  const [connection, setConnection] = useState(latest)
  const form = useApiForm(formSchema, valuesOf(connection))
  const alias = useSupplierAlias('connection', connection?.name)
  return (
    <SaveDialog
      onClose={onClose}
      title={connection ? t('Edit {name}', { name: connection.name }) : t('Add Connection')}
      description={
        connection ? t('It reconnects with what you change.') : t('It connects at once and stays connected.')
      }
      width="lg"
      form={form}
      route={connection ? connectionsRoutes.editConnection : connectionsRoutes.createConnection}
      refetch={connectionPaths}
      success={
        connection ? t('SMPP connection updated successfully') : t('SMPP connection added successfully')
      }
      callOf={(checked) =>
        connection
          ? { params: { id: connection.id }, body: { ...bodyOf(checked), version: connection.version } }
          : { body: bodyOf(checked) }
      }
      submitLabel={connection ? t('Save') : t('Add Connection')}
      failure={connection ? t('Failed to update SMPP connection') : t('Failed to add SMPP connection')}
      saved={latest && valuesOf(latest)}
      onTakeSaved={() => setConnection(latest)}
      before={alias.before}
    >
      <NeededFields form={form} connection={connection} begin={field} />
      <Fold label={t('More settings')} startsOpen={hasMore(connection)} isHeldOpen={isMoreRefused(form)}>
        <div className="space-y-4">
          <AddressFields form={form} />
          <SessionFields form={form} />
          <div className="flex flex-col items-start gap-3">
            <TlsFields form={form} />
            <Switch
              label={t('National language tables of GSM in what we send')}
              {...form.register('useNationalTables')}
            />
            <Switch label={t('Strict: refuse reserved values')} {...form.register('isStrict')} />
            <Switch
              label={t('A text that reads as a receipt is one')}
              {...form.register('isReceiptByText')}
            />
          </div>
          <SupplierAliasField alias={alias} />
        </div>
      </Fold>
    </SaveDialog>
  )
}

interface ConnectionFieldsProps {
  readonly form: ConnectionForm
  readonly connection: Connection | undefined
}

interface NeededFieldsProps extends ConnectionFieldsProps {
  /** The field to begin in. */
  readonly begin: ConnectionCure | undefined
}

const needed: readonly string[] = ['name', 'host', 'port', 'systemId', 'password']

/** Whether a setting beyond the needed ones differs from what a new connection has. */
function hasMore(connection: Connection | undefined): boolean {
  if (connection === undefined) return false
  const values: Readonly<Record<string, unknown>> = valuesOf(connection)
  return Object.entries(newConnection).some(
    ([name, value]) => !needed.includes(name) && values[name] !== value,
  )
}

const isMoreRefused = ({ formState: { errors } }: ConnectionForm): boolean =>
  Object.keys(errors).some((name) => !needed.includes(name) && name !== 'root')

function NeededFields({ form, connection, begin }: NeededFieldsProps) {
  const beginOf = (name: ConnectionCure) => ({ 'data-begin': name === begin || undefined })
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label={t('Name')} fieldClassName="sm:col-span-2" {...fieldOf(form, 'name')} />
      <TextField
        label={t('Host')}
        autoCapitalize="none"
        placeholder={t('smsc.example.com')}
        {...beginOf('host')}
        {...fieldOf(form, 'host')}
      />
      <NumberField label={t('Port')} min="1" max="65535" {...fieldOf(form, 'port')} />
      <TextField
        label={t('System ID')}
        autoComplete="off"
        autoCapitalize="none"
        {...beginOf('systemId')}
        {...fieldOf(form, 'systemId')}
      />
      <PasswordAgain form={form} connection={connection} begin={begin} />
    </div>
  )
}

/** How it binds, and what its addresses and ids look like. */
function AddressFields({ form }: Pick<ConnectionFieldsProps, 'form'>) {
  const { register } = form
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField label={t('Bind Type')} options={bindTypeOptions()} {...register('bindType')} />
        <TextField label={t('System Type')} {...fieldOf(form, 'systemType')} />
        <SelectField
          label={t('Interface Version')}
          options={optionsOf(interfaceVersions)}
          {...register('interfaceVersion')}
        />
      </div>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <NumberField label={t('Source TON')} {...fieldOf(form, 'sourceTon')} />
        <NumberField label={t('Source NPI')} {...fieldOf(form, 'sourceNpi')} />
        <NumberField label={t('Dest TON')} {...fieldOf(form, 'destTon')} />
        <NumberField label={t('Dest NPI')} {...fieldOf(form, 'destNpi')} />
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <NumberField
          label={t('Throughput (msg/s)')}
          hint={t('What we send at most; 0 is no limit')}
          {...fieldOf(form, 'throughput')}
        />
        <SelectField
          label={t('Message id in answers')}
          options={optionsOf(readIdForms)}
          {...register('answerIdForm')}
        />
        <SelectField
          label={t('Message id in receipts')}
          options={optionsOf(readIdForms)}
          {...register('receiptIdForm')}
        />
      </div>
    </>
  )
}

/** How the two sides read and pace each other. */
function SessionFields({ form }: { readonly form: ConnectionForm }) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t('Alphabet of Coding 0')}
          options={alphabetOptions}
          {...form.register('defaultAlphabet')}
        />
        <NumberField
          label={t('Receive Window')}
          hint={t('Unanswered messages from the gateway, 1 to 1000')}
          min="1"
          max="1000"
          {...fieldOf(form, 'receiveWindow')}
        />
        <NumberField
          label={t('Send Window')}
          hint={t('Unanswered messages of ours, 1 to 100; empty: as all')}
          min="1"
          max="100"
          {...fieldOf(form, 'sendWindow')}
        />
        <NumberField
          label={t('Enquire Link')}
          hint={t('Seconds of silence before we ask, 5 to 3600; empty: as all')}
          min="5"
          max="3600"
          {...fieldOf(form, 'enquireLinkSeconds')}
        />
      </div>
      <NetworksField
        hint={t('One on each line. The host must be in one of them, or we do not connect; empty allows any')}
        rows={2}
        {...fieldOf(form, 'allowedCidrs')}
      />
    </>
  )
}

/** The password. It must be entered again when the connection is pointed to another host. */
function PasswordAgain({ form, connection, begin }: NeededFieldsProps) {
  const { host, port, useTls = false, tlsCa, tlsName, systemId = '' } = form.watch()
  const entered = {
    host,
    port: Number(port),
    useTls,
    tlsCa: tlsCa || null,
    tlsName: tlsName || null,
    systemId,
  }
  const changed = connection && changedConnection(connection, entered)
  return (
    <PasswordField
      label={t('Password')}
      autoComplete="new-password"
      hint={
        changed === undefined
          ? connection && t('Leave it empty to keep the current one')
          : secretAgainHint('password', changed)
      }
      aria-required={changed !== undefined}
      data-begin={begin === 'password' || undefined}
      {...fieldOf(form, 'password')}
    />
  )
}
