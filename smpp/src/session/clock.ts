// The clock of a session. It is passed in, so that tests can set the time.

export interface SessionClock {
  nowMs(): number
  /** Calls back once after `delayMs`. Returns a function that cancels the call. */
  setTimer(delayMs: number, callback: () => void): () => void
  /** Calls back when the running code has returned, before any more I/O. */
  defer(callback: () => void): void
}

export const systemClock: SessionClock = {
  nowMs: Date.now,
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  defer: queueMicrotask,
}
