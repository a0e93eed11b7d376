import { passwordResetRoutes } from '@tollgate/contract/users/password-resets.ts'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import { messageOf } from '../../api/api-error.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { formatDateTime } from '../../format/dates.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { nothingWithdrawn, WithdrawAccess } from '../WithdrawAccess.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { EntryFrame } from './EntryFrame.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'

interface ResetPasswordPageProps {
  readonly token: string
  /** Called with the username once the password is replaced, or without it to leave. */
  readonly onDone: (username?: string) => void
}

type OpenedLink = z.infer<typeof passwordResetRoutes.openResetLink.response>

/** The page of a one-time link: choose a new password. */
export function ResetPasswordPage({ token, onDone }: ResetPasswordPageProps) {
  const { mutate, data, error } = useApiMutation(passwordResetRoutes.openResetLink, { failure: false })
  useEffect(() => mutate({ body: { token } }), [mutate, token])
  const title = data?.isFirst ? t('Choose your password') : t('Choose a new password')
  useTitle(title)
  return (
    <EntryFrame
      title={title}
      text={
        data
          ? t('For {username}, until {expiresAt}.', {
              username: data.username,
              expiresAt: formatDateTime(data.expiresAt),
            })
          : t('By a link that works once.')
      }
    >
      {error ? (
        <div className="space-y-4">
          <Notice tone="bad" title={t('This link opens nothing')} isAlert>
            {messageOf(error)}
          </Notice>
          <Button size="lg" className="w-full" onClick={() => onDone()}>
            {t('Back to sign in')}
          </Button>
        </div>
      ) : data ? (
        <ChooseForm token={token} link={data} onDone={onDone} />
      ) : (
        <Skeleton className="h-40" />
      )}
    </EntryFrame>
  )
}

const formSchema = z.object({ newPassword: passwordResetRoutes.useResetLink.body.shape.newPassword })

function ChooseForm({ token, link, onDone }: ResetPasswordPageProps & { link: OpenedLink }) {
  const [withdrawal, setWithdrawal] = useState(nothingWithdrawn)
  const form = useApiForm(formSchema, { newPassword: '' })
  const choose = useApiMutation(passwordResetRoutes.useResetLink, {
    success: link.isFirst
      ? t('Password saved. Sign in with it.')
      : t('Password changed; all sessions have ended. Sign in with the new one.'),
    failure: false,
    onSuccess: ({ username }) => onDone(username),
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    choose.mutate(
      { body: { ...body, ...withdrawal, withdrawKeys: [...withdrawal.withdrawKeys], token } },
      { onError: (error) => void showFieldErrors(form, error) },
    ),
  )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      {!errors.newPassword && <SaveFailure error={choose.error} title={t('Failed to change the password')} />}
      {/* For password managers: the account of this password. */}
      <input type="hidden" name="username" autoComplete="username" value={link.username} />
      <PasswordField
        label={t('New password')}
        autoComplete="new-password"
        autoFocus
        hint={t('At least {passwordLengthMin} characters', { passwordLengthMin: link.passwordLengthMin })}
        {...fieldOf(form, 'newPassword')}
      />
      {!link.isFirst && (
        <WithdrawAccess
          keys={link.keys}
          hasSmppAccess={link.hasSmppAccess}
          value={withdrawal}
          onChange={setWithdrawal}
        />
      )}
      <SubmitButton isBusy={choose.isPending} busyLabel={t('Saving...')}>
        {t('Save the password')}
      </SubmitButton>
    </form>
  )
}
