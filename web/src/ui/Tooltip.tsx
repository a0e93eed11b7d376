import { Slot } from 'radix-ui'
import { useEffect, useId, useLayoutEffect, useRef, useSyncExternalStore, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import {
  closeTooltip,
  hoverTooltip,
  isPressing,
  leaveTooltip,
  openTooltip,
  shownTooltip,
  subscribeTooltips,
  watchPage,
} from './tooltips.ts'

type Side = 'top' | 'right' | 'bottom' | 'left'

const gap = 6
const edge = 8

/** Watches the page for what closes a tooltip. Wraps the whole console. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  useEffect(watchPage, [])
  return children
}

interface TooltipProps {
  readonly text: ReactNode
  readonly isMono?: boolean
  readonly side?: Side
  /** One element that takes a ref and focus. */
  readonly children: ReactNode
}

/** Describes an element while the pointer rests on it or it has the focus of the keyboard. */
export function Tooltip({ text, isMono = false, side = 'top', children }: TooltipProps) {
  const id = useId()
  const isShown = useSyncExternalStore(subscribeTooltips, () => shownTooltip()?.id === id)
  useEffect(() => () => closeTooltip(id), [id])
  return (
    <>
      <Slot.Root
        {...(isShown && { 'aria-describedby': id })}
        onPointerMove={({ currentTarget: anchor, pointerType }) => {
          if (pointerType !== 'touch') hoverTooltip({ id, anchor })
        }}
        onPointerLeave={() => leaveTooltip(id)}
        onFocus={({ currentTarget: anchor }) => {
          if (!isPressing()) openTooltip({ id, anchor })
        }}
        onBlur={() => closeTooltip(id)}
        onClick={() => closeTooltip(id)}
      >
        {children}
      </Slot.Root>
      {isShown &&
        createPortal(
          <Bubble id={id} isMono={isMono} side={side}>
            {text}
          </Bubble>,
          document.body,
        )}
    </>
  )
}

type Place = Readonly<{ left: number; top: number }>

const opposite: Readonly<Record<Side, Side>> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' }

/** Where a box of this size stands beside the anchor: on the other side where there is no room, and never off screen. */
export function placeBeside(anchor: DOMRect, { width, height }: DOMRect, side: Side): Place {
  const [wide, high] = [document.documentElement.clientWidth, document.documentElement.clientHeight]
  const room: Readonly<Record<Side, number>> = {
    top: anchor.top - height,
    bottom: high - anchor.bottom - height,
    left: anchor.left - width,
    right: wide - anchor.right - width,
  }
  const other = opposite[side]
  const used = room[side] < gap + edge && room[other] > room[side] ? other : side
  const [middle, centre] = [
    anchor.left + (anchor.width - width) / 2,
    anchor.top + (anchor.height - height) / 2,
  ]
  const left = { top: middle, bottom: middle, left: room.left - gap, right: anchor.right + gap }[used]
  const top = { top: room.top - gap, bottom: anchor.bottom + gap, left: centre, right: centre }[used]
  const within = (value: number, end: number) => Math.max(edge, Math.min(value, end - edge))
  return { left: within(left, wide - width), top: within(top, high - height) }
}

interface BubbleProps {
  readonly id: string
  readonly isMono: boolean
  readonly side: Side
  readonly children: ReactNode
}

function Bubble({ id, isMono, side, children }: BubbleProps) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const anchor = shownTooltip()?.anchor
    if (!anchor || !box.current) return
    const place = placeBeside(anchor.getBoundingClientRect(), box.current.getBoundingClientRect(), side)
    box.current.style.left = `${place.left}px`
    box.current.style.top = `${place.top}px`
  })
  return (
    <div
      ref={box}
      id={id}
      role="tooltip"
      onPointerMove={() => {
        const anchor = shownTooltip()?.anchor
        if (anchor) hoverTooltip({ id, anchor })
      }}
      onPointerLeave={() => leaveTooltip(id)}
      // React would pass the click on to the parents of this component, such as a row that opens.
      onClick={(event) => event.stopPropagation()}
      className={`appear pointer-events-auto fixed z-60 w-max max-w-80 rounded-sm bg-ink px-2 py-1.5 text-xs break-words text-canvas ${isMono ? 'font-mono' : ''}`}
    >
      {children}
    </div>
  )
}
