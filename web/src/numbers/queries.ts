// What the screens of numbers read and change. Three lists show the same numbers, so a change refetches all three.
import type { BulkChange } from '@tollgate/contract/numbers/bulk-changes.ts'
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { toastNothingChanged, useOfferUndo, withLeftOut } from '../api/matching.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** The lists in which a number shows. One number, one row. */
export const numberPaths = ['/api/premium-numbers', '/api/number-inventory', '/api/numbers'] as const

/** The lists that a change of a range affects: a number without its own tariff shows the tariff of its range. */
export const rangePaths = ['/api/ranges', ...numberPaths] as const

/** 'Number updated successfully', or of how many. */
export function updatedText(changed: number): string {
  return counted(changed, 'Number updated successfully', '{count} numbers updated successfully')
}

/** Sets the status of several numbers at once. The toast offers to undo it. */
export function useSetNumberStatuses() {
  const offerUndo = useOfferUndo('numbers')
  const act = useApiMutation(numbersRoutes.bulkSetNumberStatus, {
    refetch: numberPaths,
    failure: t('Failed to update number'),
    onSuccess: ({ changed, changeId }, chosenCount: number) => {
      const leftOut: BulkChange['leftOut'] = [{ reason: 'same', count: chosenCount - changed }]
      if (changed === 0) return toastNothingChanged(leftOut)
      showToast({
        title: t('Success'),
        text: withLeftOut(updatedText(changed), leftOut),
        ...offerUndo(changeId),
      })
    },
  })
  const set = (rows: readonly { id: string }[], status: AccountStatus, onSuccess: () => void) =>
    act.mutate(
      { body: { ids: rows.map((row) => row.id), status }, context: rows.length },
      { onSuccess: () => onSuccess() },
    )
  return { set, isPending: act.isPending }
}
