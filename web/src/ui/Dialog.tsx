import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import { Button } from './Button.tsx'
import { classNames } from './class-names.ts'
import { focusFirst } from './first-focus.ts'
import { overlayClass, panelClass } from './dialog-classes.ts'
import { useOpener } from './use-opener.ts'
import { hasSecretWithin, hasUnsavedWithin, useUnsaved } from './unsaved.ts'
import { useTyped } from './use-typed.ts'
import { t } from '../language/t.ts'

const widths = { sm: 'sm:max-w-110', md: 'sm:max-w-140', lg: 'sm:max-w-165' } as const

export interface DialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The action: 'Mark as Paid'. */
  readonly title: string
  /** The subject of the action. */
  readonly description?: ReactNode
  /** 440, 560 or 660 px. */
  readonly width?: keyof typeof widths
  /** Makes body and footer a form. */
  readonly onSubmit?: (event: FormEvent<HTMLFormElement>) => void
  /** Whether closing loses something, so that it asks first. Left out, the typed fields of the form decide. */
  readonly isDirty?: boolean
  /** The consequence of the action, in small print left of the buttons. */
  readonly consequence?: ReactNode
  /** The button of the action. Cancel stands before it. */
  readonly action?: ReactNode
  /** Close instead of Cancel, where there is nothing to cancel. */
  readonly closeLabel?: string
  /** Whether Esc, a click outside and × do nothing, for what is too dear to lose by a slip. */
  readonly isLeftByButtonOnly?: boolean
  /** A full page on a phone instead of a sheet, for actions that need the space. */
  readonly isFullOnPhone?: boolean
  readonly children: ReactNode
}

/** A dialog; on a phone a sheet from below. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  width = 'sm',
  onSubmit,
  isDirty,
  consequence,
  action,
  closeLabel = t('Cancel'),
  isLeftByButtonOnly = false,
  isFullOnPhone = false,
  children,
}: DialogProps) {
  const [isAsking, setAsking] = useState(false)
  const [isSecret, setSecret] = useState(false)
  const typed = useTyped()
  const opener = useOpener()
  const bodyBox = useRef<HTMLDivElement>(null)
  const cancelButton = useRef<HTMLButtonElement>(null)
  const leftFrom = useRef<Element>(null)
  const loses = () =>
    isDirty ??
    (onSubmit === undefined ? hasUnsavedWithin(bodyBox.current) : action !== undefined && typed.isTyped())
  useUnsaved({ place: 'dialog', element: bodyBox, isUnsaved: () => isOpen && loses() })
  const leave = () => {
    setAsking(false)
    onClose()
  }
  const stay = () => {
    if (leftFrom.current instanceof HTMLElement) leftFrom.current.focus()
    setAsking(false)
  }
  // While it asks, a second Esc takes the first one back. Only the button discards what was typed.
  const close = () => {
    if (!loses()) return leave()
    if (isAsking) return stay()
    leftFrom.current = document.activeElement
    setSecret(hasSecretWithin(bodyBox.current))
    setAsking(true)
  }
  const body = (
    <>
      <div ref={bodyBox} className="min-h-0 grow overflow-y-auto px-5 pb-5">
        {children}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-xl border-t border-line bg-surface-2 px-5 py-3.5 max-sm:rounded-none max-sm:pb-[max(0.875rem,env(safe-area-inset-bottom))]">
        {isAsking ? (
          <div role="alert" className="flex grow flex-wrap items-center justify-end gap-2">
            <span className="me-auto font-medium max-sm:basis-full">
              {isSecret ? t('Not copied yet. It is not shown again.') : t('Leave without saving?')}
            </span>
            <Button autoFocus onClick={stay}>
              {t('Stay')}
            </Button>
            <Button tone="danger" onClick={leave}>
              {t('Discard')}
            </Button>
          </div>
        ) : (
          <>
            {consequence !== undefined && (
              <p className="me-auto max-w-80 min-w-40 flex-1 text-xs text-ink-3 max-sm:max-w-none max-sm:basis-full">
                {consequence}
              </p>
            )}
            <Button ref={cancelButton} onClick={close}>
              {closeLabel}
            </Button>
            {action}
          </>
        )}
      </footer>
    </>
  )
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && (!isLeftByButtonOnly || isAsking) && close()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          {...opener}
          className={classNames(
            panelClass,
            widths[width],
            isFullOnPhone && 'max-sm:h-dvh max-sm:max-h-dvh! max-sm:rounded-none',
          )}
          onOpenAutoFocus={(event) => {
            opener.onOpenAutoFocus()
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement)
              focusFirst(event.currentTarget, bodyBox.current, cancelButton.current)
          }}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <header className="flex items-start justify-between gap-3 px-5 pt-5 pb-4">
            <div className="min-w-0 space-y-0.5">
              <Radix.Title className="text-lg">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description asChild>
                  <div className="text-ink-3">{description}</div>
                </Radix.Description>
              )}
            </div>
            {!isLeftByButtonOnly && (
              <button
                type="button"
                aria-label={t('Close')}
                onClick={close}
                className="-mt-1 -me-1.5 grid size-8 shrink-0 place-items-center rounded-md text-ink-3 hover:bg-surface-3 hover:text-ink pointer-coarse:size-11"
              >
                <X size={16} strokeWidth={1.6} aria-hidden="true" />
              </button>
            )}
          </header>
          {onSubmit ? (
            <form
              noValidate
              onSubmit={(event) => {
                // React would pass the submit event on to the form in which this dialog was opened.
                event.stopPropagation()
                onSubmit(event)
              }}
              {...typed.handlers}
              className="flex min-h-0 grow flex-col"
            >
              {body}
            </form>
          ) : (
            body
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
