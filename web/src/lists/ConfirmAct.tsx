import type { UseMutationResult } from '@tanstack/react-query'
import { reasonOf } from '../api/api-error.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/ConfirmDialog.tsx'

interface ConfirmActProps<Call> extends Pick<ConfirmDialogProps, 'title' | 'typed' | 'onClose' | 'children'> {
  readonly act: Pick<UseMutationResult<unknown, Error, Call>, 'mutate' | 'isPending' | 'error'>
  readonly call: Call
  /** The act's button. */
  readonly word: string
  readonly busyWord: string
}

/** Asks before one call, and stays open with the reason when it is refused. */
export function ConfirmAct<Call>({ act, call, word, busyWord, ...question }: ConfirmActProps<Call>) {
  return (
    <ConfirmDialog
      isOpen
      {...question}
      act={word}
      busyLabel={busyWord}
      isBusy={act.isPending}
      error={act.error ? reasonOf(act.error) : undefined}
      onConfirm={() => act.mutate(call)}
    />
  )
}
