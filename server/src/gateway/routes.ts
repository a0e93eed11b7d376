import { Refusal } from '@tollgate/contract/errors.ts'
import { gatewayRoutes } from '@tollgate/contract/gateway/gateway.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { shareFor } from '../platform/load/share-for.ts'
import { transaction } from '../platform/transaction.ts'
import { throughputReader } from '../records/index.ts'
import { markKicked } from './binds/store.ts'
import { clusterView, liveBinds, ownView } from './binds/views.ts'
import { probeServer } from './probe-server.ts'
import { recentRefusals } from './refusal-views.ts'
import { readStatus, type StatusDeps } from './status.ts'

interface GatewayRouteDeps extends Omit<StatusDeps, 'cluster' | 'own'> {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  /** Where this node listens; undefined when it does not. */
  listening(): { readonly host: string; readonly port: number } | undefined
  /** Makes this node carry out a disconnect order at once; other nodes see it within two seconds. */
  checkBindsSoon(): void
}

// Many screens poll these; the database is queried once a second at most.
const sharedForMs = 1_000

export function bindGatewayRoutes(deps: GatewayRouteDeps): BoundRoutes {
  const { db, audit } = deps
  const cluster = shareFor(sharedForMs, () => clusterView(db))
  const own = (userId: number) => ownView(db, userId)
  const throughput = shareFor(sharedForMs, throughputReader(db))
  return bindRoutes(gatewayRoutes, {
    getSmppStatus: (_, { actor }) => readStatus({ ...deps, cluster, own }, actor),
    async getThroughput() {
      const { from, stepSeconds, counts } = await throughput()
      return { from: from.toISOString(), stepSeconds, counts: [...counts] }
    },
    testServer: async () => {
      const listening = deps.listening()
      if (listening !== undefined) return probeServer(listening.host, listening.port)
      const error = 'This node does not serve SMPP; the status tells whether another one does.'
      return { success: false, error, port: deps.port(), steps: [] }
    },
    listBinds: () => liveBinds(db),
    async disconnectBind({ params }, { actor, ip }) {
      await transaction(db, async (tx) => {
        const bind = await markKicked(tx, params.id, `disconnected by ${actor.username}`)
        if (bind === undefined) throw new Refusal('not_found', 'This peer is not bound any more.')
        await audit.record(tx, {
          actor,
          ip,
          action: 'bind.disconnect',
          objectType: 'bind',
          objectId: params.id,
          before: { systemId: bind.systemId },
        })
      })
      deps.checkBindsSoon()
    },
    listRefusals: () => recentRefusals(db),
  })
}
