import { useEffect } from 'react'
import { useUser } from '../api/session.tsx'
import { mayOpen } from './console-page.ts'
import { useShellRows } from './shell-context.ts'

/** Runs `act` when the browser is idle. Safari has no idle callback; there it runs a moment later. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act)
  else setTimeout(act, 50)
}

/** Loads the scripts of the pages that this person may see, one after the other, so that each opens at once. */
export function usePagePreload(): void {
  const { role, smppAccess } = useUser()
  const { pages } = useShellRows()
  useEffect(() => {
    const waiting = pages.filter((page) => mayOpen({ role, smppAccess }, page))
    let isOver = false
    const fetchNext = () => {
      const page = isOver ? undefined : waiting.shift()
      if (page) void page.component.preload().then(() => whenIdle(fetchNext))
    }
    whenIdle(fetchNext)
    return () => {
      isOver = true
    }
  }, [role, smppAccess, pages])
}
