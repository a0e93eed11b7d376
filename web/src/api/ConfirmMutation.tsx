import type { UseMutationResult } from '@tanstack/react-query'
import { messageOf } from './api-error.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/ConfirmDialog.tsx'

interface ConfirmMutationProps<Call> extends Pick<
  ConfirmDialogProps,
  'title' | 'typed' | 'confirmLabel' | 'busyLabel' | 'tone' | 'onClose' | 'children'
> {
  readonly mutation: Pick<UseMutationResult<unknown, Error, Call>, 'mutate' | 'isPending' | 'error'>
  readonly call: Call
}

/** Asks before one call. Stays open with the reason when the call is refused. */
export function ConfirmMutation<Call>({ mutation, call, ...question }: ConfirmMutationProps<Call>) {
  return (
    <ConfirmDialog
      isOpen
      {...question}
      isBusy={mutation.isPending}
      error={mutation.error ? messageOf(mutation.error) : undefined}
      onConfirm={() => mutation.mutate(call)}
    />
  )
}
