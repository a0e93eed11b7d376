import { useRef } from 'react'

/** The focused element. For an item of a menu, which disappears with its menu, the menu's button. */
function focused(): HTMLElement | null {
  const active = document.activeElement
  if (!(active instanceof HTMLElement)) return null
  const menu = active.closest('[role="menu"]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active
}

/** The focus chooses a tab. So a tab that was not chosen leaves the focus to the one that is. */
function chosenTab(element: HTMLElement | null): HTMLElement | null {
  const isLeft = element?.getAttribute('aria-selected') === 'false' && element.role === 'tab'
  return isLeft
    ? (element.parentElement?.querySelector<HTMLElement>('[aria-selected="true"]') ?? null)
    : element
}

/** Returns the focus to the element that opened a dialog or drawer without a trigger. */
export function useReturnFocus() {
  const opener = useRef<HTMLElement>(null)
  return {
    onOpenAutoFocus: () => {
      opener.current = focused()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      chosenTab(opener.current)?.focus()
    },
  }
}
