// What the screens of people read and change.
import { useQueryClient } from '@tanstack/react-query'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { usersRoutes, type User } from '@tollgate/contract/users.ts'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { useAct } from '../api/use-call.ts'

/** The lists in which an account shows. */
export const userPaths = ['/api/users', '/api/admin/users', '/api/user'] as const

interface Pages {
  readonly pages: readonly { readonly rows: readonly User[] }[]
}

/** Changes one row on screen before the server has answered; gives the way back. */
function usePatchUser() {
  const client = useQueryClient()
  return (id: number, patch: Partial<User>): (() => void) => {
    const filter = {
      predicate: ({ queryKey }: { queryKey: readonly unknown[] }) =>
        queryKey[0] === usersRoutes.listUsers.path && queryKey.at(-1) === 'pages',
    }
    const before = client.getQueriesData<Pages>(filter)
    client.setQueriesData<Pages>(
      filter,
      (kept) =>
        kept && {
          ...kept,
          pages: kept.pages.map((page) => ({
            ...page,
            rows: page.rows.map((row) => (row.id === id ? { ...row, ...patch } : row)),
          })),
        },
    )
    return () => {
      for (const [key, kept] of before) client.setQueryData(key, kept)
    }
  }
}

function useSwitch<R extends Route>(route: R, success: string, failure: string) {
  const patchUser = usePatchUser()
  const act = useAct(route, { refetch: userPaths, success, failure })
  return (user: User, patch: Partial<User>) => {
    const undo = patchUser(user.id, patch)
    act.mutate({ params: { id: user.id }, body: patch } as RouteCall<R>, { onError: undo })
  }
}

/** The row's own switches: shown at once, taken back when the server says no. Spec §8 for the words. */
export function useAccountSwitches() {
  const status = useSwitch(
    usersRoutes.setUserStatus,
    'User status updated successfully',
    'Failed to update user',
  )
  const role = useSwitch(usersRoutes.setUserRole, 'User role updated successfully', 'Failed to update user')
  const access = useSwitch(
    usersRoutes.setSmppAccess,
    'SMPP access updated successfully',
    'Failed to update user',
  )
  return {
    setStatus: (user: User, next: AccountStatus) => status(user, { status: next }),
    setRole: (user: User, next: Role) => role(user, { role: next }),
    setAccess: (user: User, next: boolean) => access(user, { smppAccess: next }),
  }
}
