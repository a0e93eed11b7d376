// Columns that are stacked when their table is wider than the space for it: their values move below those of another
// column.
import { useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react'
import type { Column } from './column.ts'

interface FitInput<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly unknown[]
  readonly scroller: RefObject<HTMLElement | null>
}

export interface TableFit<Row> {
  /** The columns that are drawn as such. */
  readonly shown: readonly Column<Row>[]
  /** The columns below the values of each of them. */
  readonly below: ReadonlyMap<string, readonly Column<Row>[]>
  /** Everything that may give way has, so the cells stand closer. */
  readonly isTight: boolean
}

/** The columns that may give way, the last one first. */
function givingWay<Row>(columns: readonly Column<Row>[]) {
  const ids = new Set(columns.map(({ id }) => id))
  return columns.filter(({ stackUnder }) => stackUnder !== undefined && ids.has(stackUnder)).toReversed()
}

/** The columns with the stacked ones below the column that is left of their line. */
function stackAway<Row>(columns: readonly Column<Row>[], hidden: readonly Column<Row>[]) {
  const byId = new Map(hidden.map((column) => [column.id, column]))
  const below = new Map<string, readonly Column<Row>[]>()
  for (const column of hidden.toReversed()) {
    let host = column.stackUnder ?? ''
    for (let next = byId.get(host); next; next = byId.get(host)) host = next.stackUnder ?? ''
    below.set(host, [...(below.get(host) ?? []), column])
  }
  return { shown: columns.filter((column) => !hidden.includes(column)), below }
}

/** Stacks columns, one after the other, until the table fits. Unstacks them when there is room again. */
export function useFit<Row>({ columns, rows, scroller }: FitInput<Row>): TableFit<Row> {
  const stackable = useMemo(() => givingWay(columns), [columns])
  // The last step is the closer cells.
  const mostStacked = stackable.length + 1
  // Other columns begin unstacked.
  const names = columns.map(({ id }) => id).join()
  const [tried, setTried] = useState({ names, stacked: 0 })
  const stacked = tried.names === names ? Math.min(tried.stacked, mostStacked) : 0
  // The width that the table needs with so many of these columns stacked, as far as it was too wide.
  const neededPx = useRef(new Map<string, number>())
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const fit = () => {
      const before = neededPx.current.get(`${names} ${stacked - 1}`)
      if (element.scrollWidth > element.clientWidth && stacked < mostStacked) {
        neededPx.current.set(`${names} ${stacked}`, element.scrollWidth)
        setTried({ names, stacked: stacked + 1 })
      } else if (before !== undefined && element.clientWidth >= before)
        setTried({ names, stacked: stacked - 1 })
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(element)
    // The table grows by itself: other rows are drawn, or what a cell says becomes longer.
    if (element.firstElementChild !== null) observer.observe(element.firstElementChild)
    return () => observer.disconnect()
  }, [names, stacked, mostStacked, rows, scroller])
  return useMemo(
    () => ({ ...stackAway(columns, stackable.slice(0, stacked)), isTight: stacked === mostStacked }),
    [columns, stackable, stacked, mostStacked],
  )
}
