import { AlertDialog } from 'radix-ui'
import { useId, useState, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { classNames } from './class-names.ts'
import { StatusIcon } from './StatusIcon.tsx'
import { overlayClass, panelClass } from './dialog-classes.ts'
import { useOpener } from './use-opener.ts'
import { t } from '../language/t.ts'

export interface ConfirmDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** 'Delete +44 909 879 0142?' */
  readonly title: string
  /** What happens, and what stays. */
  readonly children: ReactNode
  /** A text to type before the button works; spaces do not count. Without it one click is enough. */
  readonly typed?: { readonly word: string; readonly label: string }
  /** The label of the confirming button. */
  readonly confirmLabel: string
  readonly cancelLabel?: string
  readonly busyLabel?: string
  readonly isBusy?: boolean
  readonly tone?: 'danger' | 'primary'
  /** Why it failed. The dialog stays open. */
  readonly error?: string | undefined
  /** What failed, above it. */
  readonly errorTitle?: string | undefined
  readonly onConfirm: () => void
}

const bare = (text: string) => text.replace(/\s/g, '')

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const opener = useOpener()
  return (
    <AlertDialog.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlayClass} />
        <AlertDialog.Content {...opener} className={classNames(panelClass, 'sm:max-w-110')}>
          <ConfirmForm {...props} />
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

// Mounted at each opening, so that the typed text starts empty.
function ConfirmForm({
  title,
  children,
  typed,
  confirmLabel,
  cancelLabel = t('Cancel'),
  busyLabel,
  isBusy = false,
  tone = 'danger',
  error,
  errorTitle,
  onConfirm,
}: ConfirmDialogProps) {
  const [text, setText] = useState('')
  const inputId = useId()
  const isReady = typed === undefined || bare(text) === bare(typed.word)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        // React would pass the submit event on to the form of the dialog that asks, which would save too.
        event.stopPropagation()
        if (isReady && !isBusy) onConfirm()
      }}
    >
      <div className="space-y-4 p-5">
        <div className="space-y-1">
          <AlertDialog.Title className="text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="text-ink-2">{children}</div>
          </AlertDialog.Description>
        </div>
        {typed && (
          <div className="space-y-1">
            <label htmlFor={inputId} className="block text-xs font-medium text-ink-2">
              {typed.label}
            </label>
            <input
              id={inputId}
              value={text}
              onChange={(event) => setText(event.target.value)}
              autoComplete="off"
              spellCheck={false}
              className="control font-mono"
            />
          </div>
        )}
        {error !== undefined && (
          <p role="alert" className="flex items-center gap-1.5 text-xs text-bad-ink">
            <StatusIcon shape="x" tone="bad" />
            <span>
              {errorTitle !== undefined && <span className="block font-medium">{errorTitle}</span>}
              <span>{error}</span>
            </span>
          </p>
        )}
      </div>
      <footer className="flex justify-end gap-2 rounded-b-xl border-t border-line bg-surface-2 px-5 py-3.5">
        <AlertDialog.Cancel asChild>
          <Button>{cancelLabel}</Button>
        </AlertDialog.Cancel>
        <Button
          type="submit"
          tone={tone}
          isDisabled={!isReady}
          isBusy={isBusy}
          {...(busyLabel !== undefined && { busyLabel })}
        >
          {confirmLabel}
        </Button>
      </footer>
    </form>
  )
}
