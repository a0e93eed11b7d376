// Slows down the guessing of passwords: for the address it comes from, and for the system_id it aims at. A right
// password never waits long, whoever else guesses.
// Conformance defaults: five failures a minute are a person's errors; from there each answer takes longer, up to 30 s.
const windowMs = 60_000
const freeFailures = 5
const delayMaxMs = 30_000
// contract.md: a right password waits 2 s at most. It waits at all so that an answer that comes at once is no proof.
const rightDelayMs = 500
// Beyond so many keys the oldest is forgotten, so that invented system_ids cannot fill the memory.
const keysMax = 10_000
// Attempts of one origin, and in all, that wait for their answers; a place is held for the whole wait, gone peer or not.
const placesPerOriginMax = 500
const placesMax = 5_000

interface Suspect {
  failedAtMs: number[]
  /** Attempts wait in line: whoever tries on many sockets at once is not faster. */
  nextAtMs: number
}

export class BindThrottle {
  readonly #nowMs: () => number
  readonly #suspects = new Map<string, Suspect>()
  readonly #places = new Map<string, number>()
  #placeCount = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /**
   * Takes a place among the attempts of one origin; false where it, or all together, have too many: the password is not
   * even looked at then. Give it back with `leave` when the attempt has been answered.
   */
  enter(origin: string): boolean {
    const count = this.#places.get(origin) ?? 0
    if (count >= placesPerOriginMax || this.#placeCount >= placesMax) return false
    this.#places.set(origin, count + 1)
    this.#placeCount += 1
    return true
  }

  leave(origin: string): void {
    const count = this.#places.get(origin) ?? 0
    if (count > 1) this.#places.set(origin, count - 1)
    else this.#places.delete(origin)
    this.#placeCount -= 1
  }

  /** Counts a wrong password or an unknown system_id. Gives how long its answer has to wait. */
  failed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    let waitMs = 0
    for (const key of keysOf(address, systemId)) {
      const suspect = this.#suspects.get(key) ?? { failedAtMs: [], nextAtMs: 0 }
      waitMs = Math.max(waitMs, lineUp(suspect, nowMs))
      suspect.failedAtMs = [...recent(suspect, nowMs), nowMs].slice(-12)
      // Put last: the order of the map is then the order of the last failure.
      this.#suspects.delete(key)
      this.#suspects.set(key, suspect)
    }
    const [oldest] = this.#suspects.keys()
    if (this.#suspects.size > keysMax && oldest !== undefined) this.#suspects.delete(oldest)
    return waitMs
  }

  /** How long a right password has to wait where the account has not bound before. */
  passed(address: string, systemId: string): number {
    const nowMs = this.#nowMs()
    const isSuspect = keysOf(address, systemId).some((key) => {
      const suspect = this.#suspects.get(key)
      return suspect !== undefined && recent(suspect, nowMs).length >= freeFailures
    })
    return isSuspect ? rightDelayMs : 0
  }
}

function lineUp(suspect: Suspect, nowMs: number): number {
  const excess = recent(suspect, nowMs).length - freeFailures
  if (excess < 0) return 0
  const delayMs = Math.min(delayMaxMs, 1_000 * 2 ** excess)
  suspect.nextAtMs = Math.max(nowMs, suspect.nextAtMs) + delayMs
  return Math.min(delayMaxMs, suspect.nextAtMs - nowMs)
}

function keysOf(address: string, systemId: string): string[] {
  return [`address ${address}`, `system_id ${systemId}`]
}

function recent({ failedAtMs }: Suspect, nowMs: number): number[] {
  return failedAtMs.filter((atMs) => nowMs - atMs < windowMs)
}
