// Named timers of one session over a single real timer. Setting and clearing one only writes to a map: sessions move
// their deadlines with every chunk, and there are thousands of sessions.
import type { SessionClock } from './clock.ts'

/** One timer for each name. Starting a name again moves its deadline. */
export class Deadlines<Name extends string> {
  readonly #clock: SessionClock
  readonly #onDue: (name: Name) => void
  readonly #dueAtMs = new Map<Name, number>()
  #cancel: (() => void) | undefined
  #armedForMs = Infinity

  constructor(clock: SessionClock, onDue: (name: Name) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  isSet(name: Name): boolean {
    return this.#dueAtMs.has(name)
  }

  /** Sets or moves a deadline to `delayMs` from now. */
  start(name: Name, delayMs: number): void {
    const atMs = this.#clock.nowMs() + delayMs
    this.#dueAtMs.set(name, atMs)
    if (atMs < this.#armedForMs) this.#arm(atMs)
  }

  clear(name: Name): void {
    this.#dueAtMs.delete(name)
  }

  clearAll(): void {
    this.#dueAtMs.clear()
    this.#cancel?.()
    this.#cancel = undefined
    this.#armedForMs = Infinity
  }

  #arm(atMs: number): void {
    this.#cancel?.()
    this.#armedForMs = atMs
    this.#cancel = this.#clock.setTimer(Math.max(0, atMs - this.#clock.nowMs()), () => this.#fire())
  }

  #fire(): void {
    this.#cancel = undefined
    this.#armedForMs = Infinity
    const nowMs = this.#clock.nowMs()
    const due = [...this.#dueAtMs].filter(([, atMs]) => atMs <= nowMs)
    for (const [name, atMs] of due) {
      // An earlier one may have moved or cleared this one.
      if (this.#dueAtMs.get(name) !== atMs) continue
      this.#dueAtMs.delete(name)
      this.#onDue(name)
    }
    const nextMs = Math.min(...this.#dueAtMs.values())
    if (nextMs < this.#armedForMs) this.#arm(nextMs)
  }
}
