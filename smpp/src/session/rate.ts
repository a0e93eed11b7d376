// A token bucket: on average at most `perSecond`, with a burst of one second unless told otherwise (at least one request).

/** Allows `perSecond` requests a second; 0 allows all. Times are ms of any clock. */
export class RateLimit {
  readonly #burstMs: number
  #perSecond: number
  #tokens: number
  #atMs: number

  constructor(perSecond: number, nowMs: number, burstMs = 1_000) {
    this.#burstMs = burstMs
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

  /** Takes one token; false when there is none. With `creditMax` as many may be owed, which later requests wait for. */
  take(nowMs: number, creditMax = 0): boolean {
    if (this.#perSecond === 0) return true
    this.#refill(nowMs)
    if (this.#tokens < 1 - creditMax) return false
    this.#tokens -= 1
    return true
  }

  /** Milliseconds until there is a token; 0 when there is one. */
  waitMs(nowMs: number): number {
    if (this.#perSecond === 0) return 0
    this.#refill(nowMs)
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * 1000) / this.#perSecond)
  }

  #burst(): number {
    return Math.max(1, (this.#perSecond * this.#burstMs) / 1000)
  }

  #refill(nowMs: number): void {
    // A clock that was set back must not stop the refill.
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#tokens = Math.min(this.#burst(), this.#tokens + (passedMs * this.#perSecond) / 1000)
  }
}
