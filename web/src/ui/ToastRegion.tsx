import { useEffect, useState, useSyncExternalStore, type ComponentType } from 'react'
import { currentToast, subscribeToasts } from './toasts.ts'

/** The region of the toasts, loaded once the first screen is drawn. If that fails, the next toast loads it again. */
export function ToastRegion() {
  const toast = useSyncExternalStore(subscribeToasts, currentToast)
  const [Region, setRegion] = useState<ComponentType>()
  const isHere = Region !== undefined
  useEffect(() => {
    if (isHere) return
    import('./Toasts.tsx').then(
      ({ Toasts }) => setRegion(() => Toasts),
      () => undefined,
    )
  }, [isHere, toast?.id])
  return Region && <Region />
}
