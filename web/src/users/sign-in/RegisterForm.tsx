import { signUpSchema, usersRoutes, type SignedInUser } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { LeaveGuard } from '../../api/LeaveGuard.tsx'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { PageForm } from '../../ui/PageForm.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'

/** The sign-up form, after the word on who may sign up. */
export function RegisterForm({ onDone }: { onDone: (user: SignedInUser) => void }) {
  // Without an answer the form stands: the server decides in any case.
  const { data, isPending } = useApiQuery(usersRoutes.getRegistration)
  const [waiting, setWaiting] = useState<SignedInUser>()
  if (isPending) return <Skeleton className="h-40 w-full" />
  if (data?.mode === 'closed')
    return (
      <Notice title={t('Sign-up is closed')}>
        {t('Nobody can create an account here. Ask support for one, then sign in with it.')}
      </Notice>
    )
  if (waiting)
    return (
      <Notice tone="ok" title={t('Your account waits for approval')} isAlert>
        {t('Support looks at each new account. Sign in as {username} once yours is approved.', {
          username: waiting.username,
        })}
      </Notice>
    )
  return (
    <div className="space-y-4">
      {data?.mode === 'approval' && (
        <Notice title={t('Each account is approved first')}>
          {t('You can sign in once support has approved yours.')}
        </Notice>
      )}
      <SignUpFields onDone={(user) => (user.status === 'active' ? onDone(user) : setWaiting(user))} />
    </div>
  )
}

/** First name, last name, email, username, password. Spec §2. */
function SignUpFields({ onDone }: { onDone: (user: SignedInUser) => void }) {
  const form = useApiForm(signUpSchema, {
    firstName: '',
    lastName: '',
    email: '',
    username: '',
    password: '',
  })
  const register = useApiMutation(usersRoutes.register, {
    failure: t('Registration failed'),
    onSuccess: onDone,
  })
  const submit = form.handleSubmit((body) =>
    register.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <>
      <LeaveGuard />
      <PageForm
        onSubmit={(event) => void submit(event)}
        className="space-y-4"
        {...(register.isSuccess && { isDirty: false })}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('First Name')}
            autoComplete="given-name"
            required
            {...fieldOf(form, 'firstName')}
          />
          <TextField
            label={t('Last Name')}
            autoComplete="family-name"
            required
            {...fieldOf(form, 'lastName')}
          />
        </div>
        <TextField
          label={t('Email')}
          type="email"
          autoComplete="email"
          required
          {...fieldOf(form, 'email')}
        />
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
          autoComplete="new-password"
          required
          hint={t('At least 6 characters')}
          {...fieldOf(form, 'password')}
        />
        {register.error && (
          <Notice tone="bad" title={t('Registration failed')}>
            {messageOf(register.error)}
          </Notice>
        )}
        <SubmitButton isBusy={register.isPending} busyLabel={t('Creating account...')}>
          {t('Register')}
        </SubmitButton>
      </PageForm>
    </>
  )
}
