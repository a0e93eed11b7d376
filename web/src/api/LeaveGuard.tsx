import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { lazyComponent } from '../ui/lazy-component.ts'
import { hasUnsaved, useHasForms } from '../ui/unsaved.ts'

const LeaveQuestion = lazyComponent(() => import('../ui/LeaveQuestion.tsx'), 'LeaveQuestion')

interface Place {
  readonly pathname: string
  readonly search: string
}

interface Leave {
  readonly currentLocation: Place
  readonly nextLocation: Place
  readonly action: string
}

const tabOf = ({ search }: Place) => new URLSearchParams(search).get('tab')

/** Another page or tab drops the forms of this one; a filter or an opened row does not. */
const isLeft = ({ currentLocation: from, nextLocation: to }: Leave): boolean =>
  from.pathname !== to.pathname || tabOf(from) !== tabOf(to)

function loses(leave: Leave): boolean {
  const isStep = leave.action === 'PUSH' || leave.action === 'REPLACE'
  return (isLeft(leave) && hasUnsaved('page')) || (!isStep && hasUnsaved('dialog'))
}

/**
 * Whether leaving still loses something one turn of the event loop later. A form that was just saved may lead to
 * another page; by then it is gone or empty.
 */
async function losesStill(leave: Leave): Promise<boolean> {
  if (!loses(leave)) return false
  await new Promise((resolve) => setTimeout(resolve))
  return loses(leave)
}

const isUnsaved = () => hasUnsaved('page') || hasUnsaved('dialog')

/** Asks before Back, a link or the end of the tab drops what was typed. */
export function LeaveGuard() {
  const { history } = useRouter()
  const hasForms = useHasForms()
  // Set while the question is shown: the function that takes the answer, whether to stay.
  const [answer, setAnswer] = useState<(isStaying: boolean) => void>()
  useEffect(() => {
    if (!hasForms) return undefined
    // Loaded ahead, because the network may be gone when the question is asked.
    void LeaveQuestion.preload()
    return history.block({
      enableBeforeUnload: isUnsaved,
      async blockerFn(leave: Leave) {
        if (!(await losesStill(leave))) return false
        const isStaying = await new Promise<boolean>((resolve) => setAnswer(() => resolve))
        setAnswer(undefined)
        return isStaying
      },
    })
  }, [history, hasForms])
  return answer && <LeaveQuestion onStay={() => answer(true)} onLeave={() => answer(false)} />
}
