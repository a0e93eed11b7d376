import { gatewayRoutes } from '@tollgate/contract/gateway/gateway.ts'
import {
  editSmppProfileSchema,
  smppProfileRoutes,
  type SmppProfile,
} from '@tollgate/contract/users/smpp-profile.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useWatch } from 'react-hook-form'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiQuery } from '../api/use-api.ts'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField, SelectField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { SupplierAliasField, useSupplierAlias } from '../api/SupplierAliasField.tsx'
import { NetworksField } from './NetworksField.tsx'
import { networksText, networksTextSchema } from './networks-text.ts'
import { userPaths } from './queries.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { alphabetOptions } from '../format/alphabets.ts'
import { t } from '../language/t.ts'

const formSchema = editSmppProfileSchema.extend({ allowedCidrs: networksTextSchema })

interface SmppProfileDialogProps {
  readonly user: Pick<User, 'id' | 'username'>
  readonly onClose: () => void
}

/** How an account may bind and send over SMPP, for staff. */
export function SmppProfileDialog({ user, onClose }: SmppProfileDialogProps) {
  const profile = useApiQuery(
    smppProfileRoutes.getSmppProfile,
    { params: { id: user.id } },
    // Not cached, so that the form starts with the current values.
    { isKept: false },
  )
  if (profile.data) return <SmppProfileForm user={user} latest={profile.data} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('SMPP profile')}
      description={user.username}
      closeLabel={t('Close')}
      width="sm"
    >
      <Unfetched of={profile} title={t('Failed to fetch the SMPP profile')} className="h-80" />
    </Dialog>
  )
}

/** An account without a system id sends none: an empty one would be refused. */
function profileFormValues({ systemId, allowedCidrs, ...profile }: SmppProfile) {
  return {
    ...(systemId !== '' && { systemId }),
    allowedCidrs: networksText(allowedCidrs),
    ...profile,
  }
}

const messageIdOptions = [
  { value: 'text', label: t('Text, 26 characters') },
  { value: 'decimal', label: t('Decimal number') },
  { value: 'hex', label: t('Hexadecimal number') },
]
const versionOptions = [
  { value: 'peer', label: t('As its bind says') },
  { value: '3.4', label: t('Always 3.4') },
  { value: '3.3', label: t('Always 3.3') },
]

interface SmppProfileFormProps extends SmppProfileDialogProps {
  /** The current profile on the server. It was fetched again after a refusal. */
  readonly latest: SmppProfile
}

function SmppProfileForm({ user, latest, onClose }: SmppProfileFormProps) {
  const form = useApiForm(formSchema, profileFormValues(latest))
  const isTlsOnly = useWatch({ control: form.control, name: 'tlsOnly' })
  const treatedAs = useWatch({ control: form.control, name: 'interfaceVersion' })
  const status = useApiQuery(gatewayRoutes.getSmppStatus)
  const alias = useSupplierAlias('smpp', latest.systemId === '' ? undefined : latest.systemId)
  return (
    <SaveDialog
      onClose={onClose}
      title={t('SMPP profile')}
      description={user.username}
      width="md"
      consequence={t(
        'Changes take effect within 5 s. Binds that no longer fit are disconnected within 5 s; a new system ID disconnects all of them.',
      )}
      form={form}
      route={smppProfileRoutes.editSmppProfile}
      refetch={[smppProfileRoutes.getSmppProfile.path, ...userPaths]}
      success={t('SMPP profile updated successfully')}
      callOf={(body) => ({ params: { id: user.id }, body })}
      submitLabel={t('Save Changes')}
      failure={t('Failed to update the SMPP profile')}
      saved={profileFormValues(latest)}
      before={alias.before}
    >
      {latest.systemId !== '' && (
        <TextField
          label={t('System ID')}
          hint={t('1 to 15 characters: what the account binds as')}
          isMono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...fieldOf(form, 'systemId')}
        />
      )}
      <NetworksField
        hint={t('One on each line, such as 192.0.2.0/24; empty allows any address')}
        rows={4}
        {...fieldOf(form, 'allowedCidrs')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t('Throughput')}
          hint={t('Messages a second over all binds; 0 is no limit')}
          min="0"
          max="100000"
          step="1"
          {...fieldOf(form, 'throughput')}
        />
        <NumberField
          label={t('Enquire Link')}
          hint={t('Seconds of silence before a session is asked whether it is alive, 5 to 3600')}
          min="5"
          max="3600"
          step="1"
          {...fieldOf(form, 'enquireLinkSeconds')}
        />
        <NumberField
          label={t('Inactivity')}
          hint={t('Seconds without a message before a session is ended, 60 to 86400; 0 is never')}
          min="0"
          max="86400"
          step="1"
          {...fieldOf(form, 'inactivitySeconds')}
        />
        <NumberField
          label={t('Window')}
          hint={t('Unanswered messages from a session, 1 to 1000')}
          min="1"
          max="1000"
          step="1"
          {...fieldOf(form, 'window')}
        />
        <NumberField
          label={t('Delivery Window')}
          hint={t('Unanswered deliveries to a session, 1 to 1000')}
          min="1"
          max="1000"
          step="1"
          {...fieldOf(form, 'deliveryWindow')}
        />
        <SelectField
          label={t('Alphabet of Coding 0')}
          options={alphabetOptions}
          {...form.register('defaultAlphabet')}
        />
        <SelectField
          label={t('Message ID Form')}
          options={messageIdOptions}
          {...form.register('messageIdForm')}
        />
        <SelectField
          label={t('Interface Version')}
          options={versionOptions}
          {...form.register('interfaceVersion')}
        />
      </div>
      {treatedAs === '3.3' && (
        <Notice tone="warn" title={t('Message ids have 8 characters under SMPP 3.3')}>
          {t(
            'Decimal ids repeat after 100 million records, hexadecimal ones after 4 billion. Optional parameters are left out.',
          )}
        </Notice>
      )}
      <Switch
        label={t('Strict: refuse reserved values and times in the past')}
        {...form.register('isStrict')}
      />
      <Switch label={t('TLS only')} {...form.register('tlsOnly')} />
      <SupplierAliasField alias={alias} />
      {status.data?.server.hasTls === false && isTlsOnly === true && (
        <Notice tone="warn" title={t('This gateway has no TLS port')}>
          {t(
            'With TLS only, nobody can bind with this account yet. The operator of the gateway has to set SMPP_TLS_PORT, TLS_CERT and TLS_KEY first.',
          )}
        </Notice>
      )}
    </SaveDialog>
  )
}
