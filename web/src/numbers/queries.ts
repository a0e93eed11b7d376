// What the screens of numbers read and change. Three lists show the same numbers, so a change refetches all three.
import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatCount } from '../format/money.ts'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'

/** The lists in which a number shows. design.md 1: one number, one row. */
export const numberPaths = ['/api/premium-numbers', '/api/number-inventory', '/api/numbers'] as const

/** The lists that a change of a range affects: a number without its own tariff shows the tariff of its range. */
export const rangePaths = ['/api/ranges', ...numberPaths] as const

interface StatusGroup {
  readonly status: 'active' | 'inactive' | 'suspended'
  readonly ids: readonly string[]
}

/** Groups rows by their current status, for the undo. */
function groupByStatus(rows: readonly { id: string; status: StatusGroup['status'] }[]): StatusGroup[] {
  const groups = new Map<StatusGroup['status'], string[]>()
  for (const { id, status } of rows) groups.set(status, [...(groups.get(status) ?? []), id])
  return [...groups].map(([status, ids]) => ({ status, ids }))
}

/** How many numbers were updated, and how many were left out because they had the status already. */
export function updatedText(changed: number, same: number): string {
  const updated =
    changed === 1
      ? t('Number updated successfully')
      : t('{changed} numbers updated successfully', { changed: formatCount(changed) })
  return same > 0
    ? `${updated}. ${t('{same} had the status already.', { same: formatCount(same) })}`
    : updated
}

/** Sets the status of several numbers at once. The toast offers to undo it. */
export function useSetNumberStatuses() {
  const act = useApiMutation(numbersRoutes.bulkSetNumberStatus, {
    refetch: numberPaths,
    failure: t('Failed to update number'),
  })
  const set = (
    rows: readonly { id: string; status: StatusGroup['status'] }[],
    status: StatusGroup['status'],
    onSuccess: () => void,
  ) => {
    const before = groupByStatus(rows.filter((row) => row.status !== status))
    act.mutate(
      { body: { ids: rows.map((row) => row.id), status } },
      {
        onSuccess: ({ changed }) => {
          onSuccess()
          showToast({
            title: t('Success'),
            text: updatedText(changed, rows.length - changed),
            ...(before.length > 0 && {
              undo: () => {
                for (const group of before)
                  act.mutate({ body: { ids: [...group.ids], status: group.status } })
              },
            }),
          })
        },
      },
    )
  }
  return { set, isPending: act.isPending }
}
