import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import { Fingerprint, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { passkeyProblem } from '../../sign-in/passkey-support.ts'
import { useSession, useUser } from '../../../api/session.tsx'
import { useApiMutation } from '../../../api/use-api.ts'
import { SaveFailure } from '../../../api/SaveFailure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { PasskeySetup } from './PasskeySetup.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { TotpSetup } from './TotpSetup.tsx'
import { t } from '../../../language/t.ts'

/**
 * The first second factor of a person whose role requires one: choice, setup and recovery codes. Then the console
 * opens.
 */
export function SecondFactorSetup() {
  const { username } = useUser()
  const { retry } = useSession()
  const [codes, setCodes] = useState<readonly string[]>()
  const [isPasskey, setPasskey] = useState(false)
  const start = useApiMutation(secondFactorRoutes.startTotp, { failure: false })
  const fault = passkeyProblem()
  if (codes) return <RecoveryCodes codes={codes} username={username} doneLabel={t('Go on')} onDone={retry} />
  if (start.data) return <TotpSetup app={start.data} onCancel={start.reset} onDone={setCodes} />
  if (isPasskey) return <PasskeySetup onCancel={() => setPasskey(false)} onDone={setCodes} />
  return (
    <div className="space-y-3">
      <SaveFailure error={start.error} title={t('Failed to set up the authenticator app')} />
      <Button
        tone="primary"
        size="lg"
        icon={Smartphone}
        isBusy={start.isPending}
        onClick={() => start.mutate({})}
        className="w-full"
      >
        {t('Use an authenticator app')}
      </Button>
      <Button
        size="lg"
        icon={Fingerprint}
        isDisabled={fault !== undefined}
        onClick={() => setPasskey(true)}
        className="w-full"
      >
        {t('Use a passkey')}
      </Button>
      {fault !== undefined && <p className="text-xs text-ink-3">{fault}</p>}
    </div>
  )
}
