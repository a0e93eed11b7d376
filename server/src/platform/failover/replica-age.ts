/** Where the primary's log ended at a time of our monotonic clock, asked for no earlier than that. */
export interface LogSample {
  readonly atMs: number
  readonly lsn: number
}

// An hour of samples; a replica that is further behind counts as older than it is.
const samplesMax = 3_600

/**
 * How old a replica is at most: the time since the newest sample of the primary's log that the replica has replayed. No
 * clock of a server is compared with another, and an idle primary ages nobody.
 */
export class ReplicaAge {
  #waiting: LogSample[] = []
  #reachedAtMs = -Infinity

  /** Infinity as long as nothing is known. */
  ms(nowMs: number): number {
    return nowMs - this.#reachedAtMs
  }

  /** `replayed` was asked for after the sample. */
  note(sample: LogSample, replayed: number): void {
    this.#waiting.push(sample)
    const reached = this.#waiting.findLastIndex(({ lsn }) => lsn <= replayed)
    this.#reachedAtMs = this.#waiting[reached]?.atMs ?? this.#reachedAtMs
    this.#waiting.splice(0, Math.max(reached + 1, this.#waiting.length - samplesMax))
  }

  /** The replica is lost, or is another one: what was known of it counts no more. */
  forget(): void {
    this.#waiting = []
    this.#reachedAtMs = -Infinity
  }
}
