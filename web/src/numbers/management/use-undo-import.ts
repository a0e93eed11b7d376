import { numberImportsRoutes, type NumberImportDetail } from '@tollgate/contract/numbers/import.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { t } from '../../language/t.ts'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'
import { counted } from '../../format/counted.ts'

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
  const removed = counted(removedCount, '1 number was removed.', '{count} numbers were removed.')
  if (keptCount === 0) return removed
  const stay = counted(keptCount, '1 number stays.', '{count} numbers stay.')
  return `${removed} ${stay}`
}
