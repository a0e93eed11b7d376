// One queue for everything that waits for its turn in this process: calls, hashes, files, requests to providers. What each
// may use is bounded, and no key (a person, a network, a supplier) keeps the others waiting.
import { FairOrder, type Waiter } from './fair-order.ts'
import { KeyCounts } from './key-counts.ts'

/** Each limit is optional; without one there is no limit. */
export interface QueueLimits {
  /** Turns that run at the same time, of all keys and of one key. */
  readonly runningMax?: number
  readonly runningMaxOfKey?: number
  /** Waiting callers of one key; with 0 nobody waits. */
  readonly waitingMaxOfKey?: number
  /** Running and waiting callers of all keys. */
  readonly totalMax?: number
  /** How long one waits. */
  readonly waitMs?: number
  /**
   * Whether the key with the most waiting callers loses its newest one to a newcomer in a full queue, unless the newcomer's
   * key would have as many. Otherwise the newcomer is refused.
   */
  readonly hasDisplacement?: boolean
}

/** A caller who wants a turn. */
export interface QueueCaller {
  /** Who is counted: keys share the turns evenly. */
  readonly key?: string
  /** Within a key these take turns: the accounts of a network. */
  readonly subkey?: string
  /** 0, the default, goes before 1, and so on. */
  readonly rank?: number
  /** Ends the wait when it is aborted. */
  readonly signal?: AbortSignal
  /** Replaces the queue's own. */
  readonly waitMs?: number
  /** Called before a wait. */
  readonly onWait?: () => void
}

/** Why there is no turn: too many of this key wait, too many callers are there in all, the wait was too long. */
export type NoTurn = 'key' | 'all' | 'late'

/** Ends a turn. Further calls do nothing. */
export type EndTurn = () => void

/**
 * Lets a limited number of callers in; the others wait. A turn that becomes free goes to the lowest rank, in it to the key
 * with the fewest running turns, among these in rotation, and in a key to its subkeys in rotation. A newcomer never passes
 * a waiting caller who could run.
 */
export class FairQueue {
  readonly #limits: Required<QueueLimits>
  readonly #refusal: (reason: NoTurn) => Error
  readonly #order = new FairOrder()
  readonly #running = new KeyCounts()

  /** `refusal` makes the error for a caller who gets no turn. */
  constructor(limits: QueueLimits, refusal: (reason: NoTurn) => Error = refused) {
    const { runningMax = Infinity, runningMaxOfKey = Infinity, waitingMaxOfKey = Infinity } = limits
    const { totalMax = Infinity, waitMs = Infinity, hasDisplacement = false } = limits
    this.#limits = { runningMax, runningMaxOfKey, waitingMaxOfKey, totalMax, waitMs, hasDisplacement }
    this.#refusal = refusal
  }

  /** Begins a turn if that is possible without waiting. */
  tryEnter(key = ''): EndTurn | undefined {
    return this.#hasTurnFor(key) && this.#hasRoom() ? this.#begin(key) : undefined
  }

  /**
   * Begins a turn, or waits for one. The returned function must be called however the turn ends. Rejects with what
   * `refusal` returns, and with another error when the caller's signal ends the wait.
   */
  async enter(caller: QueueCaller = {}): Promise<EndTurn> {
    const { key = '', signal, onWait } = caller
    if (signal?.aborted === true) throw waitEnded()
    const hasTurn = this.#hasTurnFor(key)
    if (!hasTurn && this.#order.countOf(key) >= this.#limits.waitingMaxOfKey) throw this.#refusal('key')
    if (!this.#hasRoom()) this.#makeRoomFor(key)
    if (hasTurn) return this.#begin(key)
    onWait?.()
    return this.#wait(caller)
  }

  /** Does `work` in a turn. Rejects as {@link enter}. */
  async run<T>(work: () => Promise<T>, caller?: QueueCaller): Promise<T> {
    const end = await this.enter(caller)
    try {
      return await work()
    } finally {
      end()
    }
  }

  #hasTurnFor(key: string): boolean {
    const { runningMax, runningMaxOfKey } = this.#limits
    return this.#running.total < runningMax && this.#running.of(key) < runningMaxOfKey
  }

  #hasRoom(): boolean {
    return this.#running.total + this.#order.count < this.#limits.totalMax
  }

  /** Counts the turn. At its end it goes to the next caller at once, so that no newcomer can take it. */
  #begin(key: string): EndTurn {
    this.#running.add(key, 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      this.#running.add(key, -1)
      const next =
        this.#running.total < this.#limits.runningMax
          ? this.#order.takeNext(this.#running, this.#limits.runningMaxOfKey)
          : undefined
      next?.begin(this.#begin(next.key))
    }
  }

  #makeRoomFor(key: string): void {
    const displaced =
      this.#limits.hasDisplacement && this.#order.takeNewestOfCrowd(this.#order.countOf(key) + 1)
    if (!displaced) throw this.#refusal('all')
    displaced.refuse(this.#refusal('all'))
  }

  #wait({
    key = '',
    subkey = '',
    rank = 0,
    signal,
    waitMs = this.#limits.waitMs,
  }: QueueCaller): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abandon)
      }
      const waiter: Waiter = {
        key,
        subkey,
        rank,
        begin(end) {
          settle()
          resolve(end)
        },
        refuse(error) {
          settle()
          reject(error)
        },
      }
      const leave = (error: Error) => {
        this.#order.remove(waiter)
        waiter.refuse(error)
      }
      const abandon = () => leave(waitEnded())
      const timer = waitMs < Infinity ? setTimeout(() => leave(this.#refusal('late')), waitMs) : undefined
      signal?.addEventListener('abort', abandon, { once: true })
      this.#order.add(waiter)
    })
  }
}

function waitEnded(): Error {
  return new Error('The wait for a turn was ended')
}

function refused(reason: NoTurn): Error {
  return new Error(`There is no turn: ${reason}`)
}
