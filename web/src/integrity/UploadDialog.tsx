// Lines of a file or pasted ones: first a check that changes nothing, then all of them or none.
import type { Words } from '@tollgate/contract/sentences.ts'
import { FileUp } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { messageOf } from '../api/api-error.ts'
import { importBody, readImportFile, type ImportInput } from '../api/import-file.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { formatCount } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextAreaField } from '../ui/Field.tsx'
import { FileButton } from '../ui/FileButton.tsx'
import { Notice } from '../ui/Notice.tsx'

interface UploadDialogProps {
  readonly title: string
  readonly description: string
  /** Lines as an example. */
  readonly placeholder: string
  /** Fields above the lines. */
  readonly fields?: ReactNode
  /** Whether these are filled in. */
  readonly isReady?: boolean
  /** What the server says of the lines. */
  readonly report?: ReactNode
  /** Whether it was checked and can be taken. */
  readonly isChecked: boolean
  /** Whether these lines were taken or compared, so that nothing is lost by leaving. */
  readonly isDone?: boolean
  readonly isBusy: boolean
  readonly error: Error | null
  readonly failure: string
  /** 'Check' by default. */
  readonly checkLabel?: string
  readonly takeLabel: string
  readonly consequence: string
  readonly onSend: (body: { data: string; fileName?: string }, isTrial: boolean) => void
  /** Called when the lines change, so that the report is of others. */
  readonly onChanged: () => void
  readonly onClose: () => void
}

export function UploadDialog(props: UploadDialogProps) {
  const { isReady = true, isChecked, isDone = false, isBusy, onSend, onChanged } = props
  const [input, setInput] = useState<ImportInput>({ kind: 'text', text: '', name: '' })
  const [fault, setFault] = useState<string>()
  const change = (next: ImportInput) => {
    setInput(next)
    setFault(undefined)
    onChanged()
  }
  const isFilled = input.kind === 'file' || input.text.trim() !== ''
  const take = (file: File) => {
    readImportFile(file).then(change, (error: unknown) =>
      setFault(error instanceof Error ? error.message : messageOf(error)),
    )
  }
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      title={props.title}
      description={props.description}
      width="lg"
      isFullOnPhone
      isDirty={isFilled && !isBusy && !isDone}
      closeLabel={isDone ? t('Close') : t('Cancel')}
      consequence={props.consequence}
      onSubmit={(event) => {
        event.preventDefault()
        if (isFilled && isReady && !isBusy) onSend(importBody(input), !isChecked)
      }}
      action={
        <Button
          type="submit"
          tone="primary"
          isDisabled={!isFilled || !isReady}
          isBusy={isBusy}
          busyLabel={isChecked ? t('Saving...') : t('Checking...')}
        >
          {isChecked ? props.takeLabel : (props.checkLabel ?? t('Check'))}
        </Button>
      }
    >
      <div className="space-y-4">
        {props.fields}
        <FileButton label={t('File of lines')} accept=".csv,.xlsx,.xls" size="sm" icon={FileUp} onFile={take}>
          {t('Choose file')}
        </FileButton>
        {fault !== undefined && <Notice tone="bad" title={fault} isAlert />}
        {input.kind === 'file' ? (
          <p>{input.name}</p>
        ) : (
          <TextAreaField
            label={t('Lines, the first with the names of the columns')}
            isMono
            rows={6}
            spellCheck={false}
            placeholder={props.placeholder}
            value={input.text}
            onChange={(event) => change({ kind: 'text', text: event.target.value, name: '' })}
          />
        )}
        <SaveFailure error={props.error} title={props.failure} />
        {props.report}
      </div>
    </Dialog>
  )
}

interface FaultyLinesProps {
  readonly lineCount: number
  readonly faultCount: number
  /** The first of them, each with what it is about. */
  readonly faults: readonly {
    readonly line: number
    readonly what: string
    readonly words: Words
  }[]
  /** What becomes of the others; by default nothing. */
  readonly consequence?: string
}

/** What is wrong with the lines of a file. */
export function FaultyLines({
  lineCount,
  faultCount,
  faults,
  consequence = t('Nothing was changed. Fix them and check again.'),
}: FaultyLinesProps) {
  return (
    <section aria-label={t('Faulty lines')} className="space-y-3">
      <Notice
        tone="bad"
        title={t('{faultCount} of {lineCount} lines are faulty', {
          faultCount: formatCount(faultCount),
          lineCount: formatCount(lineCount),
        })}
        isAlert
      >
        {consequence}
      </Notice>
      <ul className="max-h-64 divide-y divide-line overflow-y-auto rounded-lg border border-line">
        {faults.map(({ line, what, words }) => (
          <li key={line} className="flex flex-wrap gap-x-3 px-3 py-1.5">
            <span className="text-ink-3">{t('line {line}', { line })}</span>
            <span className="font-mono">{what}</span>
            <span className="text-ink-2">{formatWords(words)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
