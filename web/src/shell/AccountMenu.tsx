import { useRouter } from '@tanstack/react-router'
import { CircleUserRound, KeyRound, Languages, Webhook, type LucideIcon } from 'lucide-react'
import { useId, useRef, type KeyboardEvent } from 'react'
import { useSession } from '../api/session.tsx'
import { paths } from '../paths.ts'
import { classNames } from '../ui/class-names.ts'
import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { AccountButton } from './AccountButton.tsx'
import { t } from '../language/t.ts'

interface AccountMenuProps {
  readonly isRail: boolean
  readonly onAccount: (tab: AccountTab) => void
}

interface Row {
  readonly label: string
  readonly icon: LucideIcon
  readonly onSelect: () => void
}

/**
 * The person, and what is theirs. A popover of the browser's own: the script of the other menus would double what the first
 * page loads.
 */
export function AccountMenu({ isRail, onAccount }: AccountMenuProps) {
  const { may } = useSession()
  const router = useRouter()
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const rows: readonly Row[] = [
    { label: t('Your account'), icon: CircleUserRound, onSelect: () => onAccount('password') },
    { label: t('Language and preferences'), icon: Languages, onSelect: () => onAccount('preferences') },
    ...(may('apiKeys') ? [{ label: t('API keys'), icon: KeyRound, onSelect: () => onAccount('keys') }] : []),
    ...(may('ownEndpoints')
      ? [{ label: t('Webhooks'), icon: Webhook, onSelect: () => router.history.push(paths.webhooks) }]
      : []),
  ]
  const choose = ({ onSelect }: Row) => {
    // The focus goes back to the button first, so that a dialog returns it there.
    box.current?.hidePopover()
    onSelect()
  }
  return (
    <>
      <AccountButton isRail={isRail} popoverTarget={id} aria-haspopup="menu" />
      <div
        ref={box}
        id={id}
        popover="auto"
        role="menu"
        aria-label={t('your account')}
        onToggle={({ newState }) => newState === 'open' && focusRow(box.current, () => 0)}
        onKeyDown={(event) => walk(box.current, event)}
        className={classNames(
          'inset-auto start-2.25 min-w-44 rounded-lg bg-raised py-1 text-ink shadow-pop open:appear',
          isRail ? 'bottom-24' : 'bottom-14',
        )}
      >
        {rows.map((row) => (
          <button
            key={row.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => choose(row)}
            className="flex h-8 w-full items-center gap-2.5 px-3 text-start outline-none hover:bg-surface-3 focus:bg-surface-3 pointer-coarse:h-11"
          >
            <row.icon size={16} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-ink-3" />
            {row.label}
          </button>
        ))}
      </div>
    </>
  )
}

/** Focuses the row that `choose` gives of the focused one's place (-1: none) and the last one's; the ends meet. */
function focusRow(box: HTMLElement | null, choose: (focused: number, last: number) => number): void {
  const rows = [...(box?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
  const focused = rows.findIndex((row) => row === document.activeElement)
  rows.at(choose(focused, rows.length - 1) % rows.length)?.focus()
}

const steps: Readonly<Record<string, (focused: number, last: number) => number>> = {
  ArrowDown: (focused) => focused + 1,
  ArrowUp: (focused) => focused - 1,
  Home: () => 0,
  End: (_, last) => last,
}

/** WAI-ARIA, menu: the arrows walk, Tab leaves. */
function walk(box: HTMLElement | null, event: KeyboardEvent): void {
  if (event.key === 'Tab') box?.hidePopover()
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  focusRow(box, step)
}
