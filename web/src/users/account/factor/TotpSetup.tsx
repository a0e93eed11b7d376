import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { fieldOf, showFieldErrors, useApiForm } from '../../../api/use-api-form.ts'
import { useApiMutation } from '../../../api/use-api.ts'
import { SaveFailure } from '../../../api/SaveFailure.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { PageForm } from '../../../ui/PageForm.tsx'
import { QrCode } from '../../../ui/QrCode.tsx'
import { t } from '../../../language/t.ts'

interface TotpSetupProps {
  readonly app: RouteAnswer<typeof secondFactorRoutes.startTotp>
  readonly onCancel: () => void
  /** Gets recovery codes if this is the first factor. */
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

/** A secret to scan, and the code that proves that it was scanned. */
export function TotpSetup({ app, onCancel, onDone }: TotpSetupProps) {
  const form = useApiForm(secondFactorRoutes.confirmTotp.body, { code: '' })
  const confirm = useApiMutation(secondFactorRoutes.confirmTotp, {
    success: t('Authenticator app set up; your other sessions have ended'),
    failure: false,
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    confirm.mutate({ body }, { onError: (error) => void showFieldErrors(form, error) }),
  )
  return (
    <PageForm onSubmit={(event) => void submit(event)} className="space-y-4">
      <div className="flex flex-wrap gap-5">
        <QrCode text={app.uri} label={t('QR code of the authenticator secret')} />
        <div className="min-w-0 flex-1 basis-52 space-y-3">
          <p className="text-ink-2">
            {t('Scan it with an authenticator app, then enter the 6 digits that the app shows.')}
          </p>
          <div>
            <p className="text-xs font-medium text-ink-2">{t('Or type this secret into the app')}</p>
            <p className="flex items-start gap-1">
              <code className="min-w-0 pt-1 font-mono text-xs break-words">
                {app.secret.match(/.{4}/g)?.join(' ')}
              </code>
              <CopyButton value={app.secret} what={t('secret')} />
            </p>
          </div>
        </div>
      </div>
      {!errors.code && <SaveFailure error={confirm.error} title={t('The app was not set up')} />}
      <TextField
        label={t('Code')}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={10}
        isMono
        autoFocus
        fieldClassName="max-w-48"
        {...fieldOf(form, 'code')}
      />
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" type="submit" isBusy={confirm.isPending} busyLabel={t('Confirming...')}>
          {t('Confirm')}
        </Button>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
      </div>
    </PageForm>
  )
}
