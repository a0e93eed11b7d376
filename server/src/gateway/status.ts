// What the dashboard asks every five seconds, answered from one query that all who ask within a second share.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import type { Db } from '../platform/db.ts'
import { clusterView, type ClusterView } from './binds/views.ts'
import type { LedgerState, MessageStore, OutboundLinks } from './needs.ts'

export interface StatusParts {
  readonly db: Db
  readonly messages: Pick<MessageStore, 'pace'>
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  isListening(): boolean
  port(): number
}

const sharedForMs = 1_000
const shared = new WeakMap<Db, { readonly atMs: number; readonly view: Promise<ClusterView> }>()

export async function readStatus(parts: StatusParts): Promise<SmppStatus> {
  const [view, connections, ledger] = await Promise.all([
    sharedView(parts.db),
    parts.outboundLinks?.() ?? [],
    parts.ledgerState?.(),
  ])
  const pace = parts.messages.pace()
  const hasTraffic = pace.messagesLastMinute > 0
  return {
    server: {
      running: parts.isListening() || view.smppStartedAt !== null,
      port: parts.port(),
      connections: view.bindCount,
      startedAt: view.smppStartedAt?.toISOString() ?? null,
    },
    cdr: {
      records: Number(view.recordCount),
      numbers: view.numberCount,
      assigned: view.assignedCount,
      acceptP50Ms: hasTraffic ? pace.acceptP50Ms : null,
      acceptP99Ms: hasTraffic ? pace.acceptP99Ms : null,
      messagesPerSecond: pace.messagesPerSecond,
    },
    outbound: { failing: connections.some(({ status }) => status === 'error'), connections },
    ...(ledger === undefined ? {} : { ledger }),
  }
}

function sharedView(db: Db): Promise<ClusterView> {
  const known = shared.get(db)
  const nowMs = Date.now()
  if (known !== undefined && nowMs - known.atMs < sharedForMs) return known.view
  const view = clusterView(db)
  shared.set(db, { atMs: nowMs, view })
  // A failure is told to those who share it, and to nobody after them.
  view.catch(() => shared.delete(db))
  return view
}
