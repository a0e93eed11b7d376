import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useEffect, useEffectEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { IconButton } from './IconButton.tsx'
import { KeyCap } from './KeyCap.tsx'
import { dockedQuery, useMediaQuery, widelyDockedQuery } from './use-media-query.ts'
import { useOpener } from './use-opener.ts'
import { isTyping } from './is-typing.ts'
import { t } from '../language/t.ts'

export interface DrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Its name for screen readers: 'Record +44 909 879 0142'. */
  readonly label: string
  /** '1 of 12,846'. */
  readonly position?: string
  /** J and the right arrow; absent on the last row. */
  readonly onNext?: (() => void) | undefined
  readonly onPrevious?: (() => void) | undefined
  /** More buttons in the top line, such as the link to this row. */
  readonly actions?: ReactNode
  readonly foot?: ReactNode
  /** Beside a list of many columns: docked on wide screens alone. */
  readonly isBesideMany?: boolean
  readonly children: ReactNode
}

/** The keys J and K go to the next and the previous row. */
function useRowKeys(isOpen: boolean, onNext?: () => void, onPrevious?: () => void): void {
  const walk = useEffectEvent((event: KeyboardEvent) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'j') onNext?.()
    if (event.key === 'k') onPrevious?.()
  })
  useEffect(() => {
    if (!isOpen) return undefined
    const listen = (event: KeyboardEvent) => walk(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [isOpen])
}

/**
 * Details at the right: docked beside the page from 1280 px, over it below that, full screen on a phone. Esc closes
 * it.
 */
export function Drawer({
  isOpen,
  onClose,
  label,
  position,
  onNext,
  onPrevious,
  actions,
  foot,
  isBesideMany = false,
  children,
}: DrawerProps) {
  const isDocked = useMediaQuery(isBesideMany ? widelyDockedQuery : dockedQuery)
  const opener = useOpener()
  useRowKeys(isOpen, onNext, onPrevious)
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && onClose()} modal={!isDocked}>
      <Radix.Portal>
        {!isDocked && <Radix.Overlay className="fixed inset-0 z-30 bg-scrim" />}
        <Radix.Content
          {...opener}
          aria-describedby={undefined}
          data-docked-drawer={isDocked || undefined}
          onOpenAutoFocus={(event) => {
            opener.onOpenAutoFocus()
            // Focuses the panel: focus on its first button would open the button's tooltip, which takes the first Esc.
            event.preventDefault()
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          // When docked, the table beside it stays usable.
          onInteractOutside={(event) => isDocked && event.preventDefault()}
          className={classNames(
            'slide-in fixed inset-y-0 end-0 flex w-(--drawer-width) flex-col border-s border-line bg-surface outline-none',
            isDocked ? 'z-20' : 'z-40 shadow-dialog max-sm:w-full max-sm:border-0',
          )}
        >
          <Radix.Title className="sr-only">{label}</Radix.Title>
          <div className="flex items-center gap-1 px-4 pt-4 pb-1 text-ink-3">
            {(onNext ?? onPrevious) && (
              <>
                <IconButton
                  icon={ChevronLeft}
                  label={t('Previous')}
                  isStep
                  onClick={onPrevious}
                  disabled={!onPrevious}
                />
                <IconButton
                  icon={ChevronRight}
                  label={t('Next')}
                  isStep
                  onClick={onNext}
                  disabled={!onNext}
                />
              </>
            )}
            {position !== undefined && <span className="ps-1">{position}</span>}
            <span className="ms-auto flex items-center gap-1">
              {actions}
              <IconButton icon={X} label={t('Close')} onClick={onClose} />
            </span>
          </div>
          <div className="min-h-0 grow overflow-y-auto px-5 pt-2 pb-6">{children}</div>
          {(foot !== undefined || onNext !== undefined || onPrevious !== undefined) && (
            <footer
              data-drawer-foot=""
              className="flex flex-wrap items-center gap-2 border-t border-line bg-surface-2 px-5 py-3.5 pb-[max(0.875rem,env(safe-area-inset-bottom))]"
            >
              {foot}
              {(onNext ?? onPrevious) && (
                <span className="ms-auto flex items-center gap-1 text-xs text-ink-3 max-sm:hidden">
                  <KeyCap>J</KeyCap>
                  <KeyCap>K</KeyCap> {t('next, previous')}
                </span>
              )}
            </footer>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface DrawerHeadProps {
  /** The subject, in a monospaced font. */
  readonly subject: ReactNode
  readonly badge?: ReactNode
  readonly time?: string
  /** Three in a line: what it costs, what it earns, where it settles. */
  readonly cells?: readonly { readonly label: string; readonly value: ReactNode }[]
}

/** The head of a drawer: subject, state, time, and the important values. */
export function DrawerHead({ subject, badge, time, cells = [] }: DrawerHeadProps) {
  return (
    <div className="space-y-4 pb-4">
      <div className="space-y-2">
        <p className="phone-number text-[1.1875rem] leading-7">{subject}</p>
        <div className="flex flex-wrap items-center gap-2 text-ink-3">
          {badge}
          {time}
        </div>
      </div>
      {cells.length > 0 && (
        <dl className="flex flex-wrap gap-px overflow-hidden rounded-lg border border-line bg-line">
          {cells.map(({ label, value }) => (
            <div
              key={label}
              className="flex grow basis-[30%] flex-col justify-between bg-surface-2 px-3 py-2"
            >
              <dt className="text-xs text-ink-3">{label}</dt>
              <dd className="font-semibold">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}
