import { useState, type FocusEvent, type KeyboardEvent, type PointerEvent } from 'react'

/** The point of a chart under the pointer or chosen with the arrow keys. Spread `handlers` on the chart's frame. */
export function useActivePoint(count: number, placeAt: (xPx: number) => number) {
  const [picked, setPicked] = useState<number>()
  const leave = (_event: PointerEvent | FocusEvent) => setPicked(undefined)
  return {
    picked: picked !== undefined && picked < count ? picked : undefined,
    handlers: {
      onKeyDown(event: KeyboardEvent) {
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
      onPointerLeave: leave,
      onBlur: leave,
    },
  }
}
