// Measures ingest: messages of the last minute, and how long they waited for their commit.

const secondsKept = 60
const recentSeconds = 3
// Upper bounds in milliseconds; the last bucket takes the rest.
const bucketBounds = [0.5, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000]
const bucketCount = bucketBounds.length + 1

/** Figures of the last whole seconds, at most a minute. Latencies are the upper bounds of their buckets, 0 for none. */
export interface IngestRate {
  readonly messagesPerSecond: number
  readonly messagesLastMinute: number
  readonly acceptP50Ms: number
  readonly acceptP99Ms: number
}

export class RateMeter {
  readonly #nowMs: () => number
  readonly #startedSecond: number
  // A ring of seconds, each with its number and its buckets.
  readonly #seconds = new Float64Array(secondsKept)
  readonly #buckets = new Int32Array(secondsKept * bucketCount)

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#startedSecond = Math.floor(nowMs() / 1000)
  }

  /** Adds a committed batch by the times at which its messages were accepted (same clock as the constructor's). */
  add(acceptedAtMs: readonly number[]): void {
    const nowMs = this.#nowMs()
    const start = this.#startOf(Math.floor(nowMs / 1000))
    let bucket = 0
    for (const acceptedMs of acceptedAtMs) {
      const waitedMs = nowMs - acceptedMs
      // Consecutive messages waited about equally long, so the previous bucket is nearly always right.
      while (bucket < bucketCount - 1 && waitedMs > (bucketBounds[bucket] ?? Infinity)) bucket += 1
      while (bucket > 0 && waitedMs <= (bucketBounds[bucket - 1] ?? 0)) bucket -= 1
      this.#buckets[start + bucket] = (this.#buckets[start + bucket] ?? 0) + 1
    }
  }

  read(): IngestRate {
    const second = Math.floor(this.#nowMs() / 1000)
    const counts = this.#countsOf(secondsKept)
    const total = counts.reduce((sum, count) => sum + count, 0)
    const elapsed = Math.min(secondsKept, Math.max(1, second - this.#startedSecond))
    return {
      messagesPerSecond: Math.round((total / elapsed) * 10) / 10,
      messagesLastMinute: total,
      acceptP50Ms: quantile(counts, total * 0.5),
      acceptP99Ms: quantile(counts, total * 0.99),
    }
  }

  /** Messages a second, over the last three seconds. */
  recentPerSecond(): number {
    return this.#countsOf(recentSeconds).reduce((sum, count) => sum + count, 0) / recentSeconds
  }

  /** The buckets of the last so many seconds, the present one included. */
  #countsOf(seconds: number): Float64Array {
    const second = Math.floor(this.#nowMs() / 1000)
    const counts = new Float64Array(bucketCount)
    for (let slot = 0; slot < secondsKept; slot += 1) {
      const kept = this.#seconds[slot] ?? 0
      if (kept <= second - seconds || kept > second) continue
      for (let bucket = 0; bucket < bucketCount; bucket += 1) {
        counts[bucket] = (counts[bucket] ?? 0) + (this.#buckets[slot * bucketCount + bucket] ?? 0)
      }
    }
    return counts
  }

  #startOf(second: number): number {
    const slot = second % secondsKept
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second
      this.#buckets.fill(0, slot * bucketCount, (slot + 1) * bucketCount)
    }
    return slot * bucketCount
  }
}

function quantile(counts: Float64Array, target: number): number {
  if (target === 0) return 0
  let sum = 0
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    sum += counts[bucket] ?? 0
    if (sum >= target) return bucketBounds[bucket] ?? 5_000
  }
  return 5_000
}
