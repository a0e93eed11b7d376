// Puts the links together: routes on every node, a keeper where this node holds links.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import type { BoundRoutes } from '../../platform/http/handlers.ts'
import { createLeases, giveBackDead, type Leases } from '../../platform/leases.ts'
import { isGone, nameOwner } from '../../platform/process-owner.ts'
import type { By, ConnectionsDeps } from './deps.ts'
import { LinkKeeper } from './keep-links.ts'
import { bindConnectionsRoutes } from './routes.ts'
import { restartAll } from './service.ts'
import { viewConnections } from './views.ts'

export interface Connections {
  readonly routes: BoundRoutes[]
  /** Has every wanted link connect anew; gives how many. */
  restartAll(by: By): Promise<number>
  /** All links with their live state, for the status. */
  outboundLinks(): Promise<SmppStatus['outbound']['connections']>
  /** Takes up the links that are wanted. Rejects when the database is away. */
  start(): Promise<void>
  /** Unbinds; within 8 s. Stop it before ingest, which still has to answer. */
  stop(): Promise<void>
}

/** Builds the part of the slice that holds links to outside gateways. */
export function createConnections(deps: ConnectionsDeps): Connections {
  const { db, log } = deps
  let running: { readonly keeper: LinkKeeper; readonly leases: Leases } | undefined
  return {
    routes: [bindConnectionsRoutes(deps, () => running?.keeper.lookSoon())],
    async restartAll(by) {
      const count = await restartAll(deps, by)
      running?.keeper.lookSoon()
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
      // What a killed process of this machine held need not run out first.
      await giveBackDead(db, isGone)
      const leases = createLeases(db, nameOwner(), log)
      running = { leases, keeper: new LinkKeeper(deps, leases) }
      running.keeper.start()
    },
    async stop() {
      const stopped = running
      running = undefined
      await stopped?.keeper.stop()
      await stopped?.leases
        .stop()
        .catch((error: unknown) => log.warn({ err: error }, 'Leases could not be given back'))
    },
  }
}
