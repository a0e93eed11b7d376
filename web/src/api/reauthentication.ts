// Some calls need a fresh sign-in (API code 'reauthenticate'). One dialog asks for all calls that wait.
import { useSyncExternalStore } from 'react'

type Settle = (isConfirmed: boolean) => void

let waiting: readonly Settle[] = []
const watchers = new Set<() => void>()

function setWaiting(next: readonly Settle[]): void {
  waiting = next
  for (const watcher of watchers) watcher()
}

/** Settles all waiting calls: true after a reauthentication, false when the person gave up. */
export function settleReauthentication(isConfirmed: boolean): void {
  const settles = waiting
  setWaiting([])
  for (const settle of settles) settle(isConfirmed)
}

/** Waits until the person has reauthenticated. False when they give up, the call is aborted, or no screen can ask. */
export function requestReauthentication(signal?: AbortSignal): Promise<boolean> {
  if (watchers.size === 0 || signal?.aborted) return Promise.resolve(false)
  return new Promise((settle) => {
    setWaiting([...waiting, settle])
    signal?.addEventListener('abort', () => {
      setWaiting(waiting.filter((one) => one !== settle))
      settle(false)
    })
  })
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => {
    watchers.delete(watcher)
    // The asking screen is gone. A call must not wait forever.
    if (watchers.size === 0) settleReauthentication(false)
  }
}

const isAsked = () => waiting.length > 0

/** Whether a call waits for a reauthentication. */
export function useIsReauthenticationPending(): boolean {
  return useSyncExternalStore(watch, isAsked)
}
