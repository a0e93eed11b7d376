import { useNavigate } from '@tanstack/react-router'
import type { Route, RouteAnswer, RouteCall } from '@tollgate/contract/route.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/ConfirmDialog.tsx'
import { messageOf } from './api-error.ts'
import { useApiMutation, useIsOnScreen, type MutationOptions } from './use-api.ts'
import { t } from '../language/t.ts'

interface ConfirmMutationProps<R extends Route>
  extends
    Pick<
      ConfirmDialogProps,
      'title' | 'typed' | 'confirmLabel' | 'busyLabel' | 'tone' | 'onClose' | 'children'
    >,
    Pick<MutationOptions<R>, 'refetch' | 'success' | 'failure'> {
  readonly route: R
  readonly call: RouteCall<R>
  /** Called after the call instead of `onClose`. */
  readonly onDone?: (answer: RouteAnswer<R>) => void
  /** Where one goes after the call, from the page of what is no more. */
  readonly leaveTo?: string
}

/** Asks before one call. Stays open with the reason when the call is refused. */
export function ConfirmMutation<R extends Route>({
  route,
  call,
  refetch = [],
  success,
  failure,
  onDone,
  leaveTo,
  ...question
}: ConfirmMutationProps<R>) {
  const navigate = useNavigate()
  const isOnScreen = useIsOnScreen()
  const leave = () => {
    if (leaveTo !== undefined && isOnScreen.current) void navigate({ to: leaveTo, replace: true })
  }
  const mutation = useApiMutation(route, {
    refetch,
    failure: failure ?? t('Error'),
    isShownInPlace: true,
    // Before the lists are read anew, in which it is no more.
    onSuccess: leaveTo === undefined ? (onDone ?? question.onClose) : leave,
    ...(success !== undefined && { success }),
  })
  return (
    <ConfirmDialog
      isOpen
      {...question}
      isBusy={mutation.isPending}
      error={mutation.error ? messageOf(mutation.error) : undefined}
      errorTitle={typeof failure === 'string' ? failure : undefined}
      onConfirm={() => mutation.mutate(call)}
    />
  )
}
