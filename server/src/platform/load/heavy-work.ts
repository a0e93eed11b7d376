// Limits what costs the database much (exports, reports, statements, replays): a few at a time for a person and in all,
// each in pieces, and each piece in an idle window. Without it, four exports of one client slowed everybody down.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Overload } from './overload.ts'
import type { IdleWindows } from './idle-windows.ts'
import { registry } from '../metrics.ts'
import { FairQueue, type NoTurn, type QueueCaller } from './fair-queue.ts'

/**
 * Limits on heavy calls. A download counts as running until its reader has all of it; each running call may hold a page
 * of rows in memory.
 */
export interface HeavyLimits {
  /** Running calls and waiting calls of a person, and both of everybody together. */
  readonly perPerson: number
  readonly waitingPerPerson: number
  readonly inAll: number
  /** How long a call waits. */
  readonly waitMs: number
  /** How many pieces of all calls run at the same time. */
  readonly turns: number
  /** How long a download waits for its reader to take the next piece. */
  readonly stallMs: number
}

/** How heavy work makes room for what is urgent. */
export interface HeavyPace {
  /** Resolves when the next piece may begin. */
  next(): Promise<void>
  /** How long to rest after a piece that took so long. */
  restMs(tookMs: number): number
}

// Rest for each millisecond of work while there are messages: the work gets a quarter of the time, during an overload a
// tenth.
const restFactor = 3

/** Begins in idle windows of the messages, and rests while there are any. */
export function yieldingPace(idleWindows: IdleWindows, overload: Pick<Overload, 'restMs'>): HeavyPace {
  return {
    next: () => idleWindows.next(),
    restMs: (tookMs) => (idleWindows.isQuiet() ? 0 : Math.max(restFactor * tookMs, overload.restMs(tookMs))),
  }
}

const defaults: HeavyLimits = {
  perPerson: 2,
  waitingPerPerson: 4,
  inAll: 64,
  // Each keeps a processor of the database busy, and one of them must be left for the messages' commits.
  turns: Math.max(2, Math.min(4, availableParallelism())),
  waitMs: 10_000,
  stallMs: 30_000,
}

const unhurried: HeavyPace = { next: () => Promise.resolve(), restMs: () => 0 }
// A single piece that took seconds is a report. The piece after it need not wait three times as long as that.
const restMaxMs = 500
const retryAfterSeconds = 5

const running = new Gauge({
  name: 'tollgate_heavy_work_running',
  help: 'Exports, reports and other heavy calls at work.',
  registers: [registry],
})
const queued = new Counter({
  name: 'tollgate_heavy_work_queued_total',
  help: 'Heavy calls that had to wait for others of the same person.',
  registers: [registry],
})
const refused = new Counter({
  name: 'tollgate_heavy_work_refused_total',
  help: 'Heavy calls that were refused: too many of a person, too many in all, waited too long; and downloads cut because nobody read on.',
  labelNames: ['reason'],
  registers: [registry],
})

function tooMany(reason: NoTurn): Refusal {
  refused.inc({ reason: reason === 'key' ? 'person' : reason })
  const text =
    reason === 'key'
      ? 'You have several exports or reports under way. Try again when one is done.'
      : 'Many exports and reports are under way. Try again in a few seconds.'
  return new Refusal('too_many', text, { retryAfterSeconds })
}

/** The slot of a call for heavy work. {@link HeavySlot.end} must be called, however the call ends. */
export interface HeavySlot {
  /** Does one piece of the work in its turn. Throws Refusal too_many when the first one would have to wait too long. */
  turn<T>(work: () => Promise<T>): Promise<T>
  /** Each part of a download in its turn; `onStall` is called when its reader takes no part for too long. */
  parts<T>(source: AsyncIterable<T>, onStall: () => void): AsyncGenerator<T>
  end(): void
}

export class HeavyWork {
  readonly #limits: HeavyLimits
  readonly #pace: HeavyPace
  readonly #slots: FairQueue
  readonly #turns: FairQueue

  constructor(options: { readonly limits?: Partial<HeavyLimits>; readonly pace?: HeavyPace } = {}) {
    this.#limits = { ...defaults, ...options.limits }
    this.#pace = options.pace ?? unhurried
    const { perPerson, waitingPerPerson, inAll, waitMs, turns } = this.#limits
    this.#slots = new FairQueue(
      { runningMaxOfKey: perPerson, waitingMaxOfKey: waitingPerPerson, totalMax: inAll, waitMs },
      // A call that waited too long for others of the same person counts as one too many.
      (reason) => tooMany(reason === 'late' ? 'key' : reason),
    )
    this.#turns = new FairQueue({ runningMax: turns }, tooMany)
  }

  /**
   * Takes a slot for a person's call, or waits for one. Throws Refusal too_many when too many wait, or it waits too
   * long.
   */
  async enter(person: string): Promise<HeavySlot> {
    const leave = await this.#slots.enter({ key: person, onWait: () => queued.inc() })
    running.inc()
    return this.#slotOf(person, leave)
  }

  /**
   * The turns of a call without a slot: one that mostly waits. They wait as long as `signal` is not aborted, and reject
   * then.
   */
  piecesOf(person: string, signal: AbortSignal): HeavySlot['turn'] {
    return this.#turnsOf({ key: person, signal }, () => Infinity)
  }

  #slotOf(person: string, leave: () => void): HeavySlot {
    let isFirst = true
    let hasEnded = false
    const inTurn = this.#turnsOf({ key: person }, () => (isFirst ? this.#limits.waitMs : Infinity))
    const turn = <T>(work: () => Promise<T>): Promise<T> =>
      inTurn(async () => {
        // A download that has begun is not broken off.
        isFirst = false
        // The caller left while it waited, so nobody reads this message.
        if (hasEnded) throw new Refusal('too_many', 'The call has ended.')
        return work()
      })
    return {
      turn,
      parts: (source, onStall) => this.#parts(source, turn, onStall),
      end: () => {
        if (hasEnded) return
        hasEnded = true
        running.dec()
        leave()
      },
    }
  }

  /** Does each piece of one call in its turn, in an idle window, and rests after it. */
  #turnsOf(caller: QueueCaller, waitMs: () => number): HeavySlot['turn'] {
    let resting = Promise.resolve()
    return async (work) => {
      await resting
      const endTurn = await this.#turns.enter({ ...caller, waitMs: waitMs() })
      let tookMs = 0
      try {
        await this.#pace.next()
        const startedAtMs = performance.now()
        try {
          return await work()
        } finally {
          tookMs = performance.now() - startedAtMs
        }
      } finally {
        // The result is returned before the pause; only the next piece waits for it.
        resting = this.#rest(tookMs).then(endTurn)
      }
    }
  }

  async #rest(tookMs: number): Promise<void> {
    const restMs = Math.min(restMaxMs, this.#pace.restMs(tookMs))
    if (restMs >= 1) await sleep(restMs)
  }

  async *#parts<T>(
    source: AsyncIterable<T>,
    turn: HeavySlot['turn'],
    onStall: () => void,
  ): AsyncGenerator<T> {
    const parts = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        const part = await turn(() => parts.next())
        if (part.done === true) return
        const timer = setTimeout(() => {
          refused.inc({ reason: 'stalled' })
          onStall()
        }, this.#limits.stallMs)
        try {
          yield part.value
        } finally {
          clearTimeout(timer)
        }
      }
    } finally {
      await parts.return?.()
    }
  }
}
