import { useRef, type MouseEvent } from 'react'

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

// The usual time in which operating systems count two clicks as a double click.
const doubleClickMs = 500

/**
 * What a dialog or drawer does about the click that opened it without a trigger: the focus returns there, and the second
 * click of a double click counts for nothing, wherever it lands.
 */
export function useOpener() {
  const opener = useRef<HTMLElement>(null)
  const openedAtMs = useRef(-doubleClickMs)
  const hasJustOpened = () => performance.now() - openedAtMs.current < doubleClickMs
  return {
    onOpenAutoFocus: () => {
      opener.current = focused()
      openedAtMs.current = performance.now()
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault()
      chosenTab(opener.current)?.focus()
    },
    onPointerDownOutside: (event: Event) => hasJustOpened() && event.preventDefault(),
    onClickCapture: (event: MouseEvent) => {
      if (event.detail < 2 || !hasJustOpened()) return
      event.preventDefault()
      event.stopPropagation()
    },
  }
}
