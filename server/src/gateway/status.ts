// The status that the dashboard polls every five seconds.
import type { SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Actor } from '../http/handlers.ts'
import type { ClusterView, OwnView } from './binds/views.ts'
import type { LedgerState, MessageStore, OutboundLinks } from './deps.ts'

export interface StatusDeps {
  /** Binds, nodes and counters. */
  readonly cluster: () => Promise<ClusterView>
  /** What one client has of them. */
  readonly own: (userId: number) => Promise<OwnView>
  readonly messages: Pick<MessageStore, 'pace'>
  readonly outboundLinks?: OutboundLinks
  readonly ledgerState?: LedgerState
  isListening(): boolean
  /** Whether this node has a TLS port; undefined when it does not listen. */
  hasTls?(): boolean | undefined
  port(): number
}

/**
 * The status as this person may see it. Clients learn neither which upstreams we are connected to, nor how much the whole
 * gateway carries, nor the state of its ledger: they read their own figures.
 */
export async function readStatus(deps: StatusDeps, { role, userId }: Actor): Promise<SmppStatus> {
  const isStaff = isPermitted(role, 'interconnectionApi')
  const [view, own, connections, ledger] = await Promise.all([
    deps.cluster(),
    isStaff ? undefined : deps.own(userId),
    deps.outboundLinks?.() ?? [],
    isStaff ? deps.ledgerState?.() : undefined,
  ])
  const hasTls = deps.hasTls?.()
  return {
    server: {
      running: deps.isListening() || view.smppStartedAt !== null,
      port: deps.port(),
      ...(hasTls !== undefined && { hasTls }),
      connections: (own ?? view).bindCount,
      startedAt: view.smppStartedAt?.toISOString() ?? null,
    },
    cdr: own === undefined ? wholeCollection(view, deps.messages.pace()) : ownCollection(own),
    outbound: {
      failing: connections.some(({ status }) => status === 'error'),
      connections: isStaff ? connections : asOne(connections),
    },
    ...(ledger === undefined ? {} : { ledger }),
  }
}

function wholeCollection(view: ClusterView, pace: ReturnType<MessageStore['pace']>): SmppStatus['cdr'] {
  const hasTraffic = pace.messagesLastMinute > 0
  return {
    records: Number(view.recordCount),
    numbers: view.numberCount,
    assigned: view.assignedCount,
    acceptP50Ms: hasTraffic ? pace.acceptP50Ms : null,
    acceptP99Ms: hasTraffic ? pace.acceptP99Ms : null,
    messagesPerSecond: pace.messagesPerSecond,
  }
}

const ownCollection = ({ recordCount, numberCount }: OwnView): SmppStatus['cdr'] => ({
  records: Number(recordCount),
  numbers: numberCount,
  assigned: numberCount,
  acceptP50Ms: null,
  acceptP99Ms: null,
})

type OutboundLink = SmppStatus['outbound']['connections'][number]

/** All links as one without a name: whether messages go out, not over how many links, nor how often they were tried. */
function asOne(links: readonly OutboundLink[]): OutboundLink[] {
  const has = (status: OutboundLink['status']) => links.some((link) => link.status === status)
  const status = outboundStates.find(has)
  if (status === undefined) return []
  return [{ id: '', name: '', status, errorCode: null, errorText: '', attempts: 0, lastAttempt: null }]
}

// The first that a link has is that of all.
const outboundStates = ['error', 'connected', 'connecting', 'disconnected'] as const
