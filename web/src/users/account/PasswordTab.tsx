import { changePasswordSchema, passwordLengthMin, usersRoutes } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { z } from 'zod'
import { useSession, useUser } from '../../api/session.tsx'
import { fieldOf, isToldAtFields, showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { nothingWithdrawn, WithdrawAccess } from '../WithdrawAccess.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { PageForm } from '../../ui/PageForm.tsx'
import { t } from '../../language/t.ts'

const empty = { currentPassword: '', newPassword: '' }
const formSchema = changePasswordSchema
  .pick({ newPassword: true })
  .extend({ currentPassword: z.string().min(1, t('Enter your current password')).max(256) })

export function PasswordTab() {
  const { role, smppAccess } = useUser()
  const { may } = useSession()
  const [withdrawal, setWithdrawal] = useState(nothingWithdrawn)
  const form = useApiForm(formSchema, empty)
  const { isDirty } = form.formState
  const keys = useApiQuery(usersRoutes.listKeys, {}, { isEnabled: isDirty && may('apiKeys') })
  const change = useApiMutation(usersRoutes.changePassword, {
    refetch: [usersRoutes.listKeys.path],
    success: { title: t('Success'), text: t('Password changed; your other sessions have ended') },
    failure: t('Failed to change the password'),
    isShownInPlace: true,
    onSuccess: () => {
      form.reset(empty)
      setWithdrawal(nothingWithdrawn)
    },
  })
  const submit = form.handleSubmit((body) =>
    change.mutate(
      { body: { ...body, ...withdrawal, withdrawKeys: [...withdrawal.withdrawKeys] } },
      { onError: (error) => void showFieldErrors(form, error) },
    ),
  )
  return (
    <PageForm onSubmit={(event) => void submit(event)} className="space-y-4">
      <SaveFailure
        error={change.error}
        title={t('Failed to change the password')}
        isAtFields={isToldAtFields(form, change.error)}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <PasswordField
          label={t('Current password')}
          autoComplete="current-password"
          {...fieldOf(form, 'currentPassword')}
        />
        <PasswordField
          label={t('New password')}
          autoComplete="new-password"
          hint={t('At least {role} characters', { role: passwordLengthMin(role) })}
          {...fieldOf(form, 'newPassword')}
        />
      </div>
      {isDirty && (
        <WithdrawAccess
          keys={keys.data ?? []}
          hasSmppAccess={smppAccess}
          value={withdrawal}
          onChange={setWithdrawal}
        />
      )}
      <Button
        tone="primary"
        type="submit"
        isBusy={change.isPending}
        busyLabel={t('Saving...')}
        isDisabled={!isDirty}
      >
        {t('Change password')}
      </Button>
    </PageForm>
  )
}
