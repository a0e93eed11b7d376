import { sessionsRoutes } from '@tollgate/contract/users/sessions.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { endSession, endSessions, listSessions, type LoginSessionParts } from './end-sessions.ts'

export function bindSessionsRoutes(parts: LoginSessionParts): BoundRoutes {
  return bindRoutes(sessionsRoutes, {
    listSessions: (_, { actor }) => listSessions(parts, actor.userId, actor),
    endOtherSessions: async (_, call) => ({ ended: await endSessions(parts, call.actor.userId, call) }),
    endSession: ({ params }, call) => endSession(parts, call.actor.userId, params.id, call),
    listUserSessions: ({ params }, { actor }) => listSessions(parts, params.id, actor),
    endUserSessions: async ({ params }, call) => ({ ended: await endSessions(parts, params.id, call) }),
    endUserSession: ({ params }, call) => endSession(parts, params.id, params.sessionId, call),
  })
}
