import { useCallback, useSyncExternalStore } from 'react'

/** Below this width rows become cards and dialogs become sheets: on phones, and at 200 % on a laptop. Visual language §14. */
export const phoneQuery = '(width < 48rem)'
/** From this width the drawer stands beside the table. Visual language §8. */
export const dockedQuery = '(width >= 80rem)'
/** Where a list of ten columns has room beside a drawer. */
export const widelyDockedQuery = '(width >= 110rem)'

/** Whether a media query matches, live. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}
