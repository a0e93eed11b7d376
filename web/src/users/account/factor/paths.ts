import { secondFactorRoutes } from '@tollgate/contract/second-factor.ts'
import { usersRoutes } from '@tollgate/contract/users.ts'

/** What a change of one's own factors changes: the list of them, and what is known of the person. */
export const factorPaths = [secondFactorRoutes.getSecondFactor.path, usersRoutes.currentUser.path] as const
