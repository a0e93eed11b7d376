// The one tooltip on screen. Spec §9: it opens after 700 ms, and the next one within 300 ms at once.

const openDelayMs = 700
const skipDelayMs = 300
// Time for the pointer to cross the gap to the tooltip: WCAG 1.4.13 wants it hoverable.
const leaveDelayMs = 120

interface ShownTooltip {
  readonly id: string
  readonly anchor: Element
}

let shown: ShownTooltip | undefined
let closedAt = -Infinity
let opening: { readonly id: string; readonly timer: ReturnType<typeof setTimeout> } | undefined
let leaving: ReturnType<typeof setTimeout> | undefined
let isPointerDown = false
const listeners = new Set<() => void>()

function publish(next: ShownTooltip | undefined): void {
  if (shown !== undefined && next === undefined) closedAt = performance.now()
  shown = next
  for (const listener of listeners) listener()
}

function stopTimers(): void {
  clearTimeout(opening?.timer)
  clearTimeout(leaving)
  opening = undefined
}

/** Shows this tooltip now, in place of another. */
export function openTooltip(next: ShownTooltip): void {
  stopTimers()
  if (shown?.id !== next.id) publish(next)
}

/** The pointer is on the element: its tooltip opens after the delay, or at once when another was just shown. */
export function hoverTooltip(next: ShownTooltip): void {
  clearTimeout(leaving)
  if (shown?.id === next.id || opening?.id === next.id || isPointerDown) return
  if (shown !== undefined || performance.now() - closedAt < skipDelayMs) return openTooltip(next)
  clearTimeout(opening?.timer)
  opening = { id: next.id, timer: setTimeout(openTooltip, openDelayMs, next) }
}

/** The pointer has left the element or the tooltip. */
export function leaveTooltip(id: string): void {
  if (opening?.id === id) stopTimers()
  if (shown?.id !== id) return
  clearTimeout(leaving)
  leaving = setTimeout(closeTooltip, leaveDelayMs, id)
}

/** Hides this tooltip, and forgets it if it was about to open. */
export function closeTooltip(id: string): void {
  if (opening?.id === id || shown?.id === id) stopTimers()
  if (shown?.id === id) publish(undefined)
}

/** The tooltip on screen, for `useSyncExternalStore`. */
export function shownTooltip(): ShownTooltip | undefined {
  return shown
}

/** Whether a button of the pointer is down: the focus that follows it opens nothing. */
export function isPressing(): boolean {
  return isPointerDown
}

/** Calls `listener` at each change. Returns a function that stops it. */
export function subscribeTooltips(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function closeAny(): void {
  if (opening) closeTooltip(opening.id)
  if (shown) closeTooltip(shown.id)
}

/** Closes what is open, and forgets what was. */
export function clearTooltips(): void {
  closeAny()
  closedAt = -Infinity
  isPointerDown = false
}

/** Watches the page for what ends a tooltip: a press, a scroll of its element, Escape. Returns a function that stops it. */
export function watchPage(): () => void {
  const stop = new AbortController()
  const options = { capture: true, signal: stop.signal }
  const onDown = (event: PointerEvent) => {
    // To a dialog a press on the tooltip is one outside of it, which would close it.
    if (event.target instanceof Element && event.target.closest('[role="tooltip"]'))
      return event.stopPropagation()
    isPointerDown = true
    closeAny()
  }
  const onUp = () => {
    isPointerDown = false
  }
  window.addEventListener('pointerdown', onDown, options)
  window.addEventListener('pointerup', onUp, options)
  window.addEventListener('pointercancel', onUp, options)
  const onScroll = ({ target }: Event) => {
    if (shown && target instanceof Node && target.contains(shown.anchor)) closeAny()
  }
  window.addEventListener('scroll', onScroll, options)
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || shown === undefined) return
    // Escape closes the tooltip alone, and not the dialog below it.
    event.stopPropagation()
    closeAny()
  }
  window.addEventListener('keydown', onKey, options)
  return () => stop.abort()
}
