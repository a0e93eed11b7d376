import { Refusal } from '@tollgate/contract/errors.ts'
import { Semaphore } from '../load/semaphore.ts'

export interface QueueLimits {
  /** How many files are read at a time, of different people. */
  readonly atOnceMax: number
  /** How many may wait, of everybody and of one person. */
  readonly waitingMax: number
  readonly ownWaitingMax: number
}

interface PersonQueue {
  readonly place: Semaphore
  /** Files of this person that are read or wait. */
  count: number
}

/** Limits how many files are read at a time (one for each person) and how many wait. */
export class ReadingQueue {
  readonly #limits: QueueLimits
  readonly #places: Semaphore
  readonly #owners = new Map<number, PersonQueue>()
  #waitingCount = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
    this.#places = new Semaphore(limits.atOnceMax)
  }

  /**
   * Waits for a turn and returns a function that ends it. Throws Refusal too_many when too many wait already; another
   * error when `signal` ends the wait.
   */
  async enter(owner: number, signal: AbortSignal): Promise<() => void> {
    const own = this.#owners.get(owner) ?? { place: new Semaphore(1), count: 0 }
    if (this.#waitingCount >= this.#limits.waitingMax || own.count > this.#limits.ownWaitingMax)
      throw new Refusal('too_many', 'Too many files wait to be read. Try again in a moment.', {
        retryAfterSeconds: 5,
      })
    this.#owners.set(owner, own)
    own.count += 1
    this.#waitingCount += 1
    const leave = () => {
      own.count -= 1
      if (own.count === 0) this.#owners.delete(owner)
    }
    try {
      const leaveBoth = await this.#take(own, signal)
      return () => {
        leave()
        leaveBoth()
      }
    } catch (error) {
      leave()
      throw error
    } finally {
      this.#waitingCount -= 1
    }
  }

  async #take(own: PersonQueue, signal: AbortSignal): Promise<() => void> {
    const leaveOwn = await own.place.acquire(signal)
    try {
      const leave = await this.#places.acquire(signal)
      return () => {
        leave()
        leaveOwn()
      }
    } catch (error) {
      leaveOwn()
      throw error
    }
  }
}
