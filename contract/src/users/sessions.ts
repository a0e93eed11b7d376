// Where somebody is signed in: listed, and signed out one by one or all. OWASP ASVS 5.0, 7.4.5 and 7.5.2.
import { z } from 'zod'
import { okSchema, userIdParams, userIdSchema } from '../fields.ts'
import { routes } from '../route.ts'

const sessionSchema = z.object({
  id: z.string(),
  /** Browser and system in plain words, such as `Firefox on Linux`; for a program the beginning of its User-Agent. */
  device: z.string(),
  /** Where its latest call came from. */
  address: z.string(),
  createdAt: z.string(),
  /** Exact to a minute. */
  lastSeenAt: z.string(),
  /** Whether this very call came from it. */
  isCurrent: z.boolean(),
  /** Failed sign-ins between the sign-in before this one and this one; null for none. */
  failuresBefore: z.object({ count: z.int(), lastAt: z.string(), lastAddress: z.string() }).nullable(),
})
export type LoginSession = z.infer<typeof sessionSchema>

const sessionId = z.string().regex(/^[0-9a-f]{32}$/, 'Unknown id')
const endedSchema = z.object({ ended: z.int() })

export const sessionsRoutes = routes({
  listSessions: {
    method: 'GET',
    path: '/api/user/sessions',
    summary: 'Where one is signed in, the latest first.',
    access: 'signedIn',
    response: z.array(sessionSchema),
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/user/sessions',
    summary: 'Sign out everywhere else.',
    access: 'signedIn',
    response: endedSchema,
  },
  endSession: {
    method: 'DELETE',
    path: '/api/user/sessions/{id}',
    summary: 'Sign out one of one’s own sessions; its open streams end within 5 s.',
    access: 'signedIn',
    params: z.object({ id: sessionId }),
    response: okSchema,
  },
  listUserSessions: {
    method: 'GET',
    path: '/api/users/{id}/sessions',
    summary: 'Where an account is signed in; an admin’s are for admins alone.',
    access: 'userManagement',
    params: userIdParams,
    response: z.array(sessionSchema),
  },
  endUserSessions: {
    method: 'DELETE',
    path: '/api/users/{id}/sessions',
    summary: 'Sign an account out everywhere; of one’s own, everywhere else.',
    access: 'userManagement',
    fresh: 'hour',
    params: userIdParams,
    response: endedSchema,
  },
  endUserSession: {
    method: 'DELETE',
    path: '/api/users/{id}/sessions/{sessionId}',
    summary: 'Sign out one session of an account.',
    access: 'userManagement',
    fresh: 'hour',
    params: z.object({ id: userIdSchema, sessionId }),
    response: okSchema,
  },
})
