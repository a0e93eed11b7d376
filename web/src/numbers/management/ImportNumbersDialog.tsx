import { FileUp, History, X } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { formatCount } from '../../format/money.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextAreaField } from '../../ui/Field.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Progress } from '../../ui/Progress.tsx'
import type { ImportInput } from '../../api/import-file.ts'
import { ColumnMapping, isMapped } from './ColumnMapping.tsx'
import { ImportReportView } from './ImportReport.tsx'
import { useImport, type ImportStage } from './use-import.ts'
import { t } from '../../language/t.ts'

const header = t('Number,Description,Rate,Status,Country,Country Code')

interface ImportNumbersDialogProps {
  /** The content of the chosen file; undefined for pasted text. */
  readonly chosen: ImportInput | undefined
  /** Why the chosen file could not be read. */
  readonly fileFault: string | undefined
  readonly onChooseFile: () => void
  readonly onDropFile: (file: File) => void
  readonly onForgetFile: () => void
  readonly onHistory: () => void
  readonly onClose: () => void
}

/** Imports numbers. The data is checked before anything is written: all lines are imported or none. */
export function ImportNumbersDialog(props: ImportNumbersDialogProps) {
  const { chosen, fileFault, onClose } = props
  const [text, setText] = useState(chosen?.kind === 'text' ? chosen.text : '')
  const job = useImport(onClose)
  const [seen, setSeen] = useState(chosen)
  // Another file replaces the text. Removing a file keeps it.
  if (seen !== chosen) {
    setSeen(chosen)
    if (chosen) {
      setText(chosen.kind === 'text' ? chosen.text : '')
      job.forget()
    }
  }
  const source = sourceOf(chosen, text)
  const isBusy = job.stage !== 'idle'
  const isReady = job.mapping === undefined || isMapped(job.mapping)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Import Numbers')}
      description={t('From a .csv, .xlsx or .xls file, or pasted below. Header: {columns}', {
        columns: header.replaceAll(',', ', '),
      })}
      width="lg"
      isFullOnPhone
      isDirty={source !== undefined && !isBusy}
      onSubmit={(event) => {
        event.preventDefault()
        if (source && isReady && !isBusy) void job.import(source)
      }}
      closeLabel={job.stage === 'importing' ? t('Close') : t('Cancel')}
      consequence={isReady ? consequenceOf(source, job.stage) : t('Say which column is the number.')}
      action={<ImportButtons job={job} source={isReady ? source : undefined} />}
    >
      <div
        className="space-y-4"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          const file = event.dataTransfer.files[0]
          if (file) props.onDropFile(file)
        }}
      >
        <FileLine {...props} />
        {fileFault !== undefined && <Notice tone="bad" title={fileFault} isAlert />}
        {chosen?.kind !== 'file' && (
          <TextAreaField
            label={t('CSV Data')}
            isMono
            rows={8}
            spellCheck={false}
            autoComplete="off"
            placeholder={t('{header}\n+44 909 879 0142,Vote line,1.50,active,United Kingdom,+44', { header })}
            value={text}
            readOnly={isBusy}
            onChange={(event) => {
              setText(event.target.value)
              job.forget()
            }}
          />
        )}
        {job.mapping && (
          <ColumnMapping
            mapping={job.mapping}
            onChange={job.setMapping}
            onHeaderLine={(line) => {
              if (source) void job.chooseHeader(source, line)
            }}
          />
        )}
        <ImportResult job={job} />
      </div>
    </Dialog>
  )
}

function consequenceOf(source: ImportInput | undefined, stage: ImportStage): string {
  if (stage === 'importing') return t('The import goes on when this is closed.')
  return source ? t('All lines are imported or none.') : t('Choose a file or paste lines to import them.')
}

function ImportButtons({
  job,
  source,
}: {
  job: ReturnType<typeof useImport>
  source: ImportInput | undefined
}) {
  const isBusy = job.stage !== 'idle'
  const isWarned = job.report?.faultCount === 0 && job.report.warningCount > 0
  return (
    <>
      <Button
        isDisabled={source === undefined || (isBusy && !job.isCheckOnly)}
        isBusy={isBusy && job.isCheckOnly}
        busyLabel={t('Checking...')}
        onClick={() => source && void job.check(source)}
      >
        {t('Check only')}
      </Button>
      <Button
        tone="primary"
        type="submit"
        isDisabled={source === undefined || (isBusy && job.isCheckOnly)}
        isBusy={isBusy && !job.isCheckOnly}
        busyLabel={t('Importing...')}
      >
        {isWarned ? t('Import anyway') : t('Import')}
      </Button>
    </>
  )
}

/** What would be sent; undefined without any text. Spec §5. */
function sourceOf(chosen: ImportInput | undefined, text: string): ImportInput | undefined {
  if (chosen?.kind === 'file') return chosen
  return text.trim() === '' ? undefined : { kind: 'text', text, name: chosen?.name ?? '' }
}

/** The progress of the import, or its result. */
function ImportResult({ job }: { job: ReturnType<typeof useImport> }) {
  const { stage, isCheckOnly, report, error, isCheckError } = job
  if (stage !== 'idle') return <Steps stage={stage} isCheckOnly={isCheckOnly} report={report} />
  return (
    <>
      {error && (
        <Notice tone="bad" title={isCheckError ? t('Check failed') : t('Failed to import numbers')} isAlert>
          {messageOf(error)} {t('Nothing was imported.')}
        </Notice>
      )}
      {report && <ImportReportView report={report} />}
    </>
  )
}

function FileLine({ chosen, onChooseFile, onForgetFile, onHistory }: ImportNumbersDialogProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button icon={FileUp} onClick={onChooseFile}>
        {chosen ? t('Choose another file') : t('Choose file')}
      </Button>
      {chosen ? (
        <span className="inline-flex min-w-0 items-center gap-1">
          <span className="truncate font-medium">{chosen.name}</span>
          {chosen.kind === 'file' && (
            <span className="text-ink-3">
              {t('{size} kB', { size: formatCount(Math.ceil(chosen.file.size / 1_000)) })}
            </span>
          )}
          <IconButton icon={X} label={t('Remove {name}', { name: chosen.name })} onClick={onForgetFile} />
        </span>
      ) : (
        <span className="text-ink-3 max-sm:hidden">{t('or drop one here')}</span>
      )}
      <Button tone="ghost" icon={History} className="ms-auto" onClick={onHistory}>
        {t('Earlier imports')}
      </Button>
    </div>
  )
}

/** The two steps of an import, and the current one; a check alone has none. */
function Steps({
  stage,
  isCheckOnly,
  report,
}: Pick<ReturnType<typeof useImport>, 'stage' | 'isCheckOnly' | 'report'>) {
  const isImporting = stage === 'importing'
  const count = report?.lineCount
  return (
    <div role="status" className="space-y-1.5">
      <p className="flex justify-between gap-2">
        <span className="font-medium">
          {isImporting
            ? count === undefined
              ? t('Importing...')
              : t('Importing {count} lines...', { count: formatCount(count) })
            : t('Checking each line...')}
        </span>
        {!isCheckOnly && (
          <span className="text-ink-3">{t('Step {step} of 2', { step: isImporting ? 2 : 1 })}</span>
        )}
      </p>
      {/* Without a value, because the server works on all lines at once. */}
      <Progress label={t('Import')} />
    </div>
  )
}
