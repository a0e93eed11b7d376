import type { SessionClock } from '../session/clock.ts'

/** Waits on a clock. Rejects with the signal's reason when it is aborted first, and then leaves no timer behind. */
export function pauseOn(clock: SessionClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(reasonOf(signal))
      return
    }
    const abort = (): void => {
      cancel()
      if (signal !== undefined) reject(reasonOf(signal))
    }
    const cancel = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))
}
