import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { showFieldErrors } from './use-api-form.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog, type DialogProps } from '../ui/Dialog.tsx'
import { SaveFailure } from './SaveFailure.tsx'

interface SaveDialogProps<Values extends FieldValues, Checked, Call> extends Pick<
  DialogProps,
  'title' | 'description' | 'width' | 'consequence' | 'onClose'
> {
  readonly form: UseFormReturn<Values, unknown, Checked>
  readonly mutation: Pick<UseMutationResult<unknown, Error, Call>, 'mutate' | 'isPending' | 'error' | 'reset'>
  /** Makes the call from the checked form values. */
  readonly callOf: (checked: Checked) => Call
  /** The label of the submit button. */
  readonly submitLabel: string
  readonly busyLabel?: string
  readonly isDisabled?: boolean
  /** The specification's text for the failed call. */
  readonly failure: string
  /** The values that somebody else has saved meanwhile. The form can load them after a refusal. */
  readonly saved?: Values | undefined
  readonly children: ReactNode
}

/**
 * A dialog with a form. It checks the values, sends them in one call, and shows the server's errors at the fields or
 * above them.
 */
export function SaveDialog<Values extends FieldValues, Checked, Call>({
  form,
  mutation,
  callOf,
  submitLabel,
  busyLabel = 'Saving...',
  isDisabled = false,
  failure,
  saved,
  children,
  ...frame
}: SaveDialogProps<Values, Checked, Call>) {
  const submit = form.handleSubmit((checked) =>
    mutation.mutate(callOf(checked), { onError: (error) => void showFieldErrors(form, error) }),
  )
  const takeSaved = saved && {
    onTakeSaved: () => {
      form.reset(saved)
      mutation.reset()
    },
  }
  return (
    <Dialog
      isOpen
      {...frame}
      isDirty={form.formState.isDirty}
      onSubmit={(event) => void submit(event)}
      action={
        <Button
          tone="primary"
          type="submit"
          isDisabled={isDisabled}
          isBusy={mutation.isPending}
          busyLabel={busyLabel}
        >
          {submitLabel}
        </Button>
      }
    >
      <div className="space-y-4">
        <SaveFailure error={mutation.error} title={failure} {...takeSaved} />
        {children}
      </div>
    </Dialog>
  )
}
