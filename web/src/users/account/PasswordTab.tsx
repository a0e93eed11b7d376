import { usersRoutes } from '@tollgate/contract/users.ts'
import { useUser } from '../../api/session.tsx'
import { showFieldFaults, useApiForm } from '../../api/use-api-form.ts'
import { useAct } from '../../api/use-call.ts'
import { SaveFailure } from '../../lists/SaveFailure.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'

const empty = { currentPassword: '', newPassword: '' }

export function PasswordTab() {
  const { role } = useUser()
  const form = useApiForm(usersRoutes.changePassword.body, empty)
  const change = useAct(usersRoutes.changePassword, {
    success: { title: 'Success', text: 'Password changed; your other sessions have ended' },
    failure: 'Failed to change the password',
    onSuccess: () => form.reset(empty),
  })
  const { errors } = form.formState
  const hasFieldFault = errors.currentPassword !== undefined || errors.newPassword !== undefined
  const submit = form.handleSubmit((body) =>
    change.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
  const least = role === 'admin' || role === 'support' ? 12 : 6
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="space-y-4">
      {!hasFieldFault && <SaveFailure error={change.error} title="Failed to change the password" />}
      <div className="grid gap-4 sm:grid-cols-2">
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          error={errors.currentPassword?.message}
          {...form.register('currentPassword')}
        />
        <PasswordField
          label="New password"
          autoComplete="new-password"
          hint={`At least ${least} characters`}
          error={errors.newPassword?.message}
          {...form.register('newPassword')}
        />
      </div>
      <Button
        tone="primary"
        type="submit"
        isBusy={change.isPending}
        busyLabel="Saving..."
        isDisabled={!form.formState.isDirty}
      >
        Change password
      </Button>
    </form>
  )
}
