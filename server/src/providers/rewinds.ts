// The start of each walk: a short overlap before the newest row, since rows come late and clocks differ. From time to
// time a far lookback, for rows that come later still.
import type { ProviderFields } from './store.ts'

// operations.md, Ingest 4: an overlap of two polls at least.
const overlapPolls = 2
const overlapLeastMs = 30_000
const lookEveryLeastMs = 10_000
// Far lookbacks may take a twentieth of the time.
const lookShare = 20

export interface Rewind {
  readonly since: Date
  readonly isFar: boolean
  readonly startedMs: number
}

type Settings = Pick<ProviderFields, 'pollIntervalMs' | 'lookbackMs' | 'startAt'>

export class Rewinds {
  readonly #settings: Settings
  #nextFarMs = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** `newest` is the newest row so far; null before the first walk, which reads everything. */
  begin(newest: Date | null, nowMs = performance.now()): Rewind {
    const { pollIntervalMs, lookbackMs, startAt } = this.#settings
    const startMs = startAt?.getTime() ?? 0
    if (newest === null) return { since: new Date(startMs), isFar: true, startedMs: nowMs }
    const isFar = nowMs >= this.#nextFarMs
    const overlapMs = Math.max(overlapPolls * pollIntervalMs, overlapLeastMs)
    const backMs = isFar ? Math.max(lookbackMs, overlapMs) : overlapMs
    return {
      since: new Date(Math.max(startMs, newest.getTime() - backMs)),
      isFar,
      startedMs: nowMs,
    }
  }

  /** Call it when a walk is complete. */
  end({ isFar, startedMs }: Rewind, nowMs = performance.now()): void {
    if (!isFar) return
    const restMs = (nowMs - startedMs) * lookShare
    this.#nextFarMs = nowMs + Math.max(lookEveryLeastMs, overlapPolls * this.#settings.pollIntervalMs, restMs)
  }
}
