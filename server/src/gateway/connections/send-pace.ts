// Slows a link down while its upstream answers ESME_RTHROTTLED (SMPP 3.4 §5.1.3). That status concerns all messages of
// the link, unlike ESME_RMSGQFUL, which may concern one subscriber only.
import { setTimeout as sleep } from 'node:timers/promises'

const quietMs = 1_000
const gapMinMs = 50
const gapMaxMs = 1_000

export class SendPace {
  #quietUntilMs = 0
  #freeAtMs = 0
  #gapMs = 0

  /** Waits for a turn; returns at once while the upstream accepts everything. Rejects when aborted. */
  async turn(signal: AbortSignal): Promise<void> {
    let turnAtMs: number
    do {
      const nowMs = performance.now()
      turnAtMs = Math.max(nowMs, this.#freeAtMs)
      this.#freeAtMs = turnAtMs + this.#gapMs
      if (turnAtMs > nowMs) await sleep(turnAtMs - nowMs, undefined, { signal })
      // A refusal that arrived meanwhile applies to the waiting messages too.
    } while (turnAtMs < this.#quietUntilMs)
  }

  /** Stops for a second, then sends one message after the other with a gap that grows up to a second. */
  throttled(): void {
    const nowMs = performance.now()
    // Answers to messages that had already left belong to the same refusal.
    if (nowMs < this.#quietUntilMs) return
    this.#quietUntilMs = nowMs + quietMs
    this.#freeAtMs = Math.max(this.#freeAtMs, this.#quietUntilMs)
    this.#gapMs = Math.min(Math.max(this.#gapMs, gapMinMs) * 2, gapMaxMs)
  }

  /** Each accepted message halves the gap; a small gap becomes none. */
  accepted(): void {
    this.#gapMs = this.#gapMs <= gapMinMs ? 0 : this.#gapMs / 2
  }
}
