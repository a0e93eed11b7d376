import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState, type RefObject } from 'react'
import type { Density } from './use-table-settings.ts'

// From here on only those are drawn that have been in sight, and their neighbours: a page of 100 takes half the time.
const partlyFrom = 50
// Up to here a row that was drawn stays, so that the columns keep their widths and what was read can be found.
const keptUpTo = 200
const neighbours = 12

interface VirtualRows {
  readonly isPart: boolean
  /** The places of the rows to draw. */
  readonly places: readonly number[]
  /** Stands in for the rows before them and after them. */
  readonly beforePx: number
  readonly afterPx: number
}

interface VirtualRowsInput {
  readonly count: number
  readonly density: Density
  /** The element that scrolls; it belongs to the component that asks, or it is not there yet when asked for. */
  readonly scroller: RefObject<HTMLElement | null>
  /** The scroller's height when it is full. */
  readonly heightPx: () => number
}

/** Which rows of a table to draw now; asks anew as they are scrolled into sight. */
export function useVirtualRows({ count, density, scroller, heightPx }: VirtualRowsInput): VirtualRows {
  const isPart = count > partlyFrom
  const isKept = count <= keptUpTo
  const lastDrawn = useRef(0)
  // Asked once: it makes the browser lay out what has changed.
  const [firstHeightPx] = useState(heightPx)
  // The rule fears a compiler that memoises; this build has none, and the virtualizer rerenders its component itself.
  // eslint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count,
    enabled: isPart,
    getScrollElement: () => scroller.current,
    estimateSize: () => (density === 'compact' ? 32 : 40),
    overscan: neighbours,
    // The first drawing goes by it; nearly right, it is the only one.
    initialRect: { width: 0, height: firstHeightPx },
    rangeExtractor: ({ startIndex, endIndex, overscan }) => {
      const inSight = endIndex + overscan
      lastDrawn.current = Math.max(lastDrawn.current, inSight)
      const from = isKept ? 0 : Math.max(startIndex - overscan, 0)
      const to = Math.min(isKept ? lastDrawn.current : inSight, count - 1)
      return Array.from({ length: to - from + 1 }, (_, place) => from + place)
    },
  })
  if (!isPart)
    return { isPart, places: Array.from({ length: count }, (_, place) => place), beforePx: 0, afterPx: 0 }
  const items = virtual.getVirtualItems()
  return {
    isPart,
    places: items.map(({ index }) => index),
    beforePx: items[0]?.start ?? 0,
    afterPx: virtual.getTotalSize() - (items.at(-1)?.end ?? 0),
  }
}
