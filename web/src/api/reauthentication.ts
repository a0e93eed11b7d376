// Some acts want the password again (API code 'reauthenticate'): one question on screen, however many calls wait for it.
import { useSyncExternalStore } from 'react'

type Settle = (isConfirmed: boolean) => void

let waiting: readonly Settle[] = []
const watchers = new Set<() => void>()

function setWaiting(next: readonly Settle[]): void {
  waiting = next
  for (const watcher of watchers) watcher()
}

/** Answers every call that waits: true once the server has confirmed the password, false when the person gave up. */
export function settleReauthentication(isConfirmed: boolean): void {
  const settles = waiting
  setWaiting([])
  for (const settle of settles) settle(isConfirmed)
}

/** Asks the person for the password; false when they give up, the call is aborted, or no screen can ask. */
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
    // The screen that asked is gone: a call must not wait for ever.
    if (watchers.size === 0) settleReauthentication(false)
  }
}

const isAsked = () => waiting.length > 0

/** Whether a call waits for the password, for the screen that asks for it. */
export function useIsReauthenticationPending(): boolean {
  return useSyncExternalStore(watch, isAsked)
}
