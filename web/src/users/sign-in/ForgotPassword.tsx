import { passwordResetRoutes } from '@tollgate/contract/users/password-resets.ts'
import { messageOf } from '../../api/api-error.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { SubmitButton } from './SubmitButton.tsx'
import { t } from '../../language/t.ts'

interface ForgotPasswordProps {
  /** The text in the username field. */
  readonly account: string
  readonly onBack: () => void
}

/** Mails a link if mail is set up. Otherwise says whom to ask. */
export function ForgotPassword({ account, onBack }: ForgotPasswordProps) {
  const options = useApiQuery(passwordResetRoutes.readSignInOptions)
  return (
    <div className="space-y-4">
      {options.error ? (
        <Notice tone="bad" title={t('The sign-in options could not be read')} isAlert>
          {messageOf(options.error)}
        </Notice>
      ) : !options.data ? (
        <Skeleton className="h-28" />
      ) : options.data.canResetByMail ? (
        <RequestLinkForm account={account} />
      ) : (
        <Notice title={t('Ask an admin for a link')}>
          {t(
            'An admin makes it under Users Management, and you choose a new password with it. When no admin can sign in, whoever runs this Tollgate can: npm run reset-password.',
          )}
        </Notice>
      )}
      <Button size="lg" className="w-full" onClick={onBack}>
        {t('Back to sign in')}
      </Button>
    </div>
  )
}

function RequestLinkForm({ account }: { account: string }) {
  const form = useApiForm(passwordResetRoutes.requestPasswordReset.body, { account })
  const ask = useApiMutation(passwordResetRoutes.requestPasswordReset, { failure: false })
  const submit = form.handleSubmit((body) =>
    ask.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  if (ask.isSuccess)
    return (
      <Notice tone="ok" title={t('Check your mailbox')} isAlert>
        {t(
          'If there is such an account, a link is on its way to its address. It is valid for one hour and works once. If no mail arrives within some minutes, ask an admin for a link.',
        )}
      </Notice>
    )
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      <TextField
        label={t('Username or email')}
        hint={t('A link to choose a new password is mailed to the account')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...fieldOf(form, 'account')}
      />
      {ask.error && (
        <Notice tone="bad" title={t('No link was asked for')} isAlert>
          {messageOf(ask.error)}
        </Notice>
      )}
      <SubmitButton isBusy={ask.isPending} busyLabel={t('Sending...')}>
        {t('Send the link')}
      </SubmitButton>
    </form>
  )
}
