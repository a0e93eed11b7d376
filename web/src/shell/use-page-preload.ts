import { useEffect } from 'react'
import { useUser } from '../api/session.tsx'
import { mayOpen } from './console-page.ts'
import { useShellRows } from './shell-context.ts'

/** Runs `act` when the browser is idle. Safari has no idle callback; there it runs a moment later. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act)
  else setTimeout(act, 50)
}

// What a person does first. Whoever only looks at a screen, or opens one in the background, loads that screen alone.
const firstActs = ['pointermove', 'pointerdown', 'keydown', 'scroll'] as const

/**
 * From the first act on a page on, loads the scripts of the pages that this person may see, one after the other, so that
 * each opens at once.
 */
export function usePagePreload(): void {
  const { role, smppAccess } = useUser()
  const { pages } = useShellRows()
  useEffect(() => {
    const waiting = pages.filter((page) => mayOpen({ role, smppAccess }, page))
    const over = new AbortController()
    const fetchNext = () => {
      const page = over.signal.aborted ? undefined : waiting.shift()
      if (page) void page.component.preload().then(() => whenIdle(fetchNext))
    }
    const begun = new AbortController()
    const begin = () => {
      begun.abort()
      whenIdle(fetchNext)
    }
    for (const act of firstActs)
      window.addEventListener(act, begin, {
        capture: true,
        passive: true,
        signal: AbortSignal.any([begun.signal, over.signal]),
      })
    return () => over.abort()
  }, [role, smppAccess, pages])
}
