// A token bucket: at most `perSecond` in the long run, with a burst of a tenth of a second (at least one).

/** Lets `perSecond` requests a second pass; 0 lets all pass. Times are ms of any clock that never runs backwards. */
export class RateLimit {
  #perSecond: number
  #tokens: number
  #atMs: number

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#tokens = this.#burst()
    this.#atMs = nowMs
  }

  /** Changes the rate; 0 is no limit. */
  set(perSecond: number, nowMs: number): void {
    this.#refill(nowMs)
    this.#perSecond = perSecond
    this.#tokens = Math.min(this.#tokens, this.#burst())
  }

  /** Takes one if there is one. */
  take(nowMs: number): boolean {
    if (this.#perSecond === 0) return true
    this.#refill(nowMs)
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }

  /** How long until one is there; 0 when one is. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === 0) return 0
    this.#refill(nowMs)
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / this.#perSecond)
  }

  #burst(): number {
    return Math.max(1, this.#perSecond / 10)
  }

  #refill(nowMs: number): void {
    // A clock set back must not freeze the bucket.
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#tokens = Math.min(this.#burst(), this.#tokens + (passedMs * this.#perSecond) / 1000)
  }
}
