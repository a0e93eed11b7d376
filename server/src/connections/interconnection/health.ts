// The Health Check: the present state of everything that a message needs on its way in or out.
import type { LinkHealth } from '@tollgate/contract/connections/interconnection.ts'
import { detailed, sentence, sentencesOf, spoken, type Words } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { viewDeliveryQueue, viewEndpoints } from '../../endpoints/index.ts'
import { clusterView } from '../../gateway/index.ts'
import { connectionFault } from '../messages.ts'
import { viewConnections, type ConnectionView } from '../views.ts'

type LinkCheck = LinkHealth['checks'][number]

// Spec §4: a heartbeat is green under 60 seconds.
const heartbeatMaxMs = 60_000
// The third attempt comes within 25 s, so an older queue has stopped or cannot keep up.
const queueMaxMs = 30_000
const slowQueryMs = 1_000
const rank = { ok: 0, idle: 0, warn: 1, bad: 2 } as const

/** Runs the checks. They call nothing outside, so they disturb nobody. Rejects when the database does not answer. */
export async function checkHealth(db: Db): Promise<LinkHealth> {
  const startedAtMs = performance.now()
  const cluster = await clusterView(db)
  const tookMs = Math.round(performance.now() - startedAtMs)
  const [connections, endpoints, queue] = await Promise.all([
    viewConnections(db),
    viewEndpoints(db),
    viewDeliveryQueue(db),
  ])
  const nowMs = Date.now()
  const checks: LinkCheck[] = [
    checked(
      { kind: 'gateway', name: spoken('Database') },
      tookMs > slowQueryMs ? 'warn' : 'ok',
      sentence('Answered in {count} ms.', { count: tookMs }),
    ),
    smppCheck(cluster),
    deliveryCheck(queue, endpoints.length > 0, nowMs),
    ...connections.map((connection) => connectionCheck(connection, nowMs)),
    ...endpoints.map(endpointCheck),
  ]
  const worst = checks.reduce((max, { state }) => Math.max(max, rank[state]), 0)
  return {
    checkedAt: new Date(nowMs).toISOString(),
    state: worst === 2 ? 'bad' : worst === 1 ? 'warn' : 'ok',
    checks,
  }
}

type Checked = Pick<LinkCheck, 'kind' | 'name'>

function checked(what: Checked, state: LinkCheck['state'], words: Words): LinkCheck {
  return { ...what, state, ...detailed(words) }
}

function smppCheck({ smppStartedAt, bindCount: count }: Awaited<ReturnType<typeof clusterView>>): LinkCheck {
  const what: Checked = { kind: 'gateway', name: spoken('SMPP server') }
  if (smppStartedAt === null) return checked(what, 'bad', 'No node listens for peers.')
  const words =
    count === 1 ? 'Listening, 1 peer bound.' : sentence('Listening, {count} peers bound.', { count })
  return checked(what, 'ok', words)
}

type DeliveryQueue = Awaited<ReturnType<typeof viewDeliveryQueue>>

function deliveryCheck(queue: DeliveryQueue, hasEndpoints: boolean, nowMs: number): LinkCheck {
  const what: Checked = { kind: 'gateway', name: spoken('Deliveries') }
  const { waitingCount: count } = queue
  if (!hasEndpoints) return checked(what, 'idle', 'There is no endpoint to deliver to.')
  if (!queue.isDelivering) return checked(what, 'warn', sentence('Paused; {count} are waiting.', { count }))
  if (!queue.isOwned) return checked(what, 'bad', 'No node sends deliveries.')
  const lateMs = queue.oldestDueAt === null ? 0 : nowMs - queue.oldestDueAt.getTime()
  if (lateMs <= queueMaxMs) return checked(what, 'ok', sentence('{count} are waiting.', { count }))
  return checked(
    what,
    'warn',
    sentence('{count} are waiting, the oldest for {seconds} s: more arrives than is accepted.', {
      count,
      seconds: Math.round(lateMs / 1000),
    }),
  )
}

function connectionCheck(connection: ConnectionView, nowMs: number): LinkCheck {
  const what: Checked = { kind: 'connection', name: connection.name }
  const { status, lastError, lastErrorCode, lastHeartbeatAt } = connection
  const fault = connectionFault(lastErrorCode, lastError)
  if (!connection.isWanted) return checked(what, 'idle', 'Disconnected on purpose.')
  if (status === 'connected') {
    const silentMs = lastHeartbeatAt === null ? Infinity : nowMs - lastHeartbeatAt.getTime()
    return silentMs > heartbeatMaxMs
      ? checked(what, 'warn', 'Connected, but silent for more than a minute.')
      : checked(
          what,
          'ok',
          sentence('Connected, heard {seconds} s ago.', { seconds: Math.round(silentMs / 1000) }),
        )
  }
  if (status === 'error') return checked(what, 'bad', fault)
  return checked(
    what,
    'warn',
    fault === '' ? spoken('Connecting.') : [sentence('Connecting.'), ...sentencesOf(fault)],
  )
}

type EndpointView = Awaited<ReturnType<typeof viewEndpoints>>[number]

function endpointCheck({
  name,
  status,
  statusReason,
  failingSince,
  waiting,
  lastUsed,
}: EndpointView): LinkCheck {
  const what: Checked = { kind: 'endpoint', name }
  const count = waiting
  if (status === 'inactive')
    return statusReason === ''
      ? checked(what, 'idle', spoken('Inactive.'))
      : checked(what, 'bad', statusReason)
  if (status === 'maintenance')
    return checked(what, 'warn', sentence('In maintenance; {count} are waiting.', { count }))
  if (failingSince !== null)
    return checked(
      what,
      'bad',
      sentence('Has accepted nothing since {since}; {count} are waiting.', {
        since: { at: failingSince },
        count,
      }),
    )
  return checked(
    what,
    'ok',
    lastUsed === null ? 'Not used yet.' : sentence('{count} are waiting.', { count }),
  )
}
