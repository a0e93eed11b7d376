// The start of each walk: a short overlap before the newest row, since rows come late and clocks differ. From time to
// time a far lookback, for rows that come later still.
import type { ProviderFields } from './store.ts'

// An overlap of two polls at least.
const overlapPolls = 2
const overlapMinMs = 30_000
const farEveryStandardMs = 10_000
// Far lookbacks may take a twentieth of the time.
const farRestFactor = 20

export interface WalkSince {
  readonly since: Date
  readonly isFar: boolean
  readonly startedMs: number
}

type LookbackSettings = Pick<ProviderFields, 'pollIntervalMs' | 'lookbackMs' | 'startAt'>

export class LookbackSchedule {
  readonly #settings: LookbackSettings
  readonly #farEveryMinMs: number
  #nextFarMs = 0

  constructor(settings: LookbackSettings, farEveryMinMs = farEveryStandardMs) {
    this.#settings = settings
    this.#farEveryMinMs = farEveryMinMs
  }

  /** `newest` is the newest row so far; null before the first walk, which reads everything. */
  begin(newest: Date | null, nowMs = performance.now()): WalkSince {
    const { pollIntervalMs, lookbackMs, startAt } = this.#settings
    const startMs = startAt?.getTime() ?? 0
    if (newest === null) return { since: new Date(startMs), isFar: true, startedMs: nowMs }
    const isFar = nowMs >= this.#nextFarMs
    const overlapMs = Math.max(overlapPolls * pollIntervalMs, overlapMinMs)
    const backMs = isFar ? Math.max(lookbackMs, overlapMs) : overlapMs
    return {
      since: new Date(Math.max(startMs, newest.getTime() - backMs)),
      isFar,
      startedMs: nowMs,
    }
  }

  /** Call it when a walk is complete. */
  end({ isFar, startedMs }: WalkSince, nowMs = performance.now()): void {
    if (!isFar) return
    const restMs = (nowMs - startedMs) * farRestFactor
    this.#nextFarMs =
      nowMs + Math.max(this.#farEveryMinMs, overlapPolls * this.#settings.pollIntervalMs, restMs)
  }
}
