import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { useEffect } from 'react'
import { useUser } from '../api/session.tsx'
import { useShellRows } from './shell-context.ts'

/** Runs `act` when the browser is idle. Safari has no idle callback; there it runs a moment later. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act)
  else setTimeout(act, 50)
}

/** Loads the scripts of the pages that this person may see, one after the other, so that each opens at once. */
export function usePagePreload(): void {
  const { role } = useUser()
  const { pages } = useShellRows()
  useEffect(() => {
    const waiting = pages.filter((page) => isPermitted(role, page.permission))
    let isOver = false
    const fetchNext = () => {
      const page = isOver ? undefined : waiting.shift()
      if (page) void page.component.preload().then(() => whenIdle(fetchNext))
    }
    whenIdle(fetchNext)
    return () => {
      isOver = true
    }
  }, [role, pages])
}
