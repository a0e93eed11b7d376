import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import { usersRoutes } from '@tollgate/contract/users/users.ts'

/** The paths that a change of the viewer's own factors affects. */
export const factorPaths = [secondFactorRoutes.getSecondFactor.path, usersRoutes.currentUser.path] as const
