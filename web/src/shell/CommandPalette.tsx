import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { themes } from '@tollgate/contract/users/preferences.ts'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useId, useState, type KeyboardEvent } from 'react'
import { objectsRoutes } from '@tollgate/contract/objects/objects.ts'
import { messageOf } from '../api/api-error.ts'
import { useSession, useUser } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { classNames } from '../ui/class-names.ts'
import { overlayClass } from '../ui/dialog-classes.ts'
import { mayOpen } from './console-page.ts'
import { paths } from '../paths.ts'
import { paletteRows, type PaletteRow } from './palette-rows.ts'
import { useShellRows } from './shell-context.ts'
import { chooseTheme, themeWords } from '../ui/theme.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { useLogout } from '../users/sign-in/use-logout.ts'
import { t } from '../language/t.ts'

interface CommandPaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onShortcuts: () => void
  readonly onAccount: (tab: AccountTab) => void
}

/** Search or jump to: a list box controlled from the text field. */
export function CommandPalette(props: CommandPaletteProps) {
  return (
    <Radix.Root open={props.isOpen} onOpenChange={(isOpen) => !isOpen && props.onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlayClass} />
        <Radix.Content
          aria-describedby={undefined}
          className="rise-in fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-140 max-w-[calc(100vw-1.5rem)] -translate-x-1/2 flex-col overflow-hidden rounded-xl bg-raised shadow-dialog outline-none"
        >
          <Radix.Title className="sr-only">{t('Search or jump to')}</Radix.Title>
          <PaletteBox {...props} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Mounted at each opening, so that it starts empty. */
function PaletteBox({ onClose, onShortcuts, onAccount }: CommandPaletteProps) {
  const [typed, setTyped] = useState('')
  const [query, setQuery] = useDebounced(typed, setTyped, pauseMs)
  const [place, setPlace] = useState(0)
  const listId = useId()
  const { rows, isSearching, error } = usePaletteRows({ query, typed, onShortcuts, onAccount })
  const active = Math.min(place, rows.length - 1)
  const run = (row: PaletteRow | undefined) => {
    if (!row) return
    onClose()
    row.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setPlace((active + step + rows.length) % Math.max(1, rows.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      run(rows[active])
    }
  }
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search size={16} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-ink-3" />
        <input
          role="combobox"
          aria-label={t('Search or jump to')}
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={rows[active] && `${listId}-${active}`}
          placeholder={t('Page, number, person, bill, message ID or hash')}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onKeyDown={press}
          onChange={(event) => {
            setQuery(event.target.value)
            setPlace(0)
          }}
          className="h-12 w-full bg-transparent text-md outline-none max-sm:text-lg"
        />
      </div>
      <ul id={listId} role="listbox" aria-label={t('Results')} className="min-h-0 overflow-y-auto p-1.5">
        {groupsOf(rows).map(({ group, from, members }) => (
          <li key={`${group} ${from}`} role="group" aria-label={group} className="pb-1">
            <p aria-hidden="true" className="px-2.5 pt-1.5 pb-0.5 text-xs text-ink-3">
              {group}
            </p>
            {members.map((row, place) => (
              <PaletteOption
                key={row.id}
                row={row}
                id={`${listId}-${from + place}`}
                isActive={from + place === active}
                onPoint={() => setPlace(from + place)}
                onRun={() => run(row)}
              />
            ))}
          </li>
        ))}
      </ul>
      {error ? (
        <p role="status" className="px-4 pb-3 text-warn-ink">
          {t('Failed to search: {error}', { error: messageOf(error) })}
        </p>
      ) : (
        rows.length === 0 && (
          <p role="status" className="px-4 pb-3 text-ink-3">
            {isSearching ? t('Searching...') : t('Nothing here has that name')}
          </p>
        )
      )}
    </>
  )
}

interface PaletteOptionProps {
  readonly row: PaletteRow
  readonly id: string
  readonly isActive: boolean
  readonly onPoint: () => void
  readonly onRun: () => void
}

function PaletteOption({ row, id, isActive, onPoint, onRun }: PaletteOptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      ref={isActive ? scrollIntoSight : undefined}
      onPointerMove={onPoint}
      onClick={onRun}
      className={classNames(
        'flex min-h-9 cursor-pointer items-center justify-between gap-4 rounded-md px-2.5 pointer-coarse:min-h-11',
        isActive && 'bg-surface-3',
      )}
    >
      <span className="shrink-0 max-sm:min-w-0 max-sm:truncate">{row.label}</span>
      {row.detail !== undefined && <span className="min-w-0 truncate text-xs text-ink-3">{row.detail}</span>}
    </div>
  )
}

function scrollIntoSight(option: HTMLElement | null): void {
  // Not in tests, whose browser has no layout.
  option?.scrollIntoView?.({ block: 'nearest' })
}

interface PaletteGroup {
  readonly group: string
  /** The place of its first row among all rows. */
  readonly from: number
  readonly members: PaletteRow[]
}

function groupsOf(rows: readonly PaletteRow[]): PaletteGroup[] {
  const groups: PaletteGroup[] = []
  for (const [from, row] of rows.entries())
    if (groups.at(-1)?.group === row.group) groups.at(-1)?.members.push(row)
    else groups.push({ group: row.group, from, members: [row] })
  return groups
}

// As long as a quick typist needs for the next letter.
const pauseMs = 150

interface PaletteText {
  readonly query: string
  /** The query after a pause in typing, for the server. */
  readonly typed: string
}

type PaletteActions = Pick<CommandPaletteProps, 'onShortcuts' | 'onAccount'>

function usePaletteRows({ query, typed, onShortcuts, onAccount }: PaletteText & PaletteActions): {
  rows: readonly PaletteRow[]
  isSearching: boolean
  /** Why the server's part of the rows is missing; null while it is searched for. */
  error: Error | null
} {
  const { may } = useSession()
  const user = useUser()
  const { pages } = useShellRows()
  const router = useRouter()
  const { logOut } = useLogout()
  const go = (href: string) => router.history.push(href)
  const canSearch = typed.trim().length > 1
  // Not kept: what has a name changes.
  const search = useApiQuery(
    objectsRoutes.search,
    { query: { q: typed.trim() } },
    { isEnabled: canSearch, isKept: false },
  )
  const rows = paletteRows({
    query,
    // What was found for another text would be run by Enter.
    found: (typed === query && search.data) || [],
    isStaff: may('paymentManagement'),
    pages: pages.filter((page) => mayOpen(user, page)),
    go,
    maySet: may('adminSettings'),
    actions: [
      ...themes.map((theme) => ({
        label: t('Theme: {theme}', { theme: themeWords[theme] }),
        run: () => chooseTheme(theme),
      })),
      { label: t('Your account'), run: () => onAccount('password') },
      { label: t('Language and preferences'), run: () => onAccount('preferences') },
      ...(may('apiKeys') ? [{ label: t('API keys'), run: () => onAccount('keys') }] : []),
      ...(may('paymentManagement')
        ? [{ label: t('Payment runs'), run: () => go(`${paths.paymentManagement}?tab=runs`) }]
        : []),
      ...(may('adminSettings') ? [{ label: t('SMS rates'), run: () => go(paths.adminSettings) }] : []),
      { label: t('Keyboard shortcuts'), run: onShortcuts },
      { label: t('Logout'), run: logOut },
    ],
  })
  const isSearching = typed !== query || search.isFetching
  return { rows, isSearching, error: isSearching || !canSearch ? null : search.error }
}
