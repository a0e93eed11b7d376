import { useRef, useState, type ReactNode } from 'react'
import { readImportFile, type ImportInput } from './import-file.ts'
import { t } from '../language/t.ts'

interface ImportFile {
  readonly isOpen: boolean
  readonly chosen: ImportInput | undefined
  readonly fault: string | undefined
  /** Opens the dialog and the browser's file list. A person who cancels the list can paste text instead. */
  readonly open: () => void
  readonly close: () => void
  readonly choose: () => void
  readonly take: (file: File) => void
  readonly forget: () => void
  /** The file input. It stands outside the dialog, which opens after a file was chosen. */
  readonly input: ReactNode
}

/** The file of an import: chosen on the page or in the dialog, or dropped on the dialog. */
export function useImportFile(): ImportFile {
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<ImportInput>()
  const [fault, setFault] = useState<string>()
  const forget = () => {
    setChosen(undefined)
    setFault(undefined)
  }
  const choose = () => input.current?.click()
  const take = (file: File) => {
    forget()
    setOpen(true)
    readImportFile(file).then(setChosen, (error: unknown) =>
      setFault(
        error instanceof Error
          ? error.message
          : t('{name} cannot be read. Choose it again.', { name: file.name }),
      ),
    )
  }
  return {
    isOpen,
    chosen,
    fault,
    choose,
    take,
    forget,
    open: () => {
      forget()
      setOpen(true)
      choose()
    },
    close: () => {
      setOpen(false)
      forget()
    },
    input: (
      <input
        ref={input}
        type="file"
        accept=".csv,.xlsx,.xls"
        aria-label={t('File to import')}
        tabIndex={-1}
        hidden
        onChange={(event) => {
          const file = event.target.files?.[0]
          // Reset, so that the same file can be chosen again after a correction.
          event.target.value = ''
          if (file) take(file)
        }}
      />
    ),
  }
}
