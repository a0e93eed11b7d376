import type { BulkChange } from '@tollgate/contract/numbers/bulk-changes.ts'
import { rangesRoutes } from '@tollgate/contract/numbers/ranges.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { toastNothingChanged, useOfferUndo, withLeftOut } from '../../api/matching.tsx'
import { useApiMutation } from '../../api/use-api.ts'
import { refusedOf, type RefusedRows } from '../../ui/RefusedRows.tsx'
import { showToast } from '../../ui/toasts.ts'
import { rangePaths } from '../queries.ts'
import type { RangeListRow } from './columns.tsx'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

/** 'Range updated successfully', or of how many. */
export function updatedRanges(count: number): string {
  return counted(count, 'Range updated successfully', '{count} ranges updated successfully')
}

interface RangeStatusChange {
  readonly changing: readonly RangeListRow[]
  readonly leftOut: BulkChange['leftOut']
}

/** Sets the status of several ranges at once. The toast offers to undo it; `onDone` gets the refused rows. */
export function useSetRangeStatuses(onDone: (refused: RefusedRows | undefined) => void) {
  const offerUndo = useOfferUndo('numbers')
  const { mutate, isPending } = useApiMutation(rangesRoutes.bulkSetRangeStatus, {
    refetch: rangePaths,
    failure: t('Failed to update ranges'),
    onSuccess: ({ done, refused, changeId }, { changing, leftOut }: RangeStatusChange) => {
      onDone(refusedOf(changing, refused, ({ label }) => label))
      if (done.length > 0)
        showToast({
          title: t('Success'),
          text: withLeftOut(updatedRanges(done.length), leftOut),
          ...offerUndo(changeId),
        })
    },
  })
  const set = (chosen: readonly RangeListRow[], status: AccountStatus) => {
    const changing = chosen.filter((row) => row.status !== status)
    const leftOut: BulkChange['leftOut'] = [{ reason: 'same', count: chosen.length - changing.length }]
    if (changing.length === 0) {
      toastNothingChanged(leftOut)
      return onDone(undefined)
    }
    const rows = changing.map(({ id, version }) => ({ id, version, status }))
    mutate({ body: { rows }, context: { changing, leftOut } })
  }
  return { set, isPending }
}
