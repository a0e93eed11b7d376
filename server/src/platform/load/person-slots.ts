// Limits how many calls of each person run at the same time; the others wait, so that one person never has all
// connections to the database.
export interface SlotLimits {
  /** Running calls of a person. */
  readonly perPerson: number
  /** Waiting calls of a person. */
  readonly waitingPerPerson: number
  /** Running and waiting calls of everybody together. */
  readonly inAll: number
  /** How long one waits. */
  readonly waitMs: number
}

/** Why there is no slot: the person has too many calls, everybody together has, or the wait was too long. */
export type NoSlot = 'person' | 'all' | 'late'

export class PersonSlots {
  readonly #limits: SlotLimits
  readonly #refusal: (reason: NoSlot) => Error
  readonly #atWork = new Map<string, number>()
  readonly #waiting = new WaitingLine()

  /** `refusal` makes the error for a call that gets no slot. */
  constructor(limits: SlotLimits, refusal: (reason: NoSlot) => Error) {
    this.#limits = limits
    this.#refusal = refusal
  }

  /**
   * Takes a slot, or waits for one; `onWait` is called before the wait. Returns what releases it, which must be called
   * however the call ends. Throws what `refusal` returns.
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
      // The slot goes to the next call of the same person; nobody else waits for it.
      if (!this.#waiting.callNext((waiter) => waiter === person)) add(this.#atWork, person, -1)
    }
  }
}

interface Waiter {
  readonly person: string
  readonly go: () => void
}

/** A queue of waiting callers, in the order in which they came. */
export class WaitingLine {
  readonly #waiters: Waiter[] = []

  /** How many callers of a person wait, or of everybody. */
  count(person?: string): number {
    return person === undefined
      ? this.#waiters.length
      : this.#waiters.filter((waiter) => waiter.person === person).length
  }

  /** The people who wait, in their order. */
  people(): string[] {
    return this.#waiters.map(({ person }) => person)
  }

  /** Waits for its turn; with a limit, throws what `late` returns after `waitMs`. */
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

  /** Gives the turn to the first that passes `isNext`; false when there is none. */
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
