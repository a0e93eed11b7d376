// A few calls of each person at work at once; the others wait in line, so that one person never has all connections to the
// database, however many calls that person makes.
export interface PlaceLimits {
  /** Calls at work at once for a person. */
  readonly perPerson: number
  /** More of a person that wait for one of these to end. */
  readonly waitingPerPerson: number
  /** At work and waiting, of everybody together. */
  readonly inAll: number
  /** How long one waits. */
  readonly waitMs: number
}

/** Why there is no place: the person has too many, everybody together has, or the wait was too long. */
export type NoPlace = 'person' | 'all' | 'late'

export class PersonPlaces {
  readonly #limits: PlaceLimits
  readonly #refusal: (reason: NoPlace) => Error
  readonly #atWork = new Map<string, number>()
  readonly #waiting = new WaitingLine()

  /** `refusal` makes the error for a call that gets no place. */
  constructor(limits: PlaceLimits, refusal: (reason: NoPlace) => Error) {
    this.#limits = limits
    this.#refusal = refusal
  }

  /**
   * Takes a place, or waits for one; `onWait` is called before the wait. Gives what ends it, which must be called whatever
   * becomes of the call. Throws what `refusal` gives.
   */
  async enter(person: string, onWait?: () => void): Promise<() => void> {
    const { perPerson, waitingPerPerson, inAll, waitMs } = this.#limits
    if (total(this.#atWork) + this.#waiting.count() >= inAll) throw this.#refusal('all')
    if ((this.#atWork.get(person) ?? 0) < perPerson) add(this.#atWork, person, 1)
    else {
      if (this.#waiting.count(person) >= waitingPerPerson) throw this.#refusal('person')
      onWait?.()
      await this.#waiting.wait(person, { waitMs, late: () => this.#refusal('late') })
    }
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      // The place goes to the next call of the same person; nobody else waits for it.
      if (!this.#waiting.callNext((waiter) => waiter === person)) add(this.#atWork, person, -1)
    }
  }
}

interface Waiter {
  readonly person: string
  readonly go: () => void
}

/** Those who wait, in the order in which they came. */
export class WaitingLine {
  readonly #waiters: Waiter[] = []

  /** Of a person, or of everybody. */
  count(person?: string): number {
    return person === undefined
      ? this.#waiters.length
      : this.#waiters.filter((waiter) => waiter.person === person).length
  }

  /** The people who wait, in their order. */
  people(): string[] {
    return this.#waiters.map(({ person }) => person)
  }

  /** Waits until called; with a limit, throws what `late` gives after `waitMs`. */
  wait(person: string, limit?: { readonly waitMs: number; readonly late: () => Error }): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        person,
        go: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      this.#waiters.push(waiter)
      const timer =
        limit &&
        setTimeout(() => {
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
          reject(limit.late())
        }, limit.waitMs)
    })
  }

  /** Calls the first of whom `isNext` holds; false when there is none. */
  callNext(isNext: (person: string) => boolean): boolean {
    const at = this.#waiters.findIndex(({ person }) => isNext(person))
    const [next] = at < 0 ? [] : this.#waiters.splice(at, 1)
    next?.go()
    return next !== undefined
  }
}

/** Counts up or down; a person without any takes no memory. */
export function add(counts: Map<string, number>, person: string, change: 1 | -1): void {
  const count = (counts.get(person) ?? 0) + change
  if (count === 0) counts.delete(person)
  else counts.set(person, count)
}

function total(counts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}
