// Slows down password guessing, by source address and by system_id. A correct password never waits long, no matter how
// many wrong ones arrive.
import { backoffMs } from '../../platform/work/backoff.ts'

// Conformance defaults: five failures a minute are normal human errors. Each further one delays its answer, up to 30 s.
const windowMs = 60_000
const freeFailures = 5
const delayMaxMs = 30_000
// A correct password waits 2 s at most. The short delay hides from a guesser that the password was correct.
const correctPasswordDelayMs = 500
// Above this number the oldest key is forgotten, so that invented system_ids cannot fill the memory.
const keysMax = 10_000
interface ThrottledAddress {
  failedAtMs: number[]
  /** Attempts are answered one after the other, so that many sockets do not make guessing faster. */
  nextAtMs: number
}

export class BindThrottle {
  readonly #nowMs: () => number
  readonly #suspects = new Map<string, ThrottledAddress>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts a wrong password or an unknown system_id; returns the delay of its answer. */
  failed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    let waitMs = 0
    for (const key of keysOf(address, systemId)) {
      const suspect = this.#suspects.get(key) ?? { failedAtMs: [], nextAtMs: 0 }
      waitMs = Math.max(waitMs, nextDelayMs(suspect, nowMs))
      suspect.failedAtMs = [...recent(suspect, nowMs), nowMs].slice(-12)
      // Moved to the end, so that the map is ordered by the last failure.
      this.#suspects.delete(key)
      this.#suspects.set(key, suspect)
    }
    const [oldest] = this.#suspects.keys()
    if (this.#suspects.size > keysMax && oldest !== undefined) this.#suspects.delete(oldest)
    return waitMs
  }

  /** The delay of a correct password from an address where the account has not bound before. */
  passed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    const isSuspect = keysOf(address, systemId).some((key) => {
      const suspect = this.#suspects.get(key)
      return suspect !== undefined && recent(suspect, nowMs).length >= freeFailures
    })
    return isSuspect ? correctPasswordDelayMs : 0
  }
}

function nextDelayMs(suspect: ThrottledAddress, nowMs: number): number {
  const excess = recent(suspect, nowMs).length - freeFailures
  if (excess < 0) return 0
  const delayMs = backoffMs(excess + 1, { firstMs: 1_000, maxMs: delayMaxMs })
  suspect.nextAtMs = Math.max(nowMs, suspect.nextAtMs) + delayMs
  return Math.min(delayMaxMs, suspect.nextAtMs - nowMs)
}

function keysOf(address: string, systemId: string): string[] {
  return [`address ${address}`, `system_id ${systemId}`]
}

function recent({ failedAtMs }: ThrottledAddress, nowMs: number): number[] {
  return failedAtMs.filter((atMs) => nowMs - atMs < windowMs)
}
