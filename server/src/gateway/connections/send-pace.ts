// How fast a link sends while its gateway says that it gets too much (SMPP 3.4 §5.1.3, ESME_RTHROTTLED). That is about
// all messages of the link, unlike a full queue, which may be one subscriber's.
import { setTimeout as sleep } from 'node:timers/promises'

const quietMs = 1_000
const gapMinMs = 50
const gapMaxMs = 1_000

export class SendPace {
  #quietUntilMs = 0
  #freeAtMs = 0
  #gapMs = 0

  /** Waits for a turn; no time at all while the gateway takes everything. Rejects when aborted. */
  async turn(signal: AbortSignal): Promise<void> {
    let turnAtMs: number
    do {
      const nowMs = performance.now()
      turnAtMs = Math.max(nowMs, this.#freeAtMs)
      this.#freeAtMs = turnAtMs + this.#gapMs
      if (turnAtMs > nowMs) await sleep(turnAtMs - nowMs, undefined, { signal })
      // A refusal that came meanwhile holds for those who wait as well.
    } while (turnAtMs < this.#quietUntilMs)
  }

  /** Nothing leaves for a second, and then one message after the other, with a gap that grows to a second. */
  throttled(): void {
    const nowMs = performance.now()
    // The answers to what had left before are the same refusal.
    if (nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + quietMs
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#quietUntilMs)
    this.#gapMs = Math.min(Math.max(this.#gapMs, gapMinMs) * 2, gapMaxMs)
  }

  /** What is taken halves the gap, and ends it when it is small. */
  taken(): void {
    this.#gapMs = this.#gapMs <= gapMinMs ? 0 : this.#gapMs / 2
  }
}
