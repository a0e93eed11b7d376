// The clock of a session. It is passed in, so that tests can set the time.

export interface SessionClock {
  /** Monotonic: for timers, rates and deadlines. Setting the clock of the machine does not move it. */
  nowMs(): number
  /** Ms since 1970, for times that people and PDUs have. */
  wallMs(): number
  /** Calls back once after `delayMs`. Returns a function that cancels the call. */
  setTimer(delayMs: number, callback: () => void): () => void
  /** Calls back when the running code has returned, before any more I/O. */
  defer(callback: () => void): void
}

export const systemClock: SessionClock = {
  nowMs: () => performance.now(),
  wallMs: Date.now,
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  defer: queueMicrotask,
}
