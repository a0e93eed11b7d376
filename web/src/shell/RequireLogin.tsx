import { Navigate, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { reasonOf, requestIdOf } from '../api/api-error.ts'
import { useSession } from '../api/session.tsx'
import { paths } from '../paths.ts'
import { ErrorState, Spinner } from '../ui/States.tsx'
import { SignInPage } from './SignInPage.tsx'

/** Lets only signed-in people through. Spec §2: a spinner while the session loads; signed out, / is the sign-in page. */
export function RequireLogin({ children }: { children: ReactNode }) {
  const { user, isLoading, error, retry } = useSession()
  const { pathname, href } = useLocation()
  if (isLoading)
    return (
      <main className="grid min-h-dvh place-items-center">
        <Spinner label="Loading your session" />
      </main>
    )
  if (error && !user)
    return (
      <main className="grid min-h-dvh place-items-center">
        <h1 className="sr-only">Tollgate</h1>
        <ErrorState
          title="The session could not be read"
          reason={reasonOf(error)}
          requestId={requestIdOf(error)}
          onRetry={retry}
        />
      </main>
    )
  if (user) return children
  if (pathname === paths.home) return <SignInPage />
  return <Navigate to={paths.auth} search={{ next: href } as never} replace />
}
