import { useEffect, useEffectEvent } from 'react'
import { isTyping } from '../ui/is-typing.ts'
import { t } from '../language/t.ts'

/** All keyboard shortcuts, for the sheet that '?' opens. */
export const shortcuts = [
  { keys: [t('Ctrl K'), '⌘ K'], what: t('Search or jump to') },
  { keys: ['/'], what: t("Search this page's list") },
  { keys: ['['], what: t('Collapse or expand the sidebar') },
  { keys: ['J', 'K'], what: t('Next and previous row while details are open') },
  { keys: ['Esc'], what: t('Close what is open; clear the selection') },
  { keys: ['F8'], what: t('Go to the notification') },
  { keys: ['?'], what: t('This list') },
] as const

interface ShortcutActions {
  readonly openPalette: () => void
  readonly openSheet: () => void
  readonly toggleRail: () => void
}

/** Focuses the page's search field. Returns false if the page has none. */
function focusPageSearch(): boolean {
  const box = document.querySelector<HTMLInputElement>('main input[type="search"]')
  box?.focus()
  return box !== null
}

/** Listens for the keyboard shortcuts. Single letters work only while nobody types and no dialog is open. */
export function useShortcuts({ openPalette, openSheet, toggleRail }: ShortcutActions): void {
  const pick = (event: KeyboardEvent): (() => void) | undefined => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') return openPalette
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined
    if (document.querySelector('[role="dialog"]:not([data-docked-drawer]), [role="alertdialog"]'))
      return undefined
    if (event.key === '/') return () => focusPageSearch() || openPalette()
    if (event.key === '?') return openSheet
    return event.key === '[' ? toggleRail : undefined
  }
  const press = useEffectEvent((event: KeyboardEvent) => {
    const act = pick(event)
    if (!act) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
