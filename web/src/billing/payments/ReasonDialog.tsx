import { reasonSchema } from '@tollgate/contract/debts.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { z } from 'zod'
import { showFieldErrors, useApiForm } from '../../api/use-api-form.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { SaveFailure } from '../../api/SaveFailure.tsx'
import { moneyPaths } from '../../money/queries.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextAreaField } from '../../ui/Field.tsx'

const formSchema = z.object({ reason: reasonSchema })

interface ReasonDialogProps {
  readonly title: string
  /** What it causes. */
  readonly description: string
  readonly actLabel: string
  readonly tone?: 'primary' | 'danger'
  /** Takes the id in its path, and a body with nothing but the reason. */
  readonly route: Route
  readonly id: string
  readonly success: string
  readonly failure: string
  readonly onClose: () => void
}

/** An act on money that needs a reason. */
export function ReasonDialog(props: ReasonDialogProps) {
  const { title, description, actLabel, tone = 'primary', route, id, success, failure, onClose } = props
  const form = useApiForm(formSchema, { reason: '' })
  const { errors, isDirty } = form.formState
  const act = useApiMutation(route, { refetch: moneyPaths, failure: false, success, onSuccess: onClose })
  const submit = form.handleSubmit((body) =>
    act.mutate({ params: { id }, body } as RouteCall<Route>, {
      onError: (error) => void showFieldErrors(form, error),
    }),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description={description}
      isDirty={isDirty}
      onSubmit={(event) => void submit(event)}
      action={
        <Button tone={tone} type="submit" isBusy={act.isPending} busyLabel="Saving...">
          {actLabel}
        </Button>
      }
    >
      <div className="space-y-4">
        {!errors.reason && <SaveFailure error={act.error} title={failure} />}
        <TextAreaField
          label="Reason"
          rows={3}
          maxLength={500}
          error={errors.reason?.message}
          {...form.register('reason')}
        />
      </div>
    </Dialog>
  )
}
