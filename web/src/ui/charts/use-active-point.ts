import { useState, type FocusEvent, type KeyboardEvent, type MouseEvent, type PointerEvent } from 'react'

/**
 * The point of a chart under the pointer or chosen with the arrow keys. Spread `handlers` on the chart's frame. A click or
 * Enter opens the point.
 */
export function useActivePoint(
  count: number,
  placeAt: (xPx: number) => number,
  onOpen?: (point: number) => void,
) {
  const [picked, setPicked] = useState<number>()
  const leave = (_event: PointerEvent | FocusEvent) => setPicked(undefined)
  return {
    picked: picked !== undefined && picked < count ? picked : undefined,
    handlers: {
      onKeyDown(event: KeyboardEvent) {
        if (event.key === 'Enter' && picked !== undefined) onOpen?.(picked)
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (event.key === 'Escape') setPicked(undefined)
        if (step === undefined) return
        event.preventDefault()
        setPicked((at) => (at === undefined ? 0 : (at + step + count) % count))
      },
      onPointerMove(event: PointerEvent<HTMLElement>) {
        const at = placeAt(event.clientX - event.currentTarget.getBoundingClientRect().left)
        setPicked(at >= 0 && at < count ? at : undefined)
      },
      onClick(event: MouseEvent<HTMLElement>) {
        const at = placeAt(event.clientX - event.currentTarget.getBoundingClientRect().left)
        if (at >= 0 && at < count) onOpen?.(at)
      },
      onPointerLeave: leave,
      onBlur: leave,
    },
  }
}
