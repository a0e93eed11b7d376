import { loginSchema, usersRoutes, type SignedInUser } from '@tollgate/contract/users.ts'
import { useState } from 'react'
import type { z } from 'zod'
import { useApiMutation } from '../../api/use-api.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { ApiError, messageOf } from '../../api/api-error.ts'
import { passkeyProblem } from './passkey-support.ts'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'

const CodeForm = lazyComponent(() => import('./CodeForm.tsx'), 'CodeForm')
const PasskeyButton = lazyComponent(() => import('./PasskeyButton.tsx'), 'PasskeyButton')

interface SecondStep {
  readonly credentials: z.output<typeof loginSchema>
  readonly challenge: ApiError
}

interface SignInFormProps {
  /** Already known for a person who has just chosen a new password. */
  readonly username: string
  readonly onDone: (user: SignedInUser) => void
  /** Called with the text in the username field. Absent where nobody can leave for a new password. */
  readonly onForgot?: (username: string) => void
}

/** Username and password, then a second factor if the account has one; or a passkey alone. Spec §2, §5. */
export function SignInForm({ username, onDone, onForgot }: SignInFormProps) {
  const form = useApiForm(loginSchema, { username, password: '' })
  const [step, setStep] = useState<SecondStep>()
  const login = useApiMutation(usersRoutes.login, { failure: false, onSuccess: onDone })
  const refused = (credentials: SecondStep['credentials']) => (error: Error) => {
    if (error instanceof ApiError && error.code === 'second_factor') {
      login.reset()
      return setStep({ credentials, challenge: error })
    }
    showToast({ tone: 'bad', title: t('Login failed'), text: messageOf(error) })
    showFieldErrors(form, error)
  }
  const submit = form.handleSubmit((body) => {
    login.mutate({ body }, { onError: refused(body) })
  })
  if (step) return <CodeForm {...step} onBack={() => setStep(undefined)} onDone={onDone} />
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      <TextField
        label={t('Username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...fieldOf(form, 'username')}
      />
      <PasswordField
        label={t('Password')}
        autoComplete="current-password"
        required
        {...fieldOf(form, 'password')}
      />
      {login.error && (
        <Notice tone="bad" title={t('Login failed')}>
          {messageOf(login.error)}
        </Notice>
      )}
      <SubmitButton isBusy={login.isPending} busyLabel={t('Signing in...')}>
        {t('Sign In')}
      </SubmitButton>
      {passkeyProblem() === undefined && (
        <PasskeyButton
          label={t('Sign in with a passkey')}
          onDone={onDone}
          waiting={<div className="h-10 pointer-coarse:h-11" />}
        />
      )}
      {onForgot && (
        <div className="text-center">
          <Button tone="ghost" onClick={() => onForgot(form.getValues('username'))}>
            {t('Forgot password?')}
          </Button>
        </div>
      )}
    </form>
  )
}
