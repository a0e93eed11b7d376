import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import { useCallback } from 'react'
import { useApiMutation } from '../../api/use-api.ts'
import { showToast } from '../../ui/toasts.ts'
import { usePatchRow } from '../../api/patch-row.ts'
import { numberPaths } from '../queries.ts'
import { t } from '../../language/t.ts'

const words = {
  refetch: numberPaths,
  failure: t('Failed to update number'),
  onSuccess: (_: unknown, toast: Parameters<typeof showToast>[0]) => showToast(toast),
} as const

/**
 * Suspends or resumes a number. The row changes before the answer and goes back after a refusal. The toast offers to
 * undo it.
 */
export function useSuspend(): (item: Pick<InventoryItem, 'id' | 'assignedTo'>, isSuspended: boolean) => void {
  const patch = usePatchRow(inventoryRoutes.listInventory)
  const { mutate: suspend } = useApiMutation(inventoryRoutes.suspendNumber, words)
  const { mutate: resume } = useApiMutation(inventoryRoutes.resumeNumber, words)
  return useCallback(
    (item, isSuspended) => {
      const set = (toSuspended: boolean, canUndo: boolean) => {
        const free = item.assignedTo === null ? 'available' : 'assigned'
        const goBack = patch(item.id, { status: toSuspended ? 'suspended' : free })
        const act = toSuspended ? suspend : resume
        act(
          {
            params: { id: item.id },
            context: {
              title: t('Success'),
              text: toSuspended
                ? t('Number suspended: messages to it are refused')
                : t('Number resumed: messages are taken'),
              ...(canUndo && { undo: () => set(!toSuspended, false) }),
            },
          },
          { onError: goBack },
        )
      }
      set(isSuspended, true)
    },
    [patch, suspend, resume],
  )
}
