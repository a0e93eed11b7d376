import { numberStatusChangesRoutes } from '@tollgate/contract/number-status-changes.ts'
import type { RouteAnswer, RouteCall } from '@tollgate/contract/route.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { ConfirmMutation } from '../../api/ConfirmMutation.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { t } from '../../language/t.ts'
import { accountStatusLabel, SetStatusMenu } from '../../ui/account-status.tsx'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths, updatedText } from '../queries.ts'

type SetRoute = typeof numberStatusChangesRoutes.setMatchingNumberStatus
type Filters = NonNullable<RouteCall<SetRoute>['body']>['filter']

interface MatchingActionsProps {
  readonly filters: Filters
  /** How many numbers the filters match. */
  readonly count: number
  readonly onDone: () => void
}

/** What can be done with all numbers that the filters match, whether they are on screen or not. */
export function MatchingActions({ filters, count, onDone }: MatchingActionsProps) {
  const [status, setStatus] = useState<AccountStatus>()
  const tell = useTellChange()
  const numbers = t('{count} numbers', { count: formatCount(count) })
  return (
    <>
      <SetStatusMenu onSet={setStatus} />
      {status !== undefined && (
        <ConfirmMutation
          onClose={() => setStatus(undefined)}
          title={t('Set {numbers} to {status}?', { numbers, status: accountStatusLabel(status) })}
          route={numberStatusChangesRoutes.setMatchingNumberStatus}
          call={{ body: { filter: filters, count, status } }}
          refetch={numberPaths}
          failure={t('Failed to update number')}
          onDone={(answer) => {
            setStatus(undefined)
            onDone()
            tell(answer)
          }}
          tone={status === 'active' ? 'primary' : 'danger'}
          confirmLabel={t('Set {numbers}', { numbers })}
          busyLabel={t('Updating...')}
        >
          {status === 'active'
            ? t(
                'All that the filters match are changed, also those that are not on screen. It can be undone.',
              )
            : t(
                'All that the filters match are changed, also those that are not on screen. Messages to them will be refused from then on. It can be undone.',
              )}
        </ConfirmMutation>
      )}
    </>
  )
}

/** The toast after the change: what was left out, and Undo. */
function useTellChange() {
  const undo = useApiMutation(numberStatusChangesRoutes.undoNumberStatusChange, {
    refetch: numberPaths,
    failure: t('Failed to undo the change'),
    onSuccess: ({ restoredCount, leftCount }) =>
      showToast({
        title: t('Change undone'),
        text: [
          t('{count} numbers are as before.', { count: formatCount(restoredCount) }),
          ...(leftCount > 0
            ? [t('{count} changed since and left alone.', { count: formatCount(leftCount) })]
            : []),
        ].join(' '),
      }),
  })
  return ({ changeId, changedCount, sameCount, goneCount }: RouteAnswer<SetRoute>) =>
    showToast({
      title: t('Success'),
      text: [
        updatedText(changedCount, sameCount),
        ...(goneCount > 0 ? [t('{count} did not match any more.', { count: formatCount(goneCount) })] : []),
      ].join(' '),
      ...(changeId !== null && { undo: () => undo.mutate({ params: { id: changeId } }) }),
    })
}
