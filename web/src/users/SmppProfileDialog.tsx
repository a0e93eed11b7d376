import { gatewayRoutes } from '@tollgate/contract/gateway.ts'
import {
  allowedCidrsSchema,
  editSmppProfileSchema,
  smppProfileRoutes,
  type SmppProfile,
} from '@tollgate/contract/smpp-profile.ts'
import type { User } from '@tollgate/contract/users.ts'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { fieldOf, useApiForm } from '../api/use-api-form.ts'
import { useApiQuery } from '../api/use-api.ts'
import { SaveDialog } from '../api/SaveDialog.tsx'
import { Switch } from '../ui/Checkbox.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { NumberField, TextAreaField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { userPaths } from './queries.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'

// The networks are edited in one field, one on each line.
const formSchema = editSmppProfileSchema.extend({
  allowedCidrs: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((cidr) => cidr !== ''))
    .pipe(allowedCidrsSchema),
})

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
    { isSecret: true },
  )
  if (profile.data) return <SmppProfileForm user={user} latest={profile.data} onClose={onClose} />
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="SMPP profile"
      description={user.username}
      closeLabel="Close"
      width="sm"
    >
      {profile.error ? (
        <FetchFailure of={profile} title="Failed to fetch the SMPP profile" />
      ) : (
        <Skeleton className="h-80" />
      )}
    </Dialog>
  )
}

/** An account without a system id sends none: an empty one would be refused. */
function profileFormValues({ systemId, allowedCidrs, throughput, tlsOnly, window, version }: SmppProfile) {
  return {
    ...(systemId !== '' && { systemId }),
    allowedCidrs: allowedCidrs.join('\n'),
    throughput,
    tlsOnly,
    window,
    version,
  }
}

interface SmppProfileFormProps extends SmppProfileDialogProps {
  /** The current profile on the server. It was fetched again after a refusal. */
  readonly latest: SmppProfile
}

function SmppProfileForm({ user, latest, onClose }: SmppProfileFormProps) {
  const form = useApiForm(formSchema, profileFormValues(latest))
  const isTlsOnly = useWatch({ control: form.control, name: 'tlsOnly' })
  const status = useApiQuery(gatewayRoutes.getSmppStatus)
  return (
    <SaveDialog
      onClose={onClose}
      title="SMPP profile"
      description={user.username}
      width="sm"
      consequence="Binds that no longer fit are put out within 5 s; another system id puts out all of them."
      form={form}
      route={smppProfileRoutes.editSmppProfile}
      refetch={[smppProfileRoutes.getSmppProfile.path, ...userPaths]}
      success="SMPP profile updated successfully"
      callOf={(body) => ({ params: { id: user.id }, body })}
      submitLabel="Save Changes"
      failure="Failed to update the SMPP profile"
      saved={profileFormValues(latest)}
    >
      {latest.systemId !== '' && (
        <TextField
          label="System ID"
          hint="1 to 15 characters: what the account binds as"
          isMono
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...fieldOf(form, 'systemId')}
        />
      )}
      <TextAreaField
        label="Allowed Networks"
        hint="One on each line, such as 192.0.2.0/24; empty allows any address"
        isMono
        rows={4}
        spellCheck={false}
        {...fieldOf(form, 'allowedCidrs')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label="Throughput"
          hint="Messages a second over all binds; 0 is no limit"
          min="0"
          max="100000"
          step="1"
          {...fieldOf(form, 'throughput')}
        />
        <NumberField
          label="Window"
          hint="Unanswered messages of a session, 1 to 1000"
          min="1"
          max="1000"
          step="1"
          {...fieldOf(form, 'window')}
        />
      </div>
      <Switch label="TLS only" {...form.register('tlsOnly')} />
      {status.data?.server.hasTls === false && isTlsOnly === true && (
        <Notice tone="warn" title="This gateway has no TLS port">
          With TLS only nobody can bind with this account. Whoever runs the gateway sets SMPP_TLS_PORT,
          TLS_CERT and TLS_KEY first.
        </Notice>
      )}
    </SaveDialog>
  )
}
