import { loginSchema, usersRoutes, type SignedInUser } from '@tollgate/contract/users.ts'
import { useAct } from '../api/use-call.ts'
import { showFieldFaults, useApiForm } from '../api/use-api-form.ts'
import { reasonOf } from '../api/api-error.ts'
import { Button } from '../ui/Button.tsx'
import { PasswordField, TextField } from '../ui/Field.tsx'
import { Notice } from '../ui/Notice.tsx'

/** Username and password. Spec §2, §5. */
export function SignInForm({ onDone }: { onDone: (user: SignedInUser) => void }) {
  const form = useApiForm(loginSchema, { username: '', password: '' })
  const login = useAct(usersRoutes.login, { failure: 'Login failed', onSuccess: onDone })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    login.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
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
      {login.error && (
        <Notice tone="bad" title="Login failed">
          {reasonOf(login.error)}
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
    </form>
  )
}
