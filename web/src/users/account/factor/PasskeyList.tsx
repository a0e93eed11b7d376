import { secondFactorRoutes, type Passkey } from '@tollgate/contract/second-factor.ts'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldOf, useApiForm } from '../../../api/use-api-form.ts'
import { useApiMutation } from '../../../api/use-api.ts'
import { formatDateTime, formatDay } from '../../../format/dates.ts'
import { ConfirmMutation } from '../../../api/ConfirmMutation.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { factorPaths } from './paths.ts'

export function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [removing, setRemoving] = useState<Passkey>()
  const [renamingId, setRenamingId] = useState<string>()
  return (
    <>
      <ul aria-label="Passkeys" className="divide-y divide-line">
        {passkeys.map((passkey) => (
          <li key={passkey.id} className="py-2">
            {passkey.id === renamingId ? (
              <RenameForm passkey={passkey} onDone={() => setRenamingId(undefined)} />
            ) : (
              <div className="flex items-start justify-between gap-3">
                <div className="min-w-0">
                  <p className="truncate font-medium">{passkey.name}</p>
                  <p className="text-xs text-ink-3">
                    Added {formatDay(passkey.createdAt)} ·{' '}
                    {passkey.lastUsedAt === null
                      ? 'never used'
                      : `last used ${formatDateTime(passkey.lastUsedAt)}`}
                  </p>
                </div>
                <span className="inline-flex shrink-0 gap-0.5">
                  <IconButton
                    icon={Pencil}
                    label={`Rename ${passkey.name}`}
                    onClick={() => setRenamingId(passkey.id)}
                  />
                  <IconButton
                    icon={Trash2}
                    label={`Remove ${passkey.name}`}
                    onClick={() => setRemoving(passkey)}
                  />
                </span>
              </div>
            )}
          </li>
        ))}
      </ul>
      {removing && (
        <ConfirmMutation
          onClose={() => setRemoving(undefined)}
          title={`Remove ${removing.name}?`}
          route={secondFactorRoutes.removePasskey}
          refetch={factorPaths}
          success="Passkey removed"
          failure="Failed to remove the passkey"
          call={{ params: { id: removing.id } }}
          confirmLabel="Remove"
          busyLabel="Removing..."
        >
          It signs nobody in from now on. Delete it on the device, too, so that it is not offered there.
        </ConfirmMutation>
      )}
    </>
  )
}

function RenameForm({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const form = useApiForm(secondFactorRoutes.renamePasskey.body, { name: passkey.name })
  const rename = useApiMutation(secondFactorRoutes.renamePasskey, {
    refetch: factorPaths,
    failure: 'Failed to rename the passkey',
    onSuccess: onDone,
  })
  const submit = form.handleSubmit((body) => rename.mutate({ params: { id: passkey.id }, body }))
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-2">
      <TextField
        label="Name of the passkey"
        isLabelHidden
        autoFocus
        autoComplete="off"
        maxLength={60}
        fieldClassName="min-w-40 flex-1"
        {...fieldOf(form, 'name')}
      />
      <Button type="submit" isBusy={rename.isPending} busyLabel="Saving...">
        Save
      </Button>
      <Button tone="ghost" onClick={onDone}>
        Cancel
      </Button>
    </form>
  )
}
