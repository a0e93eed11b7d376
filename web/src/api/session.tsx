// Who is signed in. Spec §4: a 401 from the user endpoint means nobody, and is not an error.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { usersRoutes, type SignedInUser } from '@tollgate/contract/users.ts'
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import { createContext, use, useMemo, type ReactNode } from 'react'
import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { keyOf } from './use-api.ts'

export interface Session {
  /** undefined when nobody is signed in, or while that is not known yet. */
  readonly user: SignedInUser | undefined
  readonly isLoading: boolean
  /** Set when the session could not be read at all. */
  readonly error: Error | null
  readonly retry: () => void
  readonly may: (permission: Permission) => boolean
  /** Makes the answer of login or register the current user. */
  readonly setUser: (user: SignedInUser) => void
  /** Ends the session in this tab in any case. Throws afterwards when the call has failed. */
  readonly logOut: () => Promise<void>
}

const SessionContext = createContext<Session | undefined>(undefined)
const userKey = keyOf(usersRoutes.currentUser)

async function readUser(): Promise<SignedInUser | null> {
  try {
    return await call(usersRoutes.currentUser)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { data, error, isPending, refetch } = useQuery({ queryKey: userKey, queryFn: readUser })
  const user = data ?? undefined
  const session = useMemo<Session>(
    () => ({
      user,
      isLoading: isPending,
      error,
      retry: () => void refetch(),
      may: (permission) => user !== undefined && isPermitted(user.role, permission),
      // What one person fetched must never show to the next one, so the whole cache is cleared.
      setUser: (next) => {
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== userKey[0] })
        client.setQueryData(userKey, next)
      },
      logOut: async () => {
        try {
          await call(usersRoutes.logout)
        } finally {
          await client.cancelQueries()
          client.setQueryData(userKey, null)
          client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== userKey[0] })
        }
      },
    }),
    [client, user, error, isPending, refetch],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The session. Throws outside its provider (Spec §8). */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession must be used within a SessionProvider')
  return session
}

/** The signed-in person, for pages behind RequireLogin. Throws when nobody is signed in. */
export function useUser(): SignedInUser {
  const { user } = useSession()
  if (!user) throw new Error('useUser must be used on a page that requires a signed-in user')
  return user
}
