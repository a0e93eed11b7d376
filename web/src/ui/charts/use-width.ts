import { useEffect, useRef, useState, type RefObject } from 'react'

/** The current width of the element, so that the text of a chart keeps its size at every width. */
export function useWidth<E extends HTMLElement>(firstPx: number): [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(firstPx)
  useEffect(() => {
    if (!element.current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
