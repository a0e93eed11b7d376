// The Health Check: the present state of everything that a message needs on its way in or out.
import type { LinkHealth } from '@tollgate/contract/interconnection.ts'
import type { Db } from '../../platform/db.ts'
import { viewDeliveryQueue, viewEndpoints } from '../../endpoints/index.ts'
import { clusterView } from '../binds/views.ts'
import { viewConnections, type ConnectionView } from '../connections/views.ts'

type LinkCheck = LinkHealth['checks'][number]

// Spec §4: a heartbeat is green under 60 seconds.
const heartbeatMaxMs = 60_000
// contract.md, Endpoints: the third attempt comes within 25 s, so an older queue has stopped or cannot keep up.
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
    {
      kind: 'gateway',
      name: 'Database',
      state: tookMs > slowQueryMs ? 'warn' : 'ok',
      detail: `Answered in ${tookMs} ms.`,
    },
    cluster.smppStartedAt === null
      ? { kind: 'gateway', name: 'SMPP server', state: 'bad', detail: 'No node listens for peers.' }
      : {
          kind: 'gateway',
          name: 'SMPP server',
          state: 'ok',
          detail: `Listening, ${cluster.bindCount} ${cluster.bindCount === 1 ? 'peer' : 'peers'} bound.`,
        },
    deliveryCheck(queue, endpoints.length > 0, nowMs),
    ...connections.map((connection) => connectionCheck(connection, nowMs)),
    ...endpoints.map((endpoint) => endpointCheck(endpoint, nowMs)),
  ]
  const worst = checks.reduce((max, { state }) => Math.max(max, rank[state]), 0)
  return {
    checkedAt: new Date(nowMs).toISOString(),
    state: worst === 2 ? 'bad' : worst === 1 ? 'warn' : 'ok',
    checks,
  }
}

type DeliveryQueue = Awaited<ReturnType<typeof viewDeliveryQueue>>

function deliveryCheck(queue: DeliveryQueue, hasEndpoints: boolean, nowMs: number): LinkCheck {
  const check = { kind: 'gateway', name: 'Deliveries' } as const
  if (!hasEndpoints) return { ...check, state: 'idle', detail: 'There is no endpoint to deliver to.' }
  if (!queue.isDelivering) return { ...check, state: 'warn', detail: `Paused; ${queue.waitingCount} wait.` }
  if (!queue.isOwned) return { ...check, state: 'bad', detail: 'No node sends deliveries.' }
  const lateMs = queue.oldestDueAt === null ? 0 : nowMs - queue.oldestDueAt.getTime()
  return lateMs > queueMaxMs
    ? {
        ...check,
        state: 'warn',
        detail: `${queue.waitingCount} wait, the oldest for ${Math.round(lateMs / 1000)} s: more comes than is taken.`,
      }
    : { ...check, state: 'ok', detail: `${queue.waitingCount} wait.` }
}

function connectionCheck(connection: ConnectionView, nowMs: number): LinkCheck {
  const check = { kind: 'connection', name: connection.name } as const
  const { status, lastError, lastErrorCode, lastHeartbeatAt } = connection
  const fault = lastErrorCode === null ? lastError : `Error Code ${lastErrorCode}: ${lastError}`
  if (!connection.isWanted) return { ...check, state: 'idle', detail: 'Disconnected, and wanted so.' }
  if (status === 'connected') {
    const silentMs = lastHeartbeatAt === null ? Infinity : nowMs - lastHeartbeatAt.getTime()
    return silentMs > heartbeatMaxMs
      ? { ...check, state: 'warn', detail: 'Connected, but silent for more than a minute.' }
      : { ...check, state: 'ok', detail: `Connected, heard ${Math.round(silentMs / 1000)} s ago.` }
  }
  if (status === 'error') return { ...check, state: 'bad', detail: fault }
  return { ...check, state: 'warn', detail: fault === '' ? 'Connecting.' : `Connecting. ${fault}` }
}

type EndpointView = Awaited<ReturnType<typeof viewEndpoints>>[number]

function endpointCheck(endpoint: EndpointView, nowMs: number): LinkCheck {
  const check = { kind: 'endpoint', name: endpoint.name } as const
  const { status, statusReason, failingSince, waiting } = endpoint
  if (status === 'inactive')
    return statusReason === ''
      ? { ...check, state: 'idle', detail: 'Inactive.' }
      : { ...check, state: 'bad', detail: statusReason }
  if (status === 'maintenance') return { ...check, state: 'warn', detail: `In maintenance; ${waiting} wait.` }
  if (failingSince !== null)
    return {
      ...check,
      state: 'bad',
      detail: `Has taken nothing for ${spanOf(nowMs - Date.parse(failingSince))}; ${waiting} wait.`,
    }
  return { ...check, state: 'ok', detail: endpoint.lastUsed === null ? 'Not used yet.' : `${waiting} wait.` }
}

function spanOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
