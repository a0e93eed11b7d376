// The API keys of another account, for staff. Apart from the other routes of accounts, which the first page loads.
import { z } from 'zod'
import { okSchema, userIdParams, userIdSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { apiKeySchema } from './users.ts'

export const userKeysRoutes = routes({
  listUserKeys: {
    method: 'GET',
    path: '/api/users/{id}/keys',
    summary: 'The API keys of an account; an admin’s are for admins alone.',
    access: 'userManagement',
    params: userIdParams,
    response: z.array(apiKeySchema),
  },
  withdrawUserKey: {
    method: 'DELETE',
    path: '/api/users/{id}/keys/{keyId}',
    summary: 'Withdraw an API key of an account.',
    access: 'userManagement',
    params: z.object({ id: userIdSchema, keyId: z.string().max(40) }),
    response: okSchema,
  },
})
