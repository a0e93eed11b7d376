import { usersRoutes, passwordLengthMin } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { z } from 'zod'
import { reauthentication, useIsWaiting } from '../../api/waiting-calls.ts'
import { useSession, useUser } from '../../api/session.tsx'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { nothingWithdrawn, WithdrawAccess } from '../WithdrawAccess.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { EntryFrame } from './EntryFrame.tsx'
import { ReauthenticateDialog } from './ReauthenticateDialog.tsx'
import { useLogout } from './use-logout.ts'
import { useTitle } from '../../ui/use-title.ts'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'

const formSchema = z.object({ newPassword: usersRoutes.changePassword.body.shape.newPassword })

/** For a person who signed in with a password that somebody else knows. Nothing else opens before it is replaced. */
export function NewPasswordPage() {
  useTitle(t('Choose a new password'))
  const user = useUser()
  const { may, retry } = useSession()
  const { logOut, isBusy } = useLogout()
  const mustReauthenticate = useIsWaiting(reauthentication)
  const keys = useApiQuery(usersRoutes.listKeys, {}, { isEnabled: may('apiKeys') })
  const [withdrawal, setWithdrawal] = useState(nothingWithdrawn)
  const form = useApiForm(formSchema, { newPassword: '' })
  const change = useApiMutation(usersRoutes.changePassword, {
    refetch: [usersRoutes.listKeys.path],
    success: t('Password changed; your other sessions have ended'),
    failure: false,
    // The session is unrestricted now, so the console replaces this page.
    onSuccess: retry,
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    change.mutate(
      { body: { ...body, ...withdrawal, withdrawKeys: [...withdrawal.withdrawKeys] } },
      { onError: (error) => void showFieldErrors(form, error) },
    ),
  )
  return (
    <EntryFrame
      title={t('Choose a new password')}
      text={t(
        'You are signed in as {username} with a password that was made for you, and that others may have read. Everything else opens once you have your own.',
        { username: user.username },
      )}
    >
      <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
        {!errors.newPassword && (
          <SaveFailure error={change.error} title={t('Failed to change the password')} />
        )}
        {/* For password managers: the account of this password. */}
        <input type="hidden" name="username" autoComplete="username" value={user.username} />
        <PasswordField
          label={t('New password')}
          autoComplete="new-password"
          autoFocus
          hint={t('At least {role} characters', { role: passwordLengthMin(user.role) })}
          {...fieldOf(form, 'newPassword')}
        />
        <WithdrawAccess
          keys={keys.data ?? []}
          hasSmppAccess={user.smppAccess}
          value={withdrawal}
          onChange={setWithdrawal}
        />
        <div className="space-y-2">
          <SubmitButton isBusy={change.isPending} busyLabel={t('Saving...')}>
            {t('Save and continue')}
          </SubmitButton>
          <Button type="button" tone="ghost" size="lg" isBusy={isBusy} onClick={logOut} className="w-full">
            {t('Logout')}
          </Button>
        </div>
      </form>
      {mustReauthenticate && <ReauthenticateDialog />}
    </EntryFrame>
  )
}
