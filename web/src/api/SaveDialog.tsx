import type { Route, RouteAnswer, RouteCall } from '@tollgate/contract/route.ts'
import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { Button } from '../ui/Button.tsx'
import { Dialog, type DialogProps } from '../ui/Dialog.tsx'
import { SaveFailure } from './SaveFailure.tsx'
import { isToldAtFields, showFieldErrors } from './use-api-form.ts'
import { useApiMutation, type MutationOptions } from './use-api.ts'
import { t } from '../language/t.ts'

/** What a dialog gets that edits a row of a list. */
export interface EditDialogProps<Row> {
  /** The row as it was when the dialog opened. */
  readonly opened: Row
  /** The row in the current list. It was fetched again after a refusal. */
  readonly latest: Row | undefined
  readonly onClose: () => void
}

/** Where a dialog calls one of several routes, the call of any of them. */
type CallOfOne<R extends Route> = R extends Route ? RouteCall<R> : never

interface SaveDialogProps<Values extends FieldValues, Checked, R extends Route>
  extends
    Pick<DialogProps, 'title' | 'description' | 'width' | 'isFullOnPhone' | 'consequence' | 'onClose'>,
    Pick<MutationOptions<R>, 'refetch' | 'success' | 'isSignedInOnly'> {
  readonly form: UseFormReturn<Values, unknown, Checked>
  readonly route: R
  /** Makes the call from the checked form values. */
  readonly callOf: (checked: Checked) => CallOfOne<R>
  /** Called after the call instead of `onClose`. */
  readonly onSaved?: (answer: RouteAnswer<R>) => void
  /** The label of the submit button. */
  readonly submitLabel: string
  readonly tone?: 'primary' | 'danger'
  readonly busyLabel?: string
  readonly isDisabled?: boolean
  /** The specification's text for the failed call. */
  readonly failure: string
  /** The values that somebody else has saved meanwhile. The form can load them after a refusal. */
  readonly saved?: Values | undefined
  /** Called when the form has loaded them, for what is not in the form. */
  readonly onTakeSaved?: () => void
  /** What comes before the form is sent: a value with a call of its own, or a question. */
  readonly before?: BeforeForm
  readonly children: ReactNode
}

interface BeforeForm {
  /** Whether there is such a value that is not saved, or something to ask. */
  readonly isDue: boolean
  readonly isPending: boolean
  /** Calls `goOn` when it is saved or answered. */
  readonly run: (goOn: () => void) => void
}

/**
 * A dialog with a form. It checks the values, sends them in one call, and shows the server's errors at the fields or
 * above them.
 */
export function SaveDialog<Values extends FieldValues, Checked, R extends Route>({
  form,
  route,
  refetch = [],
  success,
  isSignedInOnly = false,
  callOf,
  onSaved,
  submitLabel,
  tone = 'primary',
  busyLabel = t('Saving...'),
  isDisabled = false,
  failure,
  saved,
  onTakeSaved,
  before,
  children,
  ...frame
}: SaveDialogProps<Values, Checked, R>) {
  const mutation = useApiMutation(route, {
    refetch,
    failure,
    isShownInPlace: true,
    isSignedInOnly,
    onSuccess: onSaved ?? frame.onClose,
    ...(success !== undefined && { success }),
  })
  const { isDirty } = form.formState
  const send = (checked: Checked) =>
    mutation.mutate(callOf(checked) as RouteCall<R>, {
      onError: (error) => void showFieldErrors(form, error),
    })
  const submit = form.handleSubmit((checked) => {
    if (before?.isDue !== true) return send(checked)
    // Without other changes the form is not sent, so that no link has to connect or bind again.
    before.run(() => (isDirty ? send(checked) : frame.onClose()))
  })
  const takeSaved = saved && {
    onTakeSaved: () => {
      form.reset(saved)
      onTakeSaved?.()
      mutation.reset()
    },
  }
  return (
    <Dialog
      isOpen
      {...frame}
      isDirty={isDirty || before?.isDue === true}
      onSubmit={(event) => void submit(event)}
      action={
        <Button
          tone={tone}
          type="submit"
          isDisabled={isDisabled}
          isBusy={mutation.isPending || before?.isPending === true}
          busyLabel={busyLabel}
        >
          {submitLabel}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure
          error={mutation.error}
          title={failure}
          isAtFields={isToldAtFields(form, mutation.error)}
          {...takeSaved}
        />
        {children}
      </div>
    </Dialog>
  )
}
