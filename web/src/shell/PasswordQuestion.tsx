import { usersRoutes } from '@tollgate/contract/users.ts'
import { z } from 'zod'
import { answerQuestion } from '../api/confirm-password.ts'
import { useUser } from '../api/session.tsx'
import { showFieldFaults, useApiForm } from '../api/use-api-form.ts'
import { useAct } from '../api/use-call.ts'
import { SaveFailure } from '../lists/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { PasswordField } from '../ui/Field.tsx'

const formSchema = z.object({ password: z.string().min(1, 'Enter your password').max(256) })

/** Asks for the password again before secrets and what is like them; the call that waits goes on by itself. */
export function PasswordQuestion() {
  const { username } = useUser()
  const form = useApiForm(formSchema, { password: '' })
  const confirm = useAct(usersRoutes.reauthenticate, {
    failure: false,
    onSuccess: () => answerQuestion(true),
  })
  const { errors } = form.formState
  const submit = form.handleSubmit((body) =>
    confirm.mutate({ body }, { onError: (error) => void showFieldFaults(form, error) }),
  )
  return (
    <Dialog
      isOpen
      onClose={() => answerQuestion(false)}
      title="Confirm your password"
      description="It has been a while since you gave it, and this needs it."
      width="sm"
      onSubmit={(event) => void submit(event)}
      act={
        <Button tone="primary" type="submit" isBusy={confirm.isPending} busyLabel="Confirming...">
          Confirm
        </Button>
      }
    >
      <div className="space-y-4">
        {!errors.password && <SaveFailure error={confirm.error} title="Not confirmed" />}
        {/* For password managers: it says whose password this is. */}
        <input type="hidden" name="username" autoComplete="username" value={username} />
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
      </div>
    </Dialog>
  )
}
