// Finds the range of a number. Ranges may overlap; the narrowest one gives the number's records a name and a tariff.
import type { AccountStatus } from '@tollgate/contract/vocabulary.ts'

export interface CatalogRange {
  readonly id: number
  readonly rangeNumber: string
  /** First and last number as integers: at most 15 digits, so they are exact. */
  readonly start: number
  readonly end: number
  /** Numbers of another length never lie in it. */
  readonly digitCount: number
  readonly tariffMicro: number
  /** The tariff that waits, and its start: Infinity for none. */
  readonly nextTariffMicro: number
  readonly nextTariffFromMs: number
  /** What held before the present tariff, and until when: -Infinity when that is not known. */
  readonly earlierTariffMicro: number
  readonly tariffFromMs: number
  readonly status: AccountStatus
  readonly isDeleted: boolean
}

/** The tariff of a range at an instant, in millionths of a shekel. */
export function tariffAt(range: CatalogRange, atMs: number): number {
  if (atMs >= range.nextTariffFromMs) return range.nextTariffMicro
  return atMs < range.tariffFromMs ? range.earlierTariffMicro : range.tariffMicro
}

/** Disjoint intervals in rising order: from `starts[i]` up to the next start, `narrowest[i]` is the narrowest range. */
interface Intervals {
  readonly starts: number[]
  readonly narrowest: (CatalogRange | undefined)[]
}

/** Answers in O(log ranges) after a preparation of O(ranges²) at worst, for deeply nested ranges. */
export class RangeIndex {
  readonly #byDigitCount = new Map<number, Intervals>()

  constructor(ranges: Iterable<CatalogRange>) {
    const groups = new Map<number, CatalogRange[]>()
    for (const range of ranges) {
      if (range.isDeleted) continue
      const group = groups.get(range.digitCount)
      if (group === undefined) groups.set(range.digitCount, [range])
      else group.push(range)
    }
    for (const [digitCount, group] of groups) this.#byDigitCount.set(digitCount, intervalsOf(group))
  }

  /** The narrowest range that contains the number; of equally narrow ones the older. */
  find(digits: string): CatalogRange | undefined {
    const intervals = this.#byDigitCount.get(digits.length)
    if (intervals === undefined) return undefined
    const number = Number(digits)
    const { starts, narrowest } = intervals
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? Infinity) <= number) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : narrowest[low - 1]
  }
}

/** Goes through all starts and ends in order, and keeps the narrowest range of each interval between them. */
function intervalsOf(ranges: CatalogRange[]): Intervals {
  const opening = ranges.toSorted((a, b) => a.start - b.start)
  const edges = [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1]))].sort((a, b) => a - b)
  const narrowest: (CatalogRange | undefined)[] = []
  let open: CatalogRange[] = []
  let next = 0
  for (const edge of edges) {
    open = open.filter(({ end }) => end >= edge)
    for (let range = opening[next]; range !== undefined && range.start <= edge; range = opening[next]) {
      open.push(range)
      next += 1
    }
    narrowest.push(open.reduce<CatalogRange | undefined>(narrower, undefined))
  }
  return { starts: edges, narrowest }
}

function narrower(best: CatalogRange | undefined, range: CatalogRange): CatalogRange {
  if (best === undefined) return range
  const difference = range.end - range.start - (best.end - best.start)
  return difference < 0 || (difference === 0 && range.id < best.id) ? range : best
}
