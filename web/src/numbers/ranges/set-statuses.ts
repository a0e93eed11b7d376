import { rangesRoutes, type NumberRange } from '@tollgate/contract/ranges.ts'
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { refusedOf, type RefusedRows } from '../../ui/RefusedRows.tsx'
import { showToast } from '../../ui/toasts.ts'
import { rangePaths } from '../queries.ts'
import type { RangeListRow } from './columns.tsx'
import { t } from '../../language/t.ts'

type StatusChange = Pick<RangeListRow, 'id' | 'version' | 'status' | 'label'>

/** Sets the status of several ranges at once. The toast offers to undo it; `onDone` gets the refused rows. */
export function useSetRangeStatuses(onDone: (refused: RefusedRows | undefined) => void) {
  const { mutate, isPending } = useApiMutation(rangesRoutes.bulkSetRangeStatus, {
    refetch: rangePaths,
    failure: t('Failed to update ranges'),
  })
  const send = (asked: readonly StatusChange[], onChanged: (done: readonly NumberRange[]) => void) =>
    mutate(
      { body: { rows: asked.map(({ id, version, status }) => ({ id, version, status })) } },
      {
        onSuccess: ({ done, refused }) => {
          onDone(refusedOf(asked, refused, ({ label }) => label))
          if (done.length > 0) onChanged(done)
        },
      },
    )
  const set = (rows: readonly RangeListRow[], status: AccountStatus) => {
    const changing = rows.filter((row) => row.status !== status)
    if (changing.length === 0) return onDone(undefined)
    send(
      changing.map((row) => ({ ...row, status })),
      (done) => {
        const versions = new Map(done.map(({ id, version }) => [id, version]))
        // The undo uses the new versions, so it does not overwrite a later change of somebody else.
        const before = changing.flatMap((row) => {
          const version = versions.get(row.id)
          return version === undefined ? [] : [{ ...row, version }]
        })
        showToast({
          title: t('Success'),
          text:
            done.length === 1
              ? t('Range updated successfully')
              : t('{count} ranges updated successfully', { count: formatCount(done.length) }),
          undo: () => send(before, () => {}),
        })
      },
    )
  }
  return { set, isPending }
}
