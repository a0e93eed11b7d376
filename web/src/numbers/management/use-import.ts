import { numbersRoutes, type ImportReport } from '@tollgate/contract/numbers/numbers.ts'
import { useEffect, useRef, useState } from 'react'
import { useApiMutation } from '../../api/use-api.ts'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'
import { importBody, type ImportInput } from './import-file.ts'
import { useUndoImport } from './use-undo-import.ts'
import { t } from '../../language/t.ts'

export type ImportStage = 'idle' | 'checking' | 'importing'

/** Checks a file by a dry run, and imports it only without faults. One with warnings is imported once they were shown. */
export function useImport(onDone: () => void) {
  const [stage, setStage] = useState<ImportStage>('idle')
  const [isCheckOnly, setCheckOnly] = useState(false)
  const [report, setReport] = useState<ImportReport>()
  const [error, setError] = useState<Error | null>(null)
  const look = useApiMutation(numbersRoutes.importPremiumNumbers, { failure: false })
  const act = useApiMutation(numbersRoutes.importPremiumNumbers, {
    refetch: numberPaths,
    failure: t('Failed to import numbers'),
  })

  const undo = useUndoImport()
  // The dialog may have been closed during the import and opened again for another file.
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  const forget = () => {
    setReport(undefined)
    setError(null)
  }
  const run = async (isCheck: boolean, work: () => Promise<void>) => {
    setCheckOnly(isCheck)
    forget()
    try {
      await work()
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)))
    } finally {
      setStage('idle')
    }
  }
  const dryRun = async (source: ImportInput): Promise<ImportReport> => {
    setStage('checking')
    const found = await look.mutateAsync({ query: { dryRun: 'true' }, body: importBody(source) })
    setReport(found)
    return found
  }

  return {
    stage,
    /** What runs, or ran last, is a check that no import follows. */
    isCheckOnly,
    report,
    error,
    setError,
    /** The report belongs to the previous data. */
    forget,
    check: (source: ImportInput) => run(true, async () => void (await dryRun(source))),
    import: (source: ImportInput) => {
      const wasWarned = (report?.warningCount ?? 0) > 0
      return run(false, async () => {
        const found = await dryRun(source)
        if (found.faultCount > 0 || found.lineCount === 0) return
        // Warnings are of use before the import only.
        if (found.warningCount > 0 && !wasWarned) return
        setStage('importing')
        const done = await act.mutateAsync({ query: { dryRun: 'false' }, body: importBody(source) })
        // Somebody may have added one of the numbers after the check.
        if (done.faultCount > 0) return setReport(done)
        const { importId } = done
        showToast({
          title: t('Success'),
          text: t('Numbers imported successfully'),
          ...(importId !== null && { undo: () => undo.mutate({ params: { id: importId } }) }),
        })
        if (isShown.current) onDone()
      })
    },
  }
}
