// The one toast on screen. Spec §9: at most one at a time, 5000 ms. A new one replaces it.

export interface Toast {
  readonly id: number
  readonly title: string
  readonly text?: string
  readonly tone: 'ok' | 'info' | 'bad'
  /** Undoes the action, if it can be undone. */
  readonly undo?: () => void
}

type Listener = () => void

let current: Toast | undefined
let lastId = 0
const listeners = new Set<Listener>()

function publish(toast: Toast | undefined): void {
  current = toast
  for (const listener of listeners) listener()
}

/** Shows a toast. `tone` is ok by default. */
export function showToast(toast: Omit<Toast, 'id' | 'tone'> & { tone?: Toast['tone'] }): void {
  lastId += 1
  publish({ tone: 'ok', ...toast, id: lastId })
}

/** Removes a toast if it is still on screen. */
export function dismissToast(id: number): void {
  if (current?.id === id) publish(undefined)
}

/** Removes the current toast, because it is no longer true. */
export function clearToast(): void {
  publish(undefined)
}

/** The toast on screen, for `useSyncExternalStore`. */
export function currentToast(): Toast | undefined {
  return current
}

/** Calls `listener` at each change. Returns a function that stops it. */
export function subscribeToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
