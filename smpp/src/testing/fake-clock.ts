// A clock that a test advances, and a transport that records what is written to it.
import type { SessionClock } from '../session/clock.ts'
import type { Transport } from '../session/transport.ts'

export class FakeClock implements SessionClock {
  #nowMs = 1_000_000
  #wallAheadMs = 1_700_000_000_000
  #timers: { atMs: number; callback: () => void }[] = []
  #deferred: (() => void)[] = []

  nowMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.#nowMs + this.#wallAheadMs
  }

  /** Sets the wall clock forward or back, as an operator or NTP does. */
  setWallBy(ms: number): void {
    this.#wallAheadMs += ms
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  defer(callback: () => void): void {
    this.#deferred.push(callback)
  }

  get timerCount(): number {
    return this.#timers.length
  }

  /** Runs what was deferred. */
  settle(): void {
    for (const callback of this.#deferred.splice(0)) callback()
  }

  /** Advances the time and fires each timer at its time. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs
    this.settle()
    for (;;) {
      const next = this.#timers
        .filter((timer) => timer.atMs <= untilMs)
        .toSorted((a, b) => a.atMs - b.atMs)[0]
      if (next === undefined) break
      this.#timers = this.#timers.filter((timer) => timer !== next)
      this.#nowMs = Math.max(this.#nowMs, next.atMs)
      next.callback()
      this.settle()
    }
    this.#nowMs = untilMs
  }
}

export class FakeTransport implements Transport {
  readonly writes: Buffer[] = []
  unsentOctets = 0
  isPaused = false
  isEnded = false
  isDestroyed = false

  write(bytes: Buffer): boolean {
    this.writes.push(Buffer.from(bytes))
    return true
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  end(): void {
    this.isEnded = true
  }

  destroy(): void {
    this.isDestroyed = true
  }
}
