import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes, type Caller } from '../http/handlers.ts'
import { toReply } from '../http/reply.ts'
import { afterCommit } from '../platform/transaction.ts'
import type { ConnectionsDeps } from './deps.ts'
import { trustedCertificates } from './own-ca.ts'
import {
  addConnection,
  connectionId,
  editConnection,
  mustFind,
  orderConnection,
  queueSend,
  recordTest,
  removeConnection,
  type ConnectionOrder,
} from './service.ts'
import { unmatchedReceipts } from './send-store.ts'
import { tryConnection } from './try-connection.ts'
import { recentSends, viewConnection, viewConnections, type ConnectionView } from './views.ts'

// The same for every password, so that not even its length is shown.
const mask = '••••••••'

/** `checkSoon` makes this node carry out an order at once; other nodes see it within a second. */
export function bindConnectionsRoutes(deps: ConnectionsDeps, checkSoon: () => void): BoundRoutes {
  const { db } = deps
  const order = async (id: string, command: ConnectionOrder, caller: Caller) => {
    await orderConnection(deps, connectionId(id), command, caller)
    checkSoon()
    return replyOf(db, connectionId(id))
  }
  return bindRoutes(connectionsRoutes, {
    listConnections: async () => (await viewConnections(db)).map(toConnection),
    createConnection: ({ body }, { actor, ip, once }) =>
      once(db, async (tx) => {
        const id = await addConnection({ ...deps, db: tx }, body, { actor, ip })
        afterCommit(tx, checkSoon)
        return replyOf(tx, id)
      }),
    async editConnection({ params, body }, { actor, ip }) {
      const id = connectionId(params.id)
      await editConnection(deps, id, body, { actor, ip })
      checkSoon()
      return replyOf(db, id)
    },
    async deleteConnection({ params }, { actor, ip }) {
      await removeConnection(deps, connectionId(params.id), { actor, ip })
      checkSoon()
    },
    connectConnection: ({ params }, { actor, ip }) => order(params.id, 'connect', { actor, ip }),
    disconnectConnection: ({ params }, { actor, ip }) => order(params.id, 'disconnect', { actor, ip }),
    restartConnection: ({ params }, { actor, ip }) => order(params.id, 'restart', { actor, ip }),
    async testConnection({ params }, { actor, ip }) {
      const connection = await mustFind(db, connectionId(params.id))
      const test = await tryConnection(deps, connection)
      await recordTest(deps, connection, test.success, { actor, ip })
      return test
    },
    sendTestMessage: ({ params, body }, { actor, ip, once }) =>
      once(db, async (tx) => {
        const send = await queueSend({ ...deps, db: tx }, connectionId(params.id), body, { actor, ip })
        afterCommit(tx, checkSoon)
        return send
      }),
    async listTestMessages({ params }) {
      const { id } = await mustFind(db, connectionId(params.id))
      return recentSends(db, id)
    },
    async listUnmatchedReceipts({ params }) {
      const { id } = await mustFind(db, connectionId(params.id))
      return unmatchedReceipts(db, id)
    },
  })
}

async function replyOf(db: Db, id: number): Promise<Connection> {
  const { id: foundId } = await mustFind(db, id)
  const view = await viewConnection(db, foundId)
  if (view === undefined) throw new Error('A connection vanished while it was read')
  return toConnection(view)
}

function toConnection(view: ConnectionView): Connection {
  const { lastAttemptAt, nextAttemptAt, lastHeartbeatAt, sentCount, receivedCount, ...same } = toReply(view)
  return {
    ...same,
    id: String(view.id),
    password: mask,
    tlsCertificates: trustedCertificates(view.tlsCa),
    allowedCidrs: [...view.allowedCidrs],
    lastHeartbeat: lastHeartbeatAt,
    lastAttempt: lastAttemptAt,
    nextAttempt: nextAttemptAt,
    messagesPerSecond: Math.round(view.messagesPerSecond * 100) / 100,
    sent24h: Number(sentCount),
    received24h: Number(receivedCount),
  }
}
