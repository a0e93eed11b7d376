// Counts what happens in memory, by the hour, until it is saved: counting costs a look-up, and a flood fills neither the
// memory nor a table.

/** What was counted of one item in one hour. */
export interface HourCount<T> {
  readonly item: T
  readonly hourMs: number
  readonly count: number
  readonly lastAtMs: number
}

interface HourCountOptions<T> {
  /** Equal names are counted together. */
  readonly nameOf: (item: T) => string
  /** What an item is counted as when this hour has too many others already. */
  readonly otherOf: (item: T) => T
  /** The most items of one hour on this node. */
  readonly itemsMax: number
}

type Counted<T> = { -readonly [K in keyof HourCount<T>]: HourCount<T>[K] }

const hourLengthMs = 3_600_000

/**
 * The counts of the last `hours` hours, the oldest first; the last one is the hour of `now`. `counts` has the hours in
 * seconds since 1970 as keys.
 */
export function lastHours(counts: Readonly<Record<string, number>>, now: Date, hours: number): number[] {
  const current = Math.floor(now.getTime() / hourLengthMs)
  return Array.from({ length: hours }, (_, at) => counts[String((current - hours + 1 + at) * 3_600)] ?? 0)
}

export class HourCounts<T> {
  readonly #options: HourCountOptions<T>
  #counted = new Map<string, Counted<T>>()
  // The names of all items of this hour, the saved ones included.
  #known = new Set<string>()
  #hourMs = 0

  constructor(options: HourCountOptions<T>) {
    this.#options = options
  }

  add(item: T, nowMs: number): void {
    const { nameOf, otherOf, itemsMax } = this.#options
    const hourMs = nowMs - (nowMs % hourLengthMs)
    if (hourMs !== this.#hourMs) {
      this.#hourMs = hourMs
      this.#known = new Set()
    }
    const name = nameOf(item)
    if (this.#known.has(name)) return this.#count(item, `${hourMs} ${name}`, nowMs)
    if (this.#known.size >= itemsMax) {
      const other = otherOf(item)
      return this.#count(other, `${hourMs} ${nameOf(other)}`, nowMs)
    }
    this.#known.add(name)
    this.#count(item, `${hourMs} ${name}`, nowMs)
  }

  #count(item: T, key: string, nowMs: number): void {
    const counted = this.#counted.get(key)
    if (counted === undefined)
      this.#counted.set(key, { item, hourMs: this.#hourMs, count: 1, lastAtMs: nowMs })
    else {
      counted.count += 1
      counted.lastAtMs = nowMs
    }
  }

  /** Saves what was counted since the last call. When `save` fails, the counts are kept and its error is thrown. */
  async flush(save: (counts: readonly HourCount<T>[]) => Promise<void>): Promise<void> {
    if (this.#counted.size === 0) return
    const taken = this.#counted
    this.#counted = new Map()
    try {
      await save([...taken.values()])
    } catch (error) {
      for (const [key, counted] of taken) {
        const since = this.#counted.get(key)
        if (since === undefined) this.#counted.set(key, counted)
        else since.count += counted.count
      }
      throw error
    }
  }
}
