// What the dashboard asks every five seconds.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { isPermitted, type Role } from '@tollgate/contract/vocabulary.ts'
import type { ClusterView } from './binds/views.ts'
import type { LedgerState, MessageStore, OutboundLinks } from './deps.ts'

export interface StatusParts {
  /** Binds, nodes and counters. */
  readonly cluster: () => Promise<ClusterView>
  readonly messages: Pick<MessageStore, 'pace'>
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  isListening(): boolean
  port(): number
}

/** The status as somebody of that role may see it: which gateways we are linked to is no client's business. */
export async function readStatus(parts: StatusParts, role: Role): Promise<SmppStatus> {
  const [view, connections, ledger] = await Promise.all([
    parts.cluster(),
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
    outbound: {
      failing: connections.some(({ status }) => status === 'error'),
      connections: isPermitted(role, 'interconnectionApi') ? connections : connections.map(anonymous),
    },
    ...(ledger === undefined ? {} : { ledger }),
  }
}

type Link = SmppStatus['outbound']['connections'][number]

function anonymous(link: Link): Link {
  return { ...link, id: '', name: '', errorCode: null, errorText: '' }
}
