import { useMutation } from '@tanstack/react-query'
import { Fingerprint } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { addPasskey } from '../../sign-in/passkeys.ts'
import { SaveFailure } from '../../../api/SaveFailure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { PageForm } from '../../../ui/PageForm.tsx'
import { showToast } from '../../../ui/toasts.ts'
import { t } from '../../../language/t.ts'

const systems = ['iPhone', 'iPad', 'Android', 'Mac', 'Windows', 'Linux']

/** A default name for a passkey on this device. */
function deviceName(): string {
  const system = systems.find((word) => navigator.userAgent.includes(word))
  return system === undefined ? t('Passkey') : t('{system} passkey', { system })
}

interface PasskeySetupProps {
  readonly onCancel: () => void
  /** Gets recovery codes if this is the first factor. */
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

/** Asks for the name of a new passkey. Then the browser asks for the device. */
export function PasskeySetup({ onCancel, onDone }: PasskeySetupProps) {
  const [name, setName] = useState(deviceName)
  const add = useMutation({
    mutationFn: () => addPasskey(name.trim()),
    onSuccess: ({ recoveryCodes }) => {
      showToast({ title: t('Success'), text: t('Passkey added; your other sessions have ended') })
      onDone(recoveryCodes)
    },
  })
  const isEmpty = name.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmpty) add.mutate()
  }
  return (
    <PageForm onSubmit={submit} className="space-y-4">
      <SaveFailure error={add.error} title={t('The passkey was not added')} />
      <TextField
        label={t('Name')}
        hint={t('Which device it is on; only you see it')}
        autoComplete="off"
        maxLength={60}
        autoFocus
        value={name}
        error={isEmpty ? t('Give the passkey a name') : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          tone="primary"
          type="submit"
          icon={Fingerprint}
          isBusy={add.isPending}
          busyLabel={t('Waiting for the device...')}
          isDisabled={isEmpty}
        >
          {t('Create the passkey')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </div>
    </PageForm>
  )
}
