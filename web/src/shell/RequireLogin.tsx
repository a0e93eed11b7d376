import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, type ReactNode } from 'react'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { useSession } from '../api/session.tsx'
import { paths } from '../paths.ts'
import { ErrorState, Spinner } from '../ui/States.tsx'
import { t } from '../language/t.ts'

interface RequireLoginProps {
  readonly signIn: ReactNode
  /** Shown instead of everything else while the password must be changed. */
  readonly newPassword: ReactNode
  /** Shown instead of everything else while the role needs a second factor that is missing. */
  readonly secondFactor: ReactNode
  readonly children: ReactNode
}

/**
 * Lets only signed-in people through. Spec §2: a spinner while the session loads; without a session / is the sign-in
 * page.
 */
export function RequireLogin({ signIn, newPassword, secondFactor, children }: RequireLoginProps) {
  const { user, isLoading, error, retry } = useSession()
  const { pathname } = useLocation()
  if (isLoading) return <SessionSpinner />
  if (error && !user)
    return (
      <main className="grid min-h-dvh place-items-center">
        <h1 className="sr-only">{t('Tollgate')}</h1>
        <ErrorState
          title={t('The session could not be read')}
          reason={messageOf(error)}
          requestId={requestIdOf(error)}
          onRetry={retry}
        />
      </main>
    )
  if (user?.restriction === 'password_change') return newPassword
  if (user?.restriction === 'second_factor') return secondFactor
  if (user) return children
  if (pathname === paths.home) return signIn
  return <ToSignIn />
}

/** Spec §2: while the session is loading. */
export function SessionSpinner() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <Spinner label={t('Loading your session')} />
    </main>
  )
}

/** Goes to /auth once, and remembers the requested address. */
function ToSignIn() {
  const router = useRouter()
  useEffect(() => {
    const { pathname, href } = router.latestLocation
    // Already there: after a logout there is nothing to return to.
    if (pathname === paths.auth) return
    void router.navigate({ to: paths.auth, search: { next: href } as never, replace: true })
  }, [router])
  return <SessionSpinner />
}
