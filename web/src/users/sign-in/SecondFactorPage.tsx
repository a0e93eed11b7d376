import type { ReactNode } from 'react'
import { reauthentication, useIsWaiting } from '../../api/waiting-calls.ts'
import { useUser } from '../../api/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { EntryFrame } from './EntryFrame.tsx'
import { ReauthenticateDialog } from './ReauthenticateDialog.tsx'
import { useLogout } from './use-logout.ts'
import { useTitle } from '../../ui/use-title.ts'
import { t } from '../../language/t.ts'

/** For staff who must have a second factor and have none. Nothing else opens before they have set one up. */
export function SecondFactorPage({ children }: { children: ReactNode }) {
  useTitle(t('Set up a second factor'))
  const { username } = useUser()
  const { logOut, isBusy } = useLogout()
  const mustReauthenticate = useIsWaiting(reauthentication)
  return (
    <EntryFrame
      title={t('Set up a second factor')}
      text={t(
        'You are signed in as {username}. Your role needs more than a password; everything else opens once you have set it up.',
        { username },
      )}
    >
      {children}
      <Button type="button" tone="ghost" size="lg" isBusy={isBusy} onClick={logOut} className="mt-3 w-full">
        {t('Logout')}
      </Button>
      {mustReauthenticate && <ReauthenticateDialog />}
    </EntryFrame>
  )
}
