import type { SignedInUser } from '@tollgate/contract/users.ts'
import { useSession, useUser } from '../../api/session.tsx'
import { signInAgain } from '../../api/waiting-calls.ts'
import { paths } from '../../paths.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { SignInForm } from './SignInForm.tsx'
import { t } from '../../language/t.ts'

/** Over the page when the session has ended. The page keeps what was typed, and the waiting calls continue by themselves. */
export function SignInAgainDialog() {
  const { id, username } = useUser()
  const { setUser, leave } = useSession()
  const enter = (answer: SignedInUser) => {
    setUser(answer)
    // The page was somebody else's.
    if (answer.id !== id) return window.location.assign(paths.home)
    signInAgain.settle(true)
  }
  return (
    <Dialog
      isOpen
      onClose={leave}
      title={t('Sign in again')}
      description={t(
        'Your session has ended. This page stays as it is, and what you began goes on afterwards.',
      )}
    >
      <SignInForm username={username} onDone={enter} />
    </Dialog>
  )
}
