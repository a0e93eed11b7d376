import { numberImportsRoutes, type NumberImportDetail } from '@tollgate/contract/numbers/import.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { t } from '../../language/t.ts'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'

/** Undoes an import, and tells what was removed and how many numbers stay. A dialog gives `onDone`, and shows the refusal. */
export function useUndoImport(onDone?: () => void) {
  return useApiMutation(numberImportsRoutes.undoNumberImport, {
    refetch: numberPaths,
    failure: t('Failed to undo the import'),
    isShownInPlace: onDone !== undefined,
    onSuccess: (detail) => {
      showToast({ title: t('Import undone'), text: summaryOf(detail) })
      onDone?.()
    },
  })
}

function summaryOf({ removedCount, kept }: NumberImportDetail): string {
  const keptCount = kept.reduce((sum, { reason, count }) => (reason === 'deleted' ? sum : sum + count), 0)
  const removed =
    removedCount === 1
      ? t('1 number was removed.')
      : t('{count} numbers were removed.', { count: formatCount(removedCount) })
  if (keptCount === 0) return removed
  const stay =
    keptCount === 1 ? t('1 number stays.') : t('{count} numbers stay.', { count: formatCount(keptCount) })
  return `${removed} ${stay}`
}
