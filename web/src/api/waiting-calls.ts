// Calls that the server refused until a person has done something: signed in again, or given the password once more.
// One dialog asks for all calls that wait, and they are sent again afterwards.
import { useSyncExternalStore } from 'react'

type Settle = (isDone: boolean) => void

/** The calls that wait for one kind of act. */
export class WaitingCalls {
  #waiting: readonly Settle[] = []
  readonly #watchers = new Set<() => void>()

  /** Waits until the person has done it. False when they give up, the call is aborted, or no screen can ask. */
  readonly request = (signal?: AbortSignal): Promise<boolean> => {
    if (this.#watchers.size === 0 || signal?.aborted) return Promise.resolve(false)
    return new Promise((settle) => {
      this.#setWaiting([...this.#waiting, settle])
      signal?.addEventListener('abort', () => {
        this.#setWaiting(this.#waiting.filter((one) => one !== settle))
        settle(false)
      })
    })
  }

  /** Settles all waiting calls: true when it was done, false when the person gave up. */
  readonly settle = (isDone: boolean): void => {
    const settles = this.#waiting
    this.#setWaiting([])
    for (const settle of settles) settle(isDone)
  }

  /** For useSyncExternalStore. A watcher counts as a screen that can ask. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => {
      this.#watchers.delete(watcher)
      // The asking screen is gone. A call must not wait forever.
      if (this.#watchers.size === 0) this.settle(false)
    }
  }

  readonly isPending = (): boolean => this.#waiting.length > 0

  #setWaiting(next: readonly Settle[]): void {
    this.#waiting = next
    for (const watcher of this.#watchers) watcher()
  }
}

/** Calls that need the password or another factor again (API code 'reauthenticate'). */
export const reauthentication = new WaitingCalls()

/** Calls that came after the session had ended (API code 'signed_out'). */
export const signInAgain = new WaitingCalls()

/** Whether a call waits for the person. The screen that uses it must be able to ask. */
export function useIsWaiting(calls: WaitingCalls): boolean {
  return useSyncExternalStore(calls.watch, calls.isPending)
}
