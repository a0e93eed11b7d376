// Time as a session sees it, handed in so that tests can turn the hands.

export interface Clock {
  nowMs(): number
  /** Calls back once after `delayMs`; gives a function that takes it back. */
  setTimer(delayMs: number, callback: () => void): () => void
  /** Calls back when the work in hand is done, before any more I/O. */
  defer(callback: () => void): void
}

export const systemClock: Clock = {
  nowMs: Date.now,
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  defer: queueMicrotask,
}
