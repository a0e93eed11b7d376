import type { ReactNode } from 'react'
import { reauthentication, useIsAsked } from '../../api/waiting-calls.ts'
import { useUser } from '../../api/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { EntryFrame } from './EntryFrame.tsx'
import { ReauthenticateDialog } from './ReauthenticateDialog.tsx'
import { useLogout } from './use-logout.ts'
import { useTitle } from '../../ui/use-title.ts'

/** For staff who must have a second factor and have none. Nothing else opens before they have set one up. */
export function SecondFactorPage({ children }: { children: ReactNode }) {
  useTitle('Set up a second factor')
  const { username } = useUser()
  const { logOut, isBusy } = useLogout()
  const isAsked = useIsAsked(reauthentication)
  return (
    <EntryFrame
      title="Set up a second factor"
      text={`You are signed in as ${username}. Your role needs more than a password; everything else opens once you have set it up.`}
    >
      {children}
      <Button type="button" tone="ghost" size="lg" isBusy={isBusy} onClick={logOut} className="mt-3 w-full">
        Logout
      </Button>
      {isAsked && <ReauthenticateDialog />}
    </EntryFrame>
  )
}
