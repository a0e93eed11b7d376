// Limits what a peer sends besides accepted messages: a token bucket of points, from which each such PDU takes some.
// Accepted messages take none; their limits are the window and the rate.

/** The size of the bucket, and the points that are added to it each second. */
export interface PduBudgetSize {
  readonly pointsMax: number
  readonly pointsPerSecond: number
}

/** The bucket of one session, or of all sessions of an account. Times are ms of any clock. */
export class PduBudget {
  readonly #size: PduBudgetSize
  #points: number
  #atMs: number

  constructor(size: PduBudgetSize, nowMs: number) {
    this.#size = size
    this.#points = size.pointsMax
    this.#atMs = nowMs
  }

  /** Takes `points`. Returns false when there were too few: the rest is owed, and nothing more should be served. */
  take(points: number, nowMs: number): boolean {
    this.#points -= points
    if (this.#points >= 0) return true
    this.#refill(nowMs)
    return this.#points >= 0
  }

  /** Milliseconds until half of the bucket is full: the next few PDUs would use up less at once. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs)
    const { pointsMax, pointsPerSecond } = this.#size
    return Math.max(0, Math.ceil(((pointsMax / 2 - this.#points) * 1_000) / pointsPerSecond))
  }

  #refill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    const { pointsMax, pointsPerSecond } = this.#size
    this.#points = Math.min(pointsMax, this.#points + (passedMs * pointsPerSecond) / 1_000)
  }
}
