// Which range a number lies in. Ranges may overlap; the narrowest one names the number's records and its tariff.
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
  readonly status: AccountStatus
  readonly isDeleted: boolean
}

/** Disjoint stretches in rising order: from `starts[i]` up to the next start, `winners[i]` is the range. */
interface Stretches {
  readonly starts: number[]
  readonly winners: (CatalogRange | undefined)[]
}

/** Answers in O(log ranges) after a preparation of O(ranges²) at worst, for deeply nested ranges. */
export class RangeIndex {
  readonly #byDigitCount = new Map<number, Stretches>()

  constructor(ranges: Iterable<CatalogRange>) {
    const groups = new Map<number, CatalogRange[]>()
    for (const range of ranges) {
      if (range.isDeleted) continue
      const group = groups.get(range.digitCount)
      if (group === undefined) groups.set(range.digitCount, [range])
      else group.push(range)
    }
    for (const [digitCount, group] of groups) this.#byDigitCount.set(digitCount, stretchesOf(group))
  }

  /** The narrowest range that contains the number; of equally narrow ones the older. */
  find(digits: string): CatalogRange | undefined {
    const stretches = this.#byDigitCount.get(digits.length)
    if (stretches === undefined) return undefined
    const number = Number(digits)
    const { starts, winners } = stretches
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((starts[middle] ?? Infinity) <= number) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : winners[low - 1]
  }
}

/** Sweeps over all starts and ends and notes who is narrowest in between. */
function stretchesOf(ranges: CatalogRange[]): Stretches {
  const opening = ranges.toSorted((a, b) => a.start - b.start)
  const edges = [...new Set(ranges.flatMap(({ start, end }) => [start, end + 1]))].sort((a, b) => a - b)
  const winners: (CatalogRange | undefined)[] = []
  let open: CatalogRange[] = []
  let next = 0
  for (const edge of edges) {
    open = open.filter(({ end }) => end >= edge)
    for (let range = opening[next]; range !== undefined && range.start <= edge; range = opening[next]) {
      open.push(range)
      next += 1
    }
    winners.push(open.reduce<CatalogRange | undefined>(narrower, undefined))
  }
  return { starts: edges, winners }
}

function narrower(best: CatalogRange | undefined, range: CatalogRange): CatalogRange {
  if (best === undefined) return range
  const difference = range.end - range.start - (best.end - best.start)
  return difference < 0 || (difference === 0 && range.id < best.id) ? range : best
}
