import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { useSession, useUser } from '../../api/session.tsx'
import { signInAgain } from '../../api/waiting-calls.ts'
import { paths } from '../../paths.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { LeaveQuestion } from '../../ui/LeaveQuestion.tsx'
import { hasUnsaved } from '../../ui/unsaved.ts'
import { SignInForm } from './SignInForm.tsx'
import { t } from '../../language/t.ts'

/** Over the page when the session has ended. The page keeps what was typed, and the waiting calls continue by themselves. */
export function SignInAgainDialog() {
  const { id, username } = useUser()
  const { setUser, leave } = useSession()
  const [isAsking, setAsking] = useState(false)
  // What was typed below goes with the page.
  const close = () => (hasUnsaved('page') || hasUnsaved('dialog') ? setAsking(true) : leave())
  const enter = (answer: SignedInUser) => {
    setUser(answer)
    // The page was somebody else's.
    if (answer.id !== id) return window.location.assign(paths.home)
    signInAgain.settle(true)
  }
  return (
    <Dialog
      isOpen
      onClose={close}
      closeLabel={t('Leave this page')}
      isLeftByButtonOnly
      title={t('Sign in again')}
      description={t(
        'Your session has ended. This page stays as it is, and what you began goes on afterwards.',
      )}
    >
      <SignInForm username={username} onDone={enter} />
      {isAsking && <LeaveQuestion onStay={() => setAsking(false)} onLeave={leave} />}
    </Dialog>
  )
}
