// Creates the partitions of a batch's weeks before the batch is stored.
import type { IngestMessage } from './message.ts'

const weekMs = 604_800_000
// The first Monday after 1970-01-01, a Thursday.
const firstMondayMs = 345_600_000
// A provider may lag by months. Records further away go to the default partition, so that a false timestamp cannot
// create thousands of tables.
const weeksBack = 26
const weeksAhead = 1
// The pause after a failure; meanwhile records go to the default partition.
const retryMs = 60_000

const weekOf = (timeMs: number): number => Math.floor((timeMs - firstMondayMs) / weekMs)

export interface WeekPartitionsOptions {
  readonly make: (at: Date) => Promise<void>
  readonly nowMs: () => number
  readonly onFault: (error: Error) => void
}

export class WeekPartitions {
  readonly #options: WeekPartitionsOptions
  readonly #made = new Set<number>()
  readonly #failedAtMs = new Map<number, number>()

  constructor(options: WeekPartitionsOptions) {
    this.#options = options
  }

  /** Creates the partitions of this week and the next. Called at the start, and then hourly. */
  async makeAhead(): Promise<void> {
    const week = weekOf(this.#options.nowMs())
    await this.#make(week)
    await this.#make(week + 1)
  }

  /** Gives undefined in the usual case that all partitions exist, so that nothing has to be awaited. */
  prepare(messages: readonly IngestMessage[]): Promise<void> | undefined {
    let last = NaN
    let missing: Set<number> | undefined
    for (const { createdAtMs } of messages) {
      const week = weekOf(createdAtMs)
      if (week === last) continue
      last = week
      if (!this.#made.has(week)) (missing ??= new Set()).add(week)
    }
    return missing === undefined ? undefined : this.#makeAll(missing)
  }

  async #makeAll(weeks: Iterable<number>): Promise<void> {
    const now = weekOf(this.#options.nowMs())
    for (const week of weeks) {
      if (week >= now - weeksBack && week <= now + weeksAhead) await this.#make(week)
    }
  }

  async #make(week: number): Promise<void> {
    const nowMs = this.#options.nowMs()
    if (this.#made.has(week) || nowMs - (this.#failedAtMs.get(week) ?? -Infinity) < retryMs) return
    try {
      await this.#options.make(new Date(firstMondayMs + week * weekMs))
      this.#made.add(week)
    } catch (error) {
      this.#failedAtMs.set(week, nowMs)
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
    }
  }
}
