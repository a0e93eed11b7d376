// The clock of the demo's past weeks: it begins weeks ago, ticks on like any other, and jumps forward when told.
import type { Clock } from '../../platform/clock.ts'

export class PastClock implements Clock {
  #behindMs = 0

  now(): Date {
    return new Date(Date.now() - this.#behindMs)
  }

  /** Sets it back to `at`, once, at the beginning. */
  begin(at: Date): void {
    this.#behindMs = Math.max(0, Date.now() - at.getTime())
  }

  /** Goes forward to `at`: never back, and never beyond the present. */
  goTo(at: Date): void {
    this.#behindMs = Math.min(this.#behindMs, Math.max(0, Date.now() - at.getTime()))
  }

  /** From here on it shows the present. */
  end(): void {
    this.#behindMs = 0
  }
}
