// Slows down the guessing of passwords: for the address it comes from, and for the system_id it aims at.

// Conformance defaults: five failures a minute are a person's errors; from there each answer takes longer, up to 30 s.
const windowMs = 60_000
const freeFailures = 5
const delayMaxMs = 30_000
// Beyond so many keys the oldest is forgotten, so that invented system_ids cannot fill the memory.
const keysMax = 10_000
const goodPairsMax = 10_000

interface Suspect {
  failedAtMs: number[]
  /** Attempts wait in line: whoever tries on many sockets at once is not faster. */
  nextAtMs: number
}

export class BindThrottle {
  readonly #nowMs: () => number
  readonly #suspects = new Map<string, Suspect>()
  readonly #goodPairs = new Set<string>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Counts a wrong password or an unknown system_id. Gives how long its answer has to wait. */
  failed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    let waitMs = 0
    for (const key of keysOf(address, systemId)) {
      const suspect = this.#suspects.get(key) ?? { failedAtMs: [], nextAtMs: 0 }
      waitMs = Math.max(waitMs, this.#lineUp(suspect, nowMs))
      suspect.failedAtMs = [...recent(suspect, nowMs), nowMs].slice(-12)
      // Put last: the order of the map is then the order of the last failure.
      this.#suspects.delete(key)
      this.#suspects.set(key, suspect)
    }
    dropOldest(this.#suspects, keysMax)
    return waitMs
  }

  /** How long a right password has to wait: not at all from where the account has bound before. */
  passed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    const pair = `${address} ${systemId}`
    const isKnown = this.#goodPairs.delete(pair)
    this.#goodPairs.add(pair)
    dropOldest(this.#goodPairs, goodPairsMax)
    if (isKnown) return 0
    const waits = keysOf(address, systemId).map((key) => {
      const suspect = this.#suspects.get(key)
      return suspect === undefined ? 0 : this.#lineUp(suspect, nowMs)
    })
    return Math.max(...waits)
  }

  #lineUp(suspect: Suspect, nowMs: number): number {
    const excess = recent(suspect, nowMs).length - freeFailures
    if (excess < 0) return 0
    const delayMs = Math.min(delayMaxMs, 1_000 * 2 ** excess)
    suspect.nextAtMs = Math.max(nowMs, suspect.nextAtMs) + delayMs
    return Math.min(delayMaxMs, suspect.nextAtMs - nowMs)
  }
}

function keysOf(address: string, systemId: string): string[] {
  return [`address ${address}`, `system_id ${systemId}`]
}

function recent({ failedAtMs }: Suspect, nowMs: number): number[] {
  return failedAtMs.filter((atMs) => nowMs - atMs < windowMs)
}

function dropOldest(keys: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = keys.keys()
  if (keys.size > max && oldest !== undefined) keys.delete(oldest)
}
