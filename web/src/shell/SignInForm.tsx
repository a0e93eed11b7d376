import { useMutation } from '@tanstack/react-query'
import { loginSchema, usersRoutes, type SignedInUser } from '@tollgate/contract/users.ts'
import { Fingerprint } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { useAct } from '../api/use-call.ts'
import { showFieldFaults, useApiForm } from '../api/use-api-form.ts'
import { ApiError, reasonOf } from '../api/api-error.ts'
import { passkeyFault } from '../api/passkey-fault.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { lazyPart } from '../ui/lazy-part.ts'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'

const CodeStep = lazyPart(() => import('./CodeStep.tsx'), 'CodeStep')

interface Step {
  readonly given: z.output<typeof loginSchema>
  readonly asked: ApiError
}

/** Username and password, then what else the account asks for; or a passkey alone. Spec §2, §5. */
export function SignInForm({ onDone }: { onDone: (user: SignedInUser) => void }) {
  const form = useApiForm(loginSchema, { username: '', password: '' })
  const [step, setStep] = useState<Step>()
  const login = useAct(usersRoutes.login, { failure: false, onSuccess: onDone })
  const passkey = useMutation({
    mutationFn: async () => (await import('../api/passkeys.ts')).signInWithPasskey(),
    onSuccess: onDone,
  })
  const { errors } = form.formState
  const refused = (given: Step['given']) => (error: Error) => {
    if (error instanceof ApiError && error.code === 'second_factor') {
      login.reset()
      return setStep({ given, asked: error })
    }
    showToast({ tone: 'bad', title: 'Login failed', text: reasonOf(error) })
    showFieldFaults(form, error)
  }
  const submit = form.handleSubmit((body) => {
    passkey.reset()
    login.mutate({ body }, { onError: refused(body) })
  })
  const error = login.error ?? passkey.error
  if (step) return <CodeStep {...step} onBack={() => setStep(undefined)} onDone={onDone} />
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      <TextField
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        error={errors.username?.message}
        {...form.register('username')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        required
        error={errors.password?.message}
        {...form.register('password')}
      />
      {error && (
        <Notice tone="bad" title="Login failed">
          {reasonOf(error)}
        </Notice>
      )}
      <Button
        type="submit"
        tone="primary"
        size="lg"
        isBusy={login.isPending}
        busyLabel="Signing in..."
        className="w-full"
      >
        Sign In
      </Button>
      {passkeyFault() === undefined && (
        <Button
          size="lg"
          icon={Fingerprint}
          isBusy={passkey.isPending}
          onClick={() => {
            login.reset()
            passkey.mutate()
          }}
          className="w-full"
        >
          Sign in with a passkey
        </Button>
      )}
    </form>
  )
}
