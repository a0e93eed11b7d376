// Slows a sender down while the SMSC answers that it is too much (SMPP 3.4 §5.1.3), and speeds it up again.
import { type SessionClock, systemClock } from '../session/clock.ts'
import { pauseOn } from './pause.ts'

const quietFirstMs = 1_000
const quietMaxMs = 30_000
const gapMinMs = 50
const gapMaxMs = 1_000

interface SendPaceOptions {
  /** For tests. */
  readonly clock?: SessionClock
  /** [0, 1): for tests. */
  readonly random?: () => number
}

/** The pace of all messages to one SMSC. */
export class SendPace {
  readonly #clock: SessionClock
  readonly #random: () => number
  #refusedInARow = 0
  #quietUntilMs = -Infinity
  #freeAtMs = -Infinity
  #gapMs = 0

  constructor({ clock = systemClock, random = Math.random }: SendPaceOptions = {}) {
    this.#clock = clock
    this.#random = random
  }

  /** Waits for a turn; returns at once while the SMSC accepts everything. Rejects with the signal's reason. */
  async turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    let turnAtMs: number
    do {
      const nowMs = this.#clock.nowMs()
      turnAtMs = Math.max(nowMs, this.#freeAtMs)
      this.#freeAtMs = turnAtMs + this.#gapMs
      if (turnAtMs > nowMs) await pauseOn(this.#clock, turnAtMs - nowMs, signal)
      // A refusal that arrived meanwhile applies to the waiting messages too.
    } while (turnAtMs < this.#quietUntilMs)
  }

  /**
   * Nothing is sent for a second, after each further refusal for twice as long, up to 30 s; a quarter more by chance, so
   * that many senders do not come back together. Then one message follows the other with a gap that grows to a second.
   */
  throttled(): void {
    const nowMs = this.#clock.nowMs()
    // Answers to messages that had already left belong to the same refusal.
    if (nowMs < this.#quietUntilMs) return
    const quietMs = Math.min(quietFirstMs * 2 ** Math.min(this.#refusedInARow, 10), quietMaxMs)
    this.#refusedInARow += 1
    this.#quietUntilMs = nowMs + quietMs * (1 + this.#random() / 4)
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#quietUntilMs)
    this.#gapMs = Math.min(Math.max(this.#gapMs, gapMinMs) * 2, gapMaxMs)
  }

  /** Each accepted message halves the gap; a small gap becomes none. */
  accepted(): void {
    this.#refusedInARow = 0
    this.#gapMs = this.#gapMs <= gapMinMs ? 0 : this.#gapMs / 2
  }
}
