import { secondFactorRoutes, type Passkey } from '@tollgate/contract/users/second-factor.ts'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { fieldOf, useApiForm } from '../../../api/use-api-form.ts'
import { useApiMutation } from '../../../api/use-api.ts'
import { formatDateTime, formatDay } from '../../../format/dates.ts'
import { ConfirmMutation } from '../../../api/ConfirmMutation.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { PageForm } from '../../../ui/PageForm.tsx'
import { factorPaths } from './paths.ts'
import { t } from '../../../language/t.ts'

export function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [removing, setRemoving] = useState<Passkey>()
  const [renamingId, setRenamingId] = useState<string>()
  return (
    <>
      <ul aria-label={t('Passkeys')} className="divide-y divide-line">
        {passkeys.map((passkey) => (
          <li key={passkey.id} className="py-2">
            {passkey.id === renamingId ? (
              <RenameForm passkey={passkey} onDone={() => setRenamingId(undefined)} />
            ) : (
              <div className="flex items-start justify-between gap-3">
                <div className="min-w-0">
                  <p className="truncate font-medium">{passkey.name}</p>
                  <p className="text-xs text-ink-3">
                    {t('Added {day}', { day: formatDay(passkey.createdAt) })}
                    {' · '}
                    {passkey.lastUsedAt === null
                      ? t('never used')
                      : t('last used {time}', { time: formatDateTime(passkey.lastUsedAt) })}
                  </p>
                </div>
                <span className="inline-flex shrink-0 gap-0.5">
                  <IconButton
                    icon={Pencil}
                    label={t('Rename {name}', { name: passkey.name })}
                    onClick={() => setRenamingId(passkey.id)}
                  />
                  <IconButton
                    icon={Trash2}
                    label={t('Remove {name}', { name: passkey.name })}
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
          title={t('Remove {name}?', { name: removing.name })}
          route={secondFactorRoutes.removePasskey}
          refetch={factorPaths}
          success={t('Passkey removed')}
          failure={t('Failed to remove the passkey')}
          call={{ params: { id: removing.id } }}
          confirmLabel={t('Remove')}
          busyLabel={t('Removing...')}
        >
          {t(
            'It can no longer be used to sign in. Delete it on the device, too, so that it is not offered there.',
          )}
        </ConfirmMutation>
      )}
    </>
  )
}

function RenameForm({ passkey, onDone }: { passkey: Passkey; onDone: () => void }) {
  const form = useApiForm(secondFactorRoutes.renamePasskey.body, { name: passkey.name })
  const rename = useApiMutation(secondFactorRoutes.renamePasskey, {
    refetch: factorPaths,
    failure: t('Failed to rename the passkey'),
    onSuccess: onDone,
  })
  const submit = form.handleSubmit((body) => rename.mutate({ params: { id: passkey.id }, body }))
  return (
    <PageForm onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-2">
      <TextField
        label={t('Name of the passkey')}
        isLabelHidden
        autoFocus
        autoComplete="off"
        maxLength={60}
        fieldClassName="min-w-40 flex-1"
        {...fieldOf(form, 'name')}
      />
      <Button type="submit" isBusy={rename.isPending} busyLabel={t('Saving...')}>
        {t('Save')}
      </Button>
      <Button tone="ghost" onClick={onDone}>
        {t('Cancel')}
      </Button>
    </PageForm>
  )
}
