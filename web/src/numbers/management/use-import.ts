import { numbersRoutes, type ImportReport } from '@tollgate/contract/numbers/numbers.ts'
import { numberImportsRoutes, type FileColumns } from '@tollgate/contract/numbers/import.ts'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { useApiMutation } from '../../api/use-api.ts'
import { formatCount } from '../../format/money.ts'
import { showToast } from '../../ui/toasts.ts'
import { numberPaths } from '../queries.ts'
import { importBody, type ImportInput } from '../../api/import-file.ts'
import { useUndoImport } from './use-undo-import.ts'
import { t } from '../../language/t.ts'

export type ImportStage = 'idle' | 'checking' | 'importing'

/** What the columns of a file are, when somebody has to say it. */
function useColumns() {
  const read = useApiMutation(numberImportsRoutes.readImportColumns, { failure: false })
  const [mapping, setMapping] = useState<FileColumns>()
  return {
    mapping,
    setMapping,
    query: (dryRun: 'true' | 'false') => ({
      dryRun,
      ...(mapping && {
        columns: mapping.columns.map(({ column }) => column ?? '').join(','),
        headerLine: mapping.headerLine,
      }),
    }),
    /** Asks when the first line of a file does not say it; any other fault is thrown on. */
    ask: async (source: ImportInput, refusal: unknown): Promise<undefined> => {
      if (!(refusal instanceof ApiError) || refusal.fields['columns'] === undefined) throw refusal
      setMapping(await read.mutateAsync({ body: importBody(source) }))
    },
    /** Reads the columns by the names in another line. */
    readBy: async (source: ImportInput, headerLine: number) =>
      setMapping(await read.mutateAsync({ query: { headerLine }, body: importBody(source) })),
  }
}

const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** Whether the dialog is still there: it may have been closed during the import and opened again for another file. */
function useIsShown() {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}

function toastImported({ importId, importedCount }: ImportReport, undo: (id: string) => void): void {
  showToast({
    title: t('Success'),
    text: t('Numbers imported successfully ({count})', { count: formatCount(importedCount) }),
    ...(importId !== null && { undo: () => undo(importId) }),
  })
}

/** Checks a file by a dry run, and imports it only without faults. One with warnings is imported once they were shown. */
export function useImport(onDone: () => void) {
  const [stage, setStage] = useState<ImportStage>('idle')
  const [isCheckOnly, setCheckOnly] = useState(false)
  const [report, setReport] = useState<ImportReport>()
  const [error, setError] = useState<Error | null>(null)
  const [isCheck, setCheck] = useState(true)
  const look = useApiMutation(numbersRoutes.importPremiumNumbers, { failure: false })
  const { mapping, setMapping, query, ask, readBy } = useColumns()
  const act = useApiMutation(numbersRoutes.importPremiumNumbers, {
    refetch: numberPaths,
    failure: t('Failed to import numbers'),
  })
  const undo = useUndoImport()
  const isShown = useIsShown()
  const forget = () => {
    setReport(undefined)
    setError(null)
  }
  const run = async (isAlone: boolean, work: () => Promise<void>) => {
    setCheckOnly(isAlone)
    forget()
    try {
      await work()
    } catch (thrown) {
      setError(errorOf(thrown))
    } finally {
      setStage('idle')
    }
  }
  const dryRun = async (source: ImportInput): Promise<ImportReport | undefined> => {
    setStage('checking')
    setCheck(true)
    const call = { query: query('true'), body: importBody(source) }
    const found = await look.mutateAsync(call).catch((refusal: unknown) => ask(source, refusal))
    setReport(found)
    return found
  }

  return {
    stage,
    /** What runs, or ran last, is a check that no import follows. */
    isCheckOnly,
    report,
    error,
    /** Whether the error is that of a check, so that nothing was to be imported yet. */
    isCheckError: isCheck,
    /** What the columns are, once it had to be asked. */
    mapping,
    setMapping: (next: FileColumns) => {
      setMapping(next)
      forget()
    },
    chooseHeader: (source: ImportInput, line: number) => run(true, async () => readBy(source, line)),
    /** Report and columns belong to the previous data. */
    forget: () => {
      forget()
      setMapping(undefined)
    },
    check: (source: ImportInput) => run(true, async () => void (await dryRun(source))),
    import: (source: ImportInput) => {
      const wasWarned = (report?.warningCount ?? 0) > 0
      return run(false, async () => {
        const found = await dryRun(source)
        if (found === undefined || found.faultCount > 0 || found.lineCount === 0) return
        // Warnings are of use before the import only.
        if (found.warningCount > 0 && !wasWarned) return
        setStage('importing')
        setCheck(false)
        const done = await act.mutateAsync({ query: query('false'), body: importBody(source) })
        // Somebody may have added one of the numbers after the check.
        if (done.faultCount > 0) return setReport(done)
        toastImported(done, (id) => undo.mutate({ params: { id } }))
        if (isShown.current) onDone()
      })
    },
  }
}
