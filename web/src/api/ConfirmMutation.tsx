import type { UseMutationResult } from '@tanstack/react-query'
import { messageOf } from './api-error.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/ConfirmDialog.tsx'

interface ConfirmMutationProps<Call> extends Pick<
  ConfirmDialogProps,
  'title' | 'typed' | 'onClose' | 'children'
> {
  readonly act: Pick<UseMutationResult<unknown, Error, Call>, 'mutate' | 'isPending' | 'error'>
  readonly call: Call
  /** The label of the confirming button. */
  readonly word: string
  readonly busyLabel: string
}

/** Asks before one call. Stays open with the reason when the call is refused. */
export function ConfirmMutation<Call>({
  act,
  call,
  word,
  busyLabel,
  ...question
}: ConfirmMutationProps<Call>) {
  return (
    <ConfirmDialog
      isOpen
      {...question}
      act={word}
      busyLabel={busyLabel}
      isBusy={act.isPending}
      error={act.error ? messageOf(act.error) : undefined}
      onConfirm={() => act.mutate(call)}
    />
  )
}
