import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState, type RefObject } from 'react'

// Longer tables render only rows in sight and their neighbours. A page of 100 rows takes half the time.
const partlyFrom = 50
// Up to this count a rendered row stays, so that columns keep their widths and the browser's search finds what was
// read.
const keptUpTo = 200
const neighbours = 12

interface VirtualRows {
  readonly isPart: boolean
  /** The indexes of the rows to render. */
  readonly places: readonly number[]
  /** The height of the rows before and after them. */
  readonly beforePx: number
  readonly afterPx: number
}

interface VirtualRowsInput {
  readonly count: number
  /** The height of one row. */
  readonly rowPx: number
  /** The scrolling element. It must belong to the calling component, or it would not exist yet. */
  readonly scroller: RefObject<HTMLElement | null>
  /** The maximal height of the scrolling element. */
  readonly heightPx: () => number
}

/** Which rows of a table to render now. Changes as they are scrolled into sight. */
export function useVirtualRows({ count, rowPx, scroller, heightPx }: VirtualRowsInput): VirtualRows {
  const isPart = count > partlyFrom
  const isKept = count <= keptUpTo
  const lastDrawn = useRef(0)
  // Read once, because reading it causes a layout.
  const [firstHeightPx] = useState(heightPx)
  // The rule is for memoising compilers. This build has none, and the virtualizer rerenders its component itself.
  // eslint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count,
    enabled: isPart,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: neighbours,
    // The first render uses this height. If it is nearly right, no second render is needed.
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
