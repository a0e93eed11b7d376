import { useCallback, useEffect, useEffectEvent, useRef, type PointerEvent, type UIEvent } from 'react'
import { phoneQuery } from '../ui/use-media-query.ts'

// There is no pointer to tell who reads from who does not, so what comes waits until it is asked for.
const withoutPointer = `(hover: none), ${phoneQuery}`

/**
 * Whether rows may move: only if the beginning of the list is in sight and the pointer is elsewhere, and never on a phone
 * or tablet. So nobody clicks a row that has just moved.
 */
export function useRowFreeze() {
  const frame = useRef<HTMLDivElement>(null)
  const gate = useRef({ isHovered: false, scroller: null as HTMLElement | null })
  const isOpen = useCallback(() => {
    if (window.matchMedia(withoutPointer).matches) return false
    const { isHovered, scroller } = gate.current
    // Above the top of the window means that the page itself was scrolled.
    const frameTop = frame.current?.getBoundingClientRect().top ?? 0
    return !isHovered && (scroller?.scrollTop ?? 0) <= 2 && frameTop >= 0
  }, [])
  return {
    isOpen,
    /** Scrolls to the beginning of the list. */
    toTop: () => {
      gate.current.scroller?.scrollTo({ top: 0 })
      if ((frame.current?.getBoundingClientRect().top ?? 0) < 0) window.scrollTo({ top: 0 })
    },
    /** For the element around the list. `onOpen` is called when rows may move again. */
    propsFor: (onOpen: () => void) => ({
      ref: frame,
      onPointerEnter: ({ pointerType }: PointerEvent) => {
        gate.current.isHovered = pointerType === 'mouse'
      },
      onPointerLeave: () => {
        gate.current.isHovered = false
        if (isOpen()) onOpen()
      },
      // Scroll events do not bubble, and the table scrolls inside its card.
      onScrollCapture: ({ target }: UIEvent) => {
        if (target instanceof HTMLElement) gate.current.scroller = target
        if (isOpen()) onOpen()
      },
    }),
  }
}

/** Calls `onOpen` when the window was scrolled back to where rows may move. */
export function useUnfreezeOnScroll(
  { isOpen }: Pick<ReturnType<typeof useRowFreeze>, 'isOpen'>,
  onOpen: () => void,
) {
  const look = useEffectEvent(() => {
    if (isOpen()) onOpen()
  })
  useEffect(() => {
    const listen = () => look()
    window.addEventListener('scroll', listen, { passive: true })
    return () => window.removeEventListener('scroll', listen)
  }, [])
}
