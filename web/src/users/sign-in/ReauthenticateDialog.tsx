import { useMutation } from '@tanstack/react-query'
import { usersRoutes } from '@tollgate/contract/users/users.ts'
import { Fingerprint } from 'lucide-react'
import { z } from 'zod'
import { reauthentication } from '../../api/waiting-calls.ts'
import { passkeyProblem } from './passkey-support.ts'
import { reauthenticateWithPasskey } from './passkeys.ts'
import { useUser } from '../../api/session.tsx'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { t } from '../../language/t.ts'

const formSchema = z.object({
  password: z.string().min(1, t('Enter your password')).max(256),
  code: z.string().trim().max(40),
})
const withCodeSchema = formSchema.extend({ code: formSchema.shape.code.min(1, t('Enter the code')) })

/** Asks for the password or another factor again before sensitive calls. The waiting call then continues by itself. */
export function ReauthenticateDialog() {
  const { username, hasSecondFactor } = useUser()
  const form = useApiForm(hasSecondFactor ? withCodeSchema : formSchema, { password: '', code: '' })
  const answered = () => reauthentication.settle(true)
  const confirm = useApiMutation(usersRoutes.reauthenticate, { failure: false, onSuccess: answered })
  const passkey = useMutation({ mutationFn: reauthenticateWithPasskey, onSuccess: answered })
  const { errors } = form.formState
  const submit = form.handleSubmit(({ password, code }) => {
    passkey.reset()
    const body = { password, ...(hasSecondFactor && { code }) }
    confirm.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) })
  })
  const hasFieldFault = errors.password !== undefined || errors.code !== undefined
  return (
    <Dialog
      isOpen
      onClose={() => reauthentication.settle(false)}
      title={hasSecondFactor ? t('Confirm that it is you') : t('Confirm your password')}
      description={
        hasSecondFactor
          ? t('It has been a while since you signed in, and this requires a recent sign-in.')
          : t('It has been a while since you entered it, and this requires it.')
      }
      width="sm"
      onSubmit={(event) => void submit(event)}
      action={
        <Button tone="primary" type="submit" isBusy={confirm.isPending} busyLabel={t('Confirming...')}>
          {t('Confirm')}
        </Button>
      }
    >
      <div className="space-y-4">
        {!hasFieldFault && <SaveFailure error={confirm.error ?? passkey.error} title={t('Not confirmed')} />}
        {/* For password managers: the account of this password. */}
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <PasswordField
          label={t('Your password')}
          autoComplete="current-password"
          {...fieldOf(form, 'password')}
        />
        {hasSecondFactor && (
          <>
            <TextField
              label={t('Code')}
              hint={t('6 digits from the app, or one of your recovery codes')}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              isMono
              {...fieldOf(form, 'code')}
            />
            {passkeyProblem() === undefined && (
              <Button
                icon={Fingerprint}
                isBusy={passkey.isPending}
                busyLabel={t('Waiting for the device...')}
                onClick={() => {
                  confirm.reset()
                  form.clearErrors()
                  passkey.mutate()
                }}
                className="w-full"
              >
                {t('Use a passkey instead')}
              </Button>
            )}
          </>
        )}
      </div>
    </Dialog>
  )
}
