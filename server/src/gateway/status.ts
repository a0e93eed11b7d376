// The status that the dashboard polls every five seconds.
import type { SmppStatus } from '@tollgate/contract/gateway.ts'
import { isPermitted, type Role } from '@tollgate/contract/vocabulary.ts'
import type { ClusterView } from './binds/views.ts'
import type { LedgerState, MessageStore, OutboundLinks } from './deps.ts'

export interface StatusDeps {
  /** Binds, nodes and counters. */
  readonly cluster: () => Promise<ClusterView>
  readonly messages: Pick<MessageStore, 'pace'>
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  isListening(): boolean
  /** Whether this node has a TLS port; undefined when it does not listen. */
  hasTls?(): boolean | undefined
  port(): number
}

/** The status as this role may see it. Clients must not learn which upstreams we are connected to. */
export async function readStatus(deps: StatusDeps, role: Role): Promise<SmppStatus> {
  const [view, connections, ledger] = await Promise.all([
    deps.cluster(),
    deps.outboundLinks?.() ?? [],
    deps.ledgerState?.(),
  ])
  const pace = deps.messages.pace()
  const hasTls = deps.hasTls?.()
  const hasTraffic = pace.messagesLastMinute > 0
  return {
    server: {
      running: deps.isListening() || view.smppStartedAt !== null,
      port: deps.port(),
      ...(hasTls !== undefined && { hasTls }),
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

type OutboundLink = SmppStatus['outbound']['connections'][number]

function anonymous(link: OutboundLink): OutboundLink {
  return { ...link, id: '', name: '', errorCode: null, errorText: '' }
}
