// The one toast on screen. Spec §9: at most one at a time, 5000 ms; a newer one takes its place.

export interface Toast {
  readonly id: number
  readonly title: string
  readonly text?: string
  readonly tone: 'ok' | 'info' | 'bad'
  /** A reversible act's way back. */
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

/** Shows a toast; `tone` is ok unless said. */
export function showToast(toast: Omit<Toast, 'id' | 'tone'> & { tone?: Toast['tone'] }): void {
  lastId += 1
  publish({ tone: 'ok', ...toast, id: lastId })
}

/** Takes a toast away, if it is still the one on screen. */
export function dismissToast(id: number): void {
  if (current?.id === id) publish(undefined)
}

/** Takes away whatever is on screen: what it told of is over. */
export function clearToast(): void {
  publish(undefined)
}

/** The toast on screen, for `useSyncExternalStore`. */
export function currentToast(): Toast | undefined {
  return current
}

/** Calls `listener` at each change; gives the way to stop. */
export function subscribeToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
