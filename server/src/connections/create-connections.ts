// Builds the connections to upstreams: routes on every node, and links on nodes that may own some.
import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import type { BoundRoutes, Caller } from '../http/handlers.ts'
import type { ConnectionsDeps } from './deps.ts'
import { LostAnswers } from '../gateway/index.ts'
import { keepLinks } from './keep-links.ts'
import { bindConnectionsRoutes } from './routes.ts'
import { restartAll } from './service.ts'
import { viewConnections } from './views.ts'

export interface Connections {
  readonly routes: BoundRoutes[]
  /** Makes every wanted link reconnect; returns how many. */
  restartAll(caller: Caller): Promise<number>
  /** All links with their live state, for the status. */
  outboundLinks(): Promise<SmppStatus['outbound']['connections']>
  /** Begins to own links. Rejects when the database does not answer. */
  start(): Promise<void>
  /** Unbinds all links within 8 s. Stop it before ingest, which still has to answer messages. */
  stop(): Promise<void>
}

/** Builds the connections; nothing runs before `start`. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const { db } = deps
  const lost = new LostAnswers(deps)
  const reconciler = keepLinks(deps, lost)
  return {
    routes: [bindConnectionsRoutes(deps, () => reconciler.runSoon())],
    async restartAll(caller) {
      const count = await restartAll(deps, caller)
      reconciler.runSoon()
      return count
    },
    outboundLinks: async () =>
      (await viewConnections(db)).map((view) => ({
        id: String(view.id),
        name: view.name,
        status: view.status,
        errorCode: view.lastErrorCode,
        errorText: view.lastError,
        attempts: view.attempts,
        lastAttempt: view.lastAttemptAt?.toISOString() ?? null,
      })),
    async start() {
      if (!deps.holdsLinks) return
      lost.start()
      await reconciler.start()
    },
    async stop() {
      await reconciler.stop()
      await lost.stop()
    },
  }
}
