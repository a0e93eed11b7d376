import { useCallback, useEffect, useEffectEvent, useRef, type PointerEvent, type UIEvent } from 'react'

/**
 * Whether rows may move: only with the list's beginning in sight and no pointer over it, so that nobody clicks on
 * a row that was another one a moment before.
 */
export function useRowFreeze() {
  const frame = useRef<HTMLDivElement>(null)
  const gate = useRef({ isHovered: false, scroller: null as HTMLElement | null })
  const isOpen = useCallback(() => {
    const { isHovered, scroller } = gate.current
    // Beyond the top edge of the window the page itself was scrolled: on a phone the cards scroll with it.
    const frameTop = frame.current?.getBoundingClientRect().top ?? 0
    return !isHovered && (scroller?.scrollTop ?? 0) <= 2 && frameTop >= 0
  }, [])
  return {
    isOpen,
    /** Brings the beginning of the list back into sight. */
    toTop: () => {
      gate.current.scroller?.scrollTo({ top: 0 })
      if ((frame.current?.getBoundingClientRect().top ?? 0) < 0) window.scrollTo({ top: 0 })
    },
    /** For the element round the list; `onOpen` is called when rows may move again. */
    propsFor: (onOpen: () => void) => ({
      ref: frame,
      onPointerEnter: ({ pointerType }: PointerEvent) => {
        gate.current.isHovered = pointerType === 'mouse'
      },
      onPointerLeave: () => {
        gate.current.isHovered = false
        if (isOpen()) onOpen()
      },
      // Scrolling does not bubble; the table scrolls inside its card.
      onScrollCapture: ({ target }: UIEvent) => {
        if (target instanceof HTMLElement) gate.current.scroller = target
        if (isOpen()) onOpen()
      },
    }),
  }
}

/** Calls `onOpen` when the page was scrolled back to where rows may move: on a phone the window itself scrolls. */
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
