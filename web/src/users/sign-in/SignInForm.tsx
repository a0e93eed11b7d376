import { loginSchema, usersRoutes, type SignedInUser } from '@tollgate/contract/users/users.ts'
import { useRef, useState, type FormEvent } from 'react'
import type { z } from 'zod'
import { useApiMutation } from '../../api/use-api.ts'
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

type Field = keyof z.input<typeof loginSchema>
type FieldErrors = Readonly<Partial<Record<Field, string>>>

/** What the form holds: what can be sent, or the first error of each field. */
function read(form: HTMLFormElement): { body: z.output<typeof loginSchema> } | { errors: FieldErrors } {
  const result = loginSchema.safeParse(Object.fromEntries(new FormData(form)))
  if (result.success) return { body: result.data }
  const firstOf = (field: Field) => {
    const message = result.error.issues.find(({ path }) => path[0] === field)?.message
    return message === undefined ? {} : { [field]: t(message) }
  }
  return { errors: { ...firstOf('username'), ...firstOf('password') } }
}

function focusFirst(form: HTMLFormElement | null, errors: FieldErrors): void {
  form?.querySelector<HTMLInputElement>(`[name="${'username' in errors ? 'username' : 'password'}"]`)?.focus()
}

/**
 * Username and password, then a second factor if the account has one; or a passkey alone. Spec §2, §5. It is the first
 * script of every visitor, so its two fields do without the form library.
 */
export function SignInForm({ username, onDone, onForgot }: SignInFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [step, setStep] = useState<SecondStep>()
  const login = useApiMutation(usersRoutes.login, { failure: false, onSuccess: onDone })
  const showErrors = (next: FieldErrors) => {
    setErrors(next)
    if (Object.keys(next).length > 0) focusFirst(form.current, next)
  }
  const refused = (credentials: SecondStep['credentials']) => (error: Error) => {
    if (error instanceof ApiError && error.code === 'second_factor') {
      login.reset()
      return setStep({ credentials, challenge: error })
    }
    showToast({ tone: 'bad', title: t('Login failed'), text: messageOf(error) })
    if (error instanceof ApiError) showErrors(error.fields)
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const entered = read(event.currentTarget)
    if ('errors' in entered) return showErrors(entered.errors)
    setErrors({})
    login.mutate({ body: entered.body }, { onError: refused(entered.body) })
  }
  // An error goes as soon as its field is right.
  const recheck = (event: FormEvent<HTMLFormElement>) => {
    if (Object.keys(errors).length === 0) return
    const entered = read(event.currentTarget)
    setErrors('errors' in entered ? entered.errors : {})
  }
  if (step) return <CodeForm {...step} onBack={() => setStep(undefined)} onDone={onDone} />
  return (
    <form noValidate ref={form} onSubmit={submit} onInput={recheck} className="space-y-4">
      <TextField
        label={t('Username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus={username === ''}
        name="username"
        defaultValue={username}
        error={errors.username}
      />
      <PasswordField
        label={t('Password')}
        autoComplete="current-password"
        required
        autoFocus={username !== ''}
        name="password"
        error={errors.password}
      />
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
          <Button tone="ghost" onClick={() => onForgot(form.current?.querySelector('input')?.value ?? '')}>
            {t('Forgot password?')}
          </Button>
        </div>
      )}
      {/* On the page it stands in the room below the form, so that nothing moves under somebody's fingers. */}
      <div className={onForgot && 'h-0'}>
        {login.error && (
          <Notice tone="bad" title={t('Login failed')}>
            {messageOf(login.error)}
          </Notice>
        )}
      </div>
    </form>
  )
}
