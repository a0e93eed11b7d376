// Which files of an archive a restore needs, and whether they are all there. A file of the log is named by its timeline and
// its number. Each restore begins a timeline, so an archive may hold the log of times that were given up.

export interface Timeline {
  readonly id: number
  /** The first segment that is its own; those before it are its parent's. */
  readonly from: number
}

export interface WalSegment {
  readonly timeline: number
  readonly number: number
}

/** A segment's name is three numbers of eight hexadecimal digits: timeline, and the address in units of 4 GB and of segments. */
const segmentName = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/

/** The segment that a file holds; undefined for another file. `segmentBytes` is the size of one. */
export function segmentOf(name: string, segmentBytes: number): WalSegment | undefined {
  const found = segmentName.exec(name)
  if (found === null) return undefined
  const [timeline = 0, high = 0, low = 0] = found.slice(1).map((part) => Number.parseInt(part, 16))
  return { timeline, number: high * (0x1_0000_0000 / segmentBytes) + low }
}

/** The name of the file that holds a segment. */
export function nameOf({ timeline, number }: WalSegment, segmentBytes: number): string {
  const perUnit = 0x1_0000_0000 / segmentBytes
  const parts = [timeline, Math.floor(number / perUnit), number % perUnit]
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('')
}

/**
 * The way from the timeline of a base backup to the newest one. `histories` are the contents of the history files by
 * timeline: a line for each ancestor, with its number and the address at which it was left.
 */
export function timelinesTo(
  base: number,
  histories: ReadonlyMap<number, string>,
  segmentBytes: number,
): Timeline[] {
  const newest = Math.max(base, ...histories.keys())
  const ancestors = (histories.get(newest) ?? '')
    .split('\n')
    .flatMap((line) => [...line.matchAll(/^(\d+)\s+([0-9A-F]+)\/([0-9A-F]+)/g)])
    .map(([, id, high = '', low = '']) => ({
      id: Number(id),
      leftAt: Math.floor(
        (Number.parseInt(high, 16) * 0x1_0000_0000 + Number.parseInt(low, 16)) / segmentBytes,
      ),
    }))
  const way: Timeline[] = []
  let from = 0
  for (const { id, leftAt } of ancestors) {
    way.push({ id, from })
    from = leftAt
  }
  way.push({ id: newest, from })
  const start = way.findIndex(({ id }) => id === base)
  return start === -1 ? [{ id: base, from: 0 }] : way.slice(start)
}

/** What there is of the log from a segment on. */
export interface WalCoverage {
  /** The last segment before the end or the gap; undefined when there is none. */
  readonly last: WalSegment | undefined
  /** The first segment that is missing although later ones are there. */
  readonly gap: WalSegment | undefined
}

/** Follows the log from `first` along the timelines. */
export function coverageOf(
  first: number,
  way: readonly Timeline[],
  segments: readonly WalSegment[],
): WalCoverage {
  const wanted = (number: number) => way.findLast(({ from }) => from <= number)?.id ?? way[0]?.id ?? 0
  const present = new Set(
    segments.filter(({ timeline, number }) => wanted(number) === timeline).map(({ number }) => number),
  )
  const end = Math.max(-1, ...present)
  for (let number = first; number <= end; number += 1)
    if (!present.has(number))
      return {
        last: number === first ? undefined : { timeline: wanted(number - 1), number: number - 1 },
        gap: { timeline: wanted(number), number },
      }
  return { last: end < first ? undefined : { timeline: wanted(end), number: end }, gap: undefined }
}
