// Who is signed in. Spec §4: a 401 from the user endpoint means nobody, and is not an error.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { usersRoutes, type SignedInUser } from '@tollgate/contract/users/users.ts'
import { isPermitted, type Permission } from '@tollgate/contract/vocabulary.ts'
import { createContext, use, useEffect, useEffectEvent, useMemo, useRef, type ReactNode } from 'react'
import { ApiError } from './api-error.ts'
import { call } from './call.ts'
import { sessionEvents } from './session-events.ts'
import { keyOf } from './use-api.ts'
import { resetFeed } from './use-feed.ts'
import { signInAgain } from './waiting-calls.ts'

export interface ConsoleSession {
  /** undefined when nobody is signed in, or while that is not known yet. */
  readonly user: SignedInUser | undefined
  readonly isLoading: boolean
  /** Set when the session could not be read at all. */
  readonly error: Error | null
  readonly retry: () => void
  readonly may: (permission: Permission) => boolean
  /** Makes the answer of login or register the current user, here and in the browser's other tabs. */
  readonly setUser: (user: SignedInUser) => void
  /** Ends the session in all tabs of the browser in any case. Throws afterwards when the call has failed. */
  readonly logOut: () => Promise<void>
  /** Leaves a session that the server has ended already. */
  readonly leave: () => void
}

/** The message of one tab to the others. */
type TabMessage = { readonly kind: 'signed-in'; readonly userId: number } | { readonly kind: 'signed-out' }

const SessionContext = createContext<ConsoleSession | undefined>(undefined)
const userKey = keyOf(usersRoutes.currentUser)

async function readUser(): Promise<SignedInUser | null> {
  try {
    return await call(usersRoutes.currentUser, {}, undefined, { asksNobody: true })
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const { data, error, isPending, refetch } = useQuery({ queryKey: userKey, queryFn: readUser })
  const user = data ?? undefined
  const otherTabs = useRef<BroadcastChannel>(null)
  const session = useMemo<ConsoleSession>(() => {
    // What one person fetched must never show to the next one, so everything but the person is removed.
    const become = (next: SignedInUser | null) => {
      if (client.getQueryData<SignedInUser | null>(userKey)?.id !== next?.id) {
        client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== userKey[0] })
        resetFeed()
      }
      client.setQueryData(userKey, next)
    }
    return {
      user,
      isLoading: isPending,
      error,
      retry: () => void refetch(),
      may: (permission) => user !== undefined && isPermitted(user.role, permission),
      setUser: (next) => {
        become(next)
        otherTabs.current?.postMessage({ kind: 'signed-in', userId: next.id } satisfies TabMessage)
      },
      logOut: async () => {
        try {
          await call(usersRoutes.logout)
        } finally {
          await client.cancelQueries()
          become(null)
          otherTabs.current?.postMessage({ kind: 'signed-out' } satisfies TabMessage)
        }
      },
      leave: () => {
        void client.cancelQueries()
        become(null)
      },
    }
  }, [client, user, error, isPending, refetch])

  const heedTab = useEffectEvent((message: TabMessage) => {
    if (message.kind === 'signed-out') return session.leave()
    // The cookie is somebody else's now. A page that belongs to nobody can be read anew without harm.
    if (user !== undefined && user.id !== message.userId) return window.location.reload()
    void refetch()
    signInAgain.settle(true)
  })
  useEffect(() => {
    const channel = new BroadcastChannel('tollgate-session')
    channel.addEventListener('message', ({ data: message }) => heedTab(message as TabMessage))
    otherTabs.current = channel
    return () => channel.close()
  }, [])

  const readAgain = useEffectEvent(() => void refetch({ cancelRefetch: false }))
  // The feed was refused: asks the person to sign in again if that is why.
  const askServer = useEffectEvent(() => void call(usersRoutes.currentUser).catch(() => undefined))
  useEffect(() => {
    const onForbidden = () => readAgain()
    const onDoubt = () => askServer()
    sessionEvents.addEventListener('forbidden', onForbidden)
    sessionEvents.addEventListener('doubt', onDoubt)
    return () => {
      sessionEvents.removeEventListener('forbidden', onForbidden)
      sessionEvents.removeEventListener('doubt', onDoubt)
    }
  }, [])
  return <SessionContext value={session}>{children}</SessionContext>
}

/** The session. Throws outside its provider (Spec §8). */
export function useSession(): ConsoleSession {
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
