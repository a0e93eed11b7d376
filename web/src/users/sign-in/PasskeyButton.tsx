import { useMutation } from '@tanstack/react-query'
import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import { Fingerprint } from 'lucide-react'
import { messageOf } from '../../api/api-error.ts'
import { passkeyProblem } from './passkey-support.ts'
import { signInWithPasskey } from './passkeys.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { t } from '../../language/t.ts'

interface PasskeyButtonProps {
  readonly label: string
  readonly onDone: (user: SignedInUser) => void
}

/** Signs in with a passkey. If that is impossible it is disabled and says why. */
export function PasskeyButton({ label, onDone }: PasskeyButtonProps) {
  const passkey = useMutation({ mutationFn: signInWithPasskey, onSuccess: onDone })
  const fault = passkeyProblem()
  return (
    <>
      {passkey.error && (
        <Notice tone="bad" title={t('Login failed')} isAlert>
          {messageOf(passkey.error)}
        </Notice>
      )}
      <Button
        size="lg"
        icon={Fingerprint}
        isBusy={passkey.isPending}
        isDisabled={fault !== undefined}
        onClick={() => passkey.mutate()}
        className="w-full"
      >
        {label}
      </Button>
      {fault !== undefined && <p className="text-xs text-ink-3">{fault}</p>}
    </>
  )
}
