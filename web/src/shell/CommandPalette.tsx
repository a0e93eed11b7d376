import { themes } from '@tollgate/contract/preferences.ts'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useId, useState, type KeyboardEvent } from 'react'
import { useSession } from '../api/session.tsx'
import { classNames } from '../ui/class-names.ts'
import { overlayClass } from '../ui/dialog-classes.ts'
import { paletteRows, type PaletteRow } from './palette-rows.ts'
import { useShellRows } from './shell-context.ts'
import { chooseTheme } from '../ui/theme.ts'
import { useLogout } from '../users/sign-in/use-logout.ts'

interface CommandPaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onShortcuts: () => void
  readonly onAccount: () => void
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
          <Radix.Title className="sr-only">Search or jump to</Radix.Title>
          <PaletteBox {...props} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Mounted at each opening, so that it starts empty. */
function PaletteBox({ onClose, onShortcuts, onAccount }: CommandPaletteProps) {
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState(0)
  const listId = useId()
  const rows = usePaletteRows(query, { onShortcuts, onAccount })
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
          aria-label="Search or jump to"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={rows[active] && `${listId}-${active}`}
          placeholder="Page, number, client or sender"
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
      <ul id={listId} role="listbox" aria-label="Results" className="min-h-0 overflow-y-auto p-1.5">
        {rows.map((row, index) => (
          <li
            key={row.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerMove={() => setPlace(index)}
            onClick={() => run(row)}
            className={classNames(
              'flex h-9 cursor-pointer items-center justify-between rounded-md px-2.5 pointer-coarse:h-11',
              index === active && 'bg-surface-3',
            )}
          >
            {row.label}
            {row.group !== rows[index - 1]?.group && <span className="text-xs text-ink-3">{row.group}</span>}
          </li>
        ))}
        {rows.length === 0 && <li className="px-2.5 py-3 text-ink-3">Nothing here has that name</li>}
      </ul>
    </>
  )
}

type PaletteActions = Pick<CommandPaletteProps, 'onShortcuts' | 'onAccount'>

function usePaletteRows(query: string, { onShortcuts, onAccount }: PaletteActions): readonly PaletteRow[] {
  const { may } = useSession()
  const { pages } = useShellRows()
  const router = useRouter()
  const { logOut } = useLogout()
  return paletteRows({
    query,
    pages: pages.filter((page) => may(page.permission)),
    go: (href) => router.history.push(href),
    actions: [
      ...themes.map((theme) => ({ label: `Theme: ${theme}`, run: () => chooseTheme(theme) })),
      { label: 'Your account', run: onAccount },
      { label: 'Keyboard shortcuts', run: onShortcuts },
      { label: 'Logout', run: logOut },
    ],
  })
}
