// What costs the database much (exports, reports, statements, replays): a few at a time for a person and in all, each in
// pieces, and each piece when the messages leave room. Without it, four exports of one client held everybody up.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import { Overload } from './overload.ts'
import type { IdleWindows } from './idle-windows.ts'
import { registry } from '../metrics.ts'

export interface HeavyLimits {
  /** At work at once for a person. A download counts until its reader has it all. */
  readonly perPerson: number
  /** More of a person that wait for one of these to end. */
  readonly waitingPerPerson: number
  /** At work and waiting, of everybody together: each may hold a page of rows in memory. */
  readonly inAll: number
  /** Pieces at work at once, of everybody together. */
  readonly turns: number
  /** How long one waits before it begins. */
  readonly waitMs: number
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

// Rest for each millisecond of work while there are messages: the work has a quarter of the time, in a flood a tenth.
const restFactor = 3

/** Begins in idle windows of the messages, and rests while there are any. */
export function yieldingPace(idleWindows: IdleWindows, isBusy: () => boolean): HeavyPace {
  const overload = new Overload({ isBusy })
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
// A single piece that took seconds is a report: what comes after it need not wait as long again.
const restMostMs = 500
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

type Reason = 'person' | 'all' | 'late' | 'stalled'

function tooMany(reason: Exclude<Reason, 'stalled'>): Refusal {
  refused.inc({ reason })
  const text =
    reason === 'person'
      ? 'You have several exports or reports under way. Try again when one is done.'
      : 'Many exports and reports are under way. Try again in a few seconds.'
  return new Refusal('too_many', text, { retryAfterSeconds })
}

interface Waiter {
  readonly person: string
  readonly go: () => void
}

/** A call's leave to do heavy work. {@link HeavyPlace.end} must be called, whatever becomes of the call. */
export interface HeavyPlace {
  /** Does one piece of the work in its turn. Throws Refusal too_many when the first one would have to wait too long. */
  turn<T>(work: () => Promise<T>): Promise<T>
  /** Each part of a download in its turn; `onStall` is called when its reader takes no part for too long. */
  parts<T>(source: AsyncIterable<T>, onStall: () => void): AsyncGenerator<T>
  end(): void
}

export class HeavyWork {
  readonly #limits: HeavyLimits
  readonly #pace: HeavyPace
  readonly #atWork = new Map<string, number>()
  readonly #turnsOf = new Map<string, number>()
  readonly #places: Waiter[] = []
  readonly #turns: Waiter[] = []
  #turnCount = 0

  constructor(options: { readonly limits?: Partial<HeavyLimits>; readonly pace?: HeavyPace } = {}) {
    this.#limits = { ...defaults, ...options.limits }
    this.#pace = options.pace ?? unhurried
  }

  /** Takes a place for a person's call, or waits for one. Throws Refusal too_many when too many wait, or it waits too long. */
  async enter(person: string): Promise<HeavyPlace> {
    const { perPerson, waitingPerPerson, inAll } = this.#limits
    const own = this.#atWork.get(person) ?? 0
    if (total(this.#atWork) + this.#places.length >= inAll) throw tooMany('all')
    if (own >= perPerson) {
      if (this.#places.filter((waiter) => waiter.person === person).length >= waitingPerPerson)
        throw tooMany('person')
      queued.inc()
      await this.#wait(this.#places, person, 'person')
    } else add(this.#atWork, person, 1)
    running.inc()
    return this.#place(person)
  }

  #place(person: string): HeavyPlace {
    let isFirst = true
    let hasEnded = false
    const turn = async <T>(work: () => Promise<T>): Promise<T> => {
      await this.#takeTurn(person, isFirst)
      isFirst = false
      try {
        // Its caller left while it waited: nobody reads what this says.
        if (hasEnded) throw new Refusal('too_many', 'The call has ended.')
        return await this.#piece(work)
      } finally {
        this.#giveTurn(person)
      }
    }
    return {
      turn,
      parts: (source, onStall) => this.#parts(source, turn, onStall),
      end: () => {
        if (hasEnded) return
        hasEnded = true
        running.dec()
        this.#leave(person)
      },
    }
  }

  /** The place goes to the next call of the same person; nobody else waits for it. */
  #leave(person: string): void {
    const next = this.#places.find((waiter) => waiter.person === person)
    if (next === undefined) return add(this.#atWork, person, -1)
    this.#places.splice(this.#places.indexOf(next), 1)
    next.go()
  }

  async #piece<T>(work: () => Promise<T>): Promise<T> {
    await this.#pace.next()
    const startedAtMs = performance.now()
    try {
      return await work()
    } finally {
      const restMs = Math.min(restMostMs, this.#pace.restMs(performance.now() - startedAtMs))
      if (restMs >= 1) await sleep(restMs)
    }
  }

  async *#parts<T>(
    source: AsyncIterable<T>,
    turn: HeavyPlace['turn'],
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

  async #takeTurn(person: string, isFirst: boolean): Promise<void> {
    if (this.#turnCount < this.#limits.turns) this.#turnCount += 1
    else await this.#wait(this.#turns, person, isFirst ? 'late' : undefined)
    add(this.#turnsOf, person, 1)
  }

  /** To whoever has the fewest turns now, and among these to the one who has waited longest. */
  #giveTurn(person: string): void {
    add(this.#turnsOf, person, -1)
    const turnsOf = (waiter: Waiter) => this.#turnsOf.get(waiter.person) ?? 0
    const next = this.#turns.toSorted((one, other) => turnsOf(one) - turnsOf(other))[0]
    if (next === undefined) {
      this.#turnCount -= 1
      return
    }
    this.#turns.splice(this.#turns.indexOf(next), 1)
    next.go()
  }

  /** Waits in `line` until somebody calls; with a reason, not for ever. */
  #wait(line: Waiter[], person: string, reason: 'person' | 'late' | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = {
        person,
        go: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      line.push(waiter)
      const timer =
        reason &&
        setTimeout(() => {
          const at = line.indexOf(waiter)
          if (at >= 0) line.splice(at, 1)
          reject(tooMany(reason))
        }, this.#limits.waitMs)
    })
  }
}

function add(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

function total(counts: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}
