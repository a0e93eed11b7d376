import { useRef, type RefObject } from 'react'
import { useUnsaved } from './unsaved.ts'

interface ShownOnce<Box extends Element> {
  /** The element that shows it. */
  readonly box: RefObject<Box | null>
  /** To be called when the person has saved it. */
  readonly onSaved: () => void
}

/** For what is shown only once: until it is saved, leaving it asks. */
export function useShownOnce<Box extends Element>(): ShownOnce<Box> {
  const box = useRef<Box>(null)
  const isSaved = useRef(false)
  useUnsaved({ place: 'page', element: box, isUnsaved: () => !isSaved.current, isSecret: true })
  return { box, onSaved: () => void (isSaved.current = true) }
}
