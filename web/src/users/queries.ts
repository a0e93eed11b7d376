// What the screens of users read and change.
import type { BulkChange } from '@tollgate/contract/numbers/bulk-changes.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { useOfferUndo, withLeftOut } from '../api/matching.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { usePatchRow } from '../api/patch-row.ts'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

/** The lists in which an account shows. */
export const userPaths = ['/api/users', '/api/admin/users', '/api/user'] as const

function useSwitch<R extends Route>(route: R, success: string, failure: string) {
  const patchUser = usePatchRow(usersRoutes.listUsers)
  const act = useApiMutation(route, { refetch: userPaths, success, failure })
  return (user: User, patch: Partial<User>) => {
    const undo = patchUser(user.id, patch)
    act.mutate({ params: { id: user.id }, body: patch } as RouteCall<R>, { onError: undo })
  }
}

/** 'User status updated successfully', or of how many. */
export function updatedUsers(count: number): string {
  return counted(count, 'User status updated successfully', '{count} users updated successfully')
}

/** Sets the status of several accounts in one call. Shown at once, and undone if the server refuses. */
export function useSetUserStatuses() {
  const patchUser = usePatchRow(usersRoutes.listUsers)
  const offerUndo = useOfferUndo('users')
  const { mutate, isPending } = useApiMutation(usersRoutes.bulkSetUserStatus, {
    refetch: userPaths,
    failure: t('Failed to update user'),
    onSuccess: ({ changed, changeId }, leftOut: BulkChange['leftOut']) =>
      showToast({
        title: t('Success'),
        text: withLeftOut(updatedUsers(changed), leftOut),
        ...offerUndo(changeId),
      }),
  })
  return {
    isPending,
    set: (users: readonly User[], status: AccountStatus, leftOut: BulkChange['leftOut']) => {
      const undos = users.map(({ id }) => patchUser(id, { status }))
      const body = { ids: users.map(({ id }) => id), status }
      mutate({ body, context: leftOut }, { onError: () => undos.toReversed().forEach((undo) => undo()) })
    },
  }
}

/** The switches of a row. Shown at once, and undone if the server refuses. Toasts of Spec §8. */
export function useAccountSwitches() {
  const status = useSwitch(
    usersRoutes.setUserStatus,
    t('User status updated successfully'),
    t('Failed to update user'),
  )
  const role = useSwitch(
    usersRoutes.setUserRole,
    t('User role updated successfully'),
    t('Failed to update user'),
  )
  const access = useSwitch(
    usersRoutes.setSmppAccess,
    t('SMPP access updated successfully'),
    t('Failed to update user'),
  )
  return {
    setStatus: (user: User, next: AccountStatus) => status(user, { status: next }),
    setRole: (user: User, next: Role) => role(user, { role: next }),
    setAccess: (user: User, next: boolean) => access(user, { smppAccess: next }),
  }
}
