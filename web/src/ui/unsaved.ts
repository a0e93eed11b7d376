// What was typed, or is shown only once, and is not saved yet. Forms tell of it; the shell asks before a page is left that
// has any, and a dialog before it closes.
import { useEffect, useEffectEvent, useSyncExternalStore, type RefObject } from 'react'

interface Unsaved {
  /** Where the form is. Links below a dialog cannot be followed, so only Back leaves a dialog. */
  readonly place: 'page' | 'dialog'
  readonly element: RefObject<Element | null>
  readonly isUnsaved: () => boolean
  /** What would be lost is a secret that is shown once, not what was typed. */
  readonly isSecret?: boolean
}

const forms = new Set<Unsaved>()
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const notify = () => {
  for (const listener of listeners) listener()
}

/** Says for a form, as long as it is shown, whether leaving it loses something. */
export function useUnsaved({ place, element, isUnsaved, isSecret = false }: Unsaved): void {
  const ask = useEffectEvent(isUnsaved)
  useEffect(() => {
    const form: Unsaved = { place, element, isUnsaved: () => ask(), isSecret }
    forms.add(form)
    notify()
    return () => {
      forms.delete(form)
      notify()
    }
  }, [place, element, isSecret])
}

/** Whether any form is shown. */
export const useHasForms = (): boolean => useSyncExternalStore(subscribe, () => forms.size > 0)

/** Whether something at this place is not saved yet. */
export const hasUnsaved = (place: Unsaved['place']): boolean =>
  [...forms].some((form) => form.place === place && form.isUnsaved())

/** As {@link hasUnsaved}, for the forms within an element. */
export const hasUnsavedWithin = (container: Element | null): boolean =>
  [...forms].some(
    ({ place, element, isUnsaved }) =>
      place === 'page' && container?.contains(element.current) === true && isUnsaved(),
  )

/** Whether a secret within an element is not copied yet. */
export const hasSecretWithin = (container: Element | null): boolean =>
  [...forms].some(
    ({ element, isUnsaved, isSecret }) =>
      isSecret === true && container?.contains(element.current) === true && isUnsaved(),
  )
