import { useEffect, useRef, useState, type RefObject } from 'react'

/** The element's width, followed live, so that a chart's words keep their size at every width. */
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
