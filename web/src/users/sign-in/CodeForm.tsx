import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import { usersRoutes, type loginSchema, type SignedInUser } from '@tollgate/contract/users/users.ts'
import { ArrowLeft } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import type { z } from 'zod'
import { messageOf, type ApiError } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { PasskeyButton } from './PasskeyButton.tsx'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

function isRecoveryCode(code: string): boolean {
  return code.replaceAll(/[\s-]/g, '').length > 6
}

/** Shows how many recovery codes are left after a sign-in with one. */
async function showCodesLeft(): Promise<void> {
  const { recoveryCodesLeft: left } = await call(secondFactorRoutes.getSecondFactor)
  showToast({
    title: counted(left, '1 recovery code left', '{count} recovery codes left'),
    text: t('Your account, Second factor, makes new ones.'),
  })
}

interface CodeFormProps {
  /** The accepted username and password. */
  readonly credentials: z.output<typeof loginSchema>
  /** The server's answer, which says which factors the account has. */
  readonly challenge: ApiError
  readonly onBack: () => void
  readonly onDone: (user: SignedInUser) => void
}

/** The second step of a sign-in. Nobody is signed in before it, so the password is sent again with the code. */
export function CodeForm({ credentials, challenge, onBack, onDone }: CodeFormProps) {
  const [code, setCode] = useState('')
  const login = useApiMutation(usersRoutes.login, {
    failure: t('Login failed'),
    onSuccess: (user) => {
      onDone(user)
      if (isRecoveryCode(code)) void showCodesLeft()
    },
  })
  const hasPasskey = challenge.fields['passkey'] !== undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (code.trim() === '') return
    // A wrong code is cleared.
    login.mutate({ body: { ...credentials, code } }, { onError: () => setCode('') })
  }
  return (
    <form noValidate onSubmit={submit} className="space-y-4">
      <div>
        <h2 className="text-md">{t('Second step')}</h2>
        <p className="text-ink-3">{challenge.reason}</p>
      </div>
      <TextField
        label={t('Code')}
        hint={t('6 digits from the app, or one of your recovery codes')}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        isMono
        autoFocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {login.error && (
        <Notice tone="bad" title={t('Login failed')} isAlert>
          {messageOf(login.error)}
        </Notice>
      )}
      <SubmitButton isBusy={login.isPending} busyLabel={t('Signing in...')} isDisabled={code.trim() === ''}>
        {t('Sign In')}
      </SubmitButton>
      {hasPasskey && <PasskeyButton label={t('Use a passkey')} onDone={onDone} />}
      <Button tone="ghost" icon={ArrowLeft} onClick={onBack}>
        {t('Back')}
      </Button>
    </form>
  )
}
