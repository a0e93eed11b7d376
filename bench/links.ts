// Measures webhooks a second from a backlog, the delay from PDU to webhook at 500 messages a second, and the cost of 200
// idle connections and 100 idle providers. Needs /proc for processor times.
import { spawn } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { row, type Db } from '@tollgate/server/platform/db.ts'
import type { GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { load, program, startAnswering } from './children.ts'
import { makeSupplier, type Call } from '@tollgate/server/test/http/operator.ts'
import { databaseSeconds, processSeconds } from './processor-time.ts'
import { quietProviders, startProvider } from './providers.ts'
import type { Received } from './receive.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { withGateway } from './with-gateway.ts'

const backlogRecords = 12_000
const backlogEndpoints = 2
const pacedPerSecond = 500
const pacedSeconds = 15
const idleConnections = 200
const idleSeconds = 30
// Enough for the work after creating them to finish.
const settleMs = 20_000

interface WebhookReceiver {
  readonly url: string
  /** The figures since the last call. */
  readFigures(): Promise<Received>
  stop(): void
}

async function startReceiver(): Promise<WebhookReceiver> {
  const child = spawn(process.execPath, [program, 'receive'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  return {
    url: `http://127.0.0.1:${await next()}/hook`,
    async readFigures() {
      child.stdin.write('figures\n')
      return JSON.parse(await next()) as Received
    },
    stop: () => child.stdin.end(),
  }
}

interface LinksTestbed {
  readonly db: Db
  readonly call: Call
  readonly gateway: GatewayProcess
  readonly postmasterPid: number
  readonly receiver: WebhookReceiver
  offer(perSecond: number, seconds: number): Promise<number>
}

async function withTestbed<T>(work: (testbed: LinksTestbed) => Promise<T>): Promise<T> {
  const receiver = await startReceiver()
  // The receiver is on this machine, which the egress guard refuses otherwise.
  process.env['EGRESS_ALLOW'] = '127.0.0.0/8'
  try {
    return await withGateway(
      ({ db }) => seedTraffic(db),
      async ({ gateway, database, postmasterPid, call }, digits) => {
        const supplier = await makeSupplier(call)
        const offer = { ...supplier, port: gateway.port, digits, binds: 4, window: 50 }
        return work({
          db: database.db,
          call,
          gateway,
          postmasterPid,
          receiver,
          offer: async (perSecond, seconds) => (await load({ ...offer, seconds, perSecond })).answered,
        })
      },
    )
  } finally {
    receiver.stop()
  }
}

async function addEndpoint({ call, receiver }: LinksTestbed): Promise<string> {
  const made = (await call('POST', '/api/endpoints', {
    name: 'bench',
    endpoint: receiver.url,
    rateLimit: 100_000,
  })) as { id: string }
  return made.id
}

async function waitingCount(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from endpoint_deliveries where status = 'pending'`,
  )
  return found?.count ?? 0
}

/** Offers a steady load; returns the receiver's figures. */
async function measurePaced(testbed: LinksTestbed): Promise<Received> {
  await testbed.offer(pacedPerSecond, 3)
  while ((await waitingCount(testbed.db)) > 0) await sleep(100)
  await testbed.receiver.readFigures()
  await testbed.offer(pacedPerSecond, pacedSeconds)
  while ((await waitingCount(testbed.db)) > 0) await sleep(100)
  return testbed.receiver.readFigures()
}

interface Backlog {
  readonly deliveries: number
  readonly perSecond: number
  readonly gatewaySeconds: number
  readonly postgresSeconds: number
  readonly receiverSeconds: number
}

/** Pauses deliveries until a backlog has built up, then measures how fast it is delivered. */
async function measureBacklog(testbed: LinksTestbed): Promise<Backlog> {
  const { call, db, gateway, postmasterPid, receiver } = testbed
  await call('PUT', '/api/interconnection/config', { isDelivering: false })
  await sleep(2_000)
  let records = 0
  while (records < backlogRecords) records += await testbed.offer(0, 1)
  for (let before = -1; (await waitingCount(db)) !== before; await sleep(1_500))
    before = await waitingCount(db)
  await receiver.readFigures()
  const cpuBefore = [processSeconds(gateway.pid), databaseSeconds(postmasterPid)] as const
  await call('PUT', '/api/interconnection/config', { isDelivering: true })
  const startedAt = performance.now()
  while ((await waitingCount(db)) > 0) await sleep(250)
  const seconds = (performance.now() - startedAt) / 1_000
  const [gatewaySeconds, postgresSeconds] = [
    processSeconds(gateway.pid) - cpuBefore[0],
    databaseSeconds(postmasterPid) - cpuBefore[1],
  ]
  const { count, cpuMs: receiverMs } = await receiver.readFigures()
  return {
    deliveries: count,
    perSecond: count / seconds,
    gatewaySeconds,
    postgresSeconds,
    receiverSeconds: receiverMs / 1_000,
  }
}

/** Percent of a core that gateway and PostgreSQL take without links, with idle connections, and with providers too. */
async function measureIdle({ call, gateway, postmasterPid }: LinksTestbed) {
  const outside = await startAnswering('ours')
  await sleep(settleMs)
  const before = await measureRest(gateway.pid, postmasterPid)
  for (let made = 0; made < idleConnections; made += 1)
    await call('POST', '/api/smpp-connections', {
      name: `bench ${made}`,
      host: '127.0.0.1',
      port: outside.port,
      systemId: 'bench',
    })
  const connected = async () =>
    ((await call('GET', '/api/smpp-connections')) as { status: string }[]).filter(
      ({ status }) => status === 'connected',
    ).length
  while ((await connected()) < idleConnections) await sleep(500)
  await sleep(settleMs)
  const idle = await measureRest(gateway.pid, postmasterPid)
  const provider = await startProvider({ digits: [], rowCount: 0, pageSize: 1 })
  for (let made = 0; made < quietProviders; made += 1)
    await call('POST', '/api/providers', {
      name: `bench ${made}`,
      apiUrl: `http://127.0.0.1:${provider.port}/quiet?n=${made}`,
      authType: 'bearer',
      apiKey: 'bench',
      enabled: true,
    })
  await sleep(settleMs)
  const together = await measureRest(gateway.pid, postmasterPid)
  provider.stop()
  await outside.stop()
  return { before, idle, together }
}

async function measureRest(pid: number, postmasterPid: number) {
  const [own, postgres] = [processSeconds(pid), databaseSeconds(postmasterPid)]
  await sleep(idleSeconds * 1_000)
  const percent = (seconds: number) => (seconds * 100) / idleSeconds
  return {
    gateway: percent(processSeconds(pid) - own),
    postgres: percent(databaseSeconds(postmasterPid) - postgres),
  }
}

/** Measures all three; gives the table. */
export function measureLinks(): Promise<string> {
  return withTestbed(async (testbed) => {
    await addEndpoint(testbed)
    const paced = await measurePaced(testbed)
    for (let more = 1; more < backlogEndpoints; more += 1) await addEndpoint(testbed)
    const backlog = await measureBacklog(testbed)
    for (const { id } of (await testbed.call('GET', '/api/endpoints')) as { id: string }[])
      await testbed.call('DELETE', `/api/endpoints/${id}`)
    const { before, idle, together } = await measureIdle(testbed)
    const each = (seconds: number) => `${((seconds * 1_000_000) / backlog.deliveries).toFixed(0)} µs`
    return [
      '| what | measured |',
      '|---|---|',
      `| PDU in to webhook in at the receiver, ${pacedPerSecond} messages a second, ${paced.count} webhooks | p50 ${paced.p50Ms} ms, p95 ${paced.p95Ms} ms, longest ${paced.maxMs} ms |`,
      `| webhooks a second from a backlog of ${backlog.deliveries}, ${backlogEndpoints} endpoints, the receiver beside the gateway | ${backlog.perSecond.toFixed(0)} |`,
      `| processor time for each webhook: gateway, PostgreSQL, receiver | ${each(backlog.gatewaySeconds)}, ${each(backlog.postgresSeconds)}, ${each(backlog.receiverSeconds)} |`,
      `| ${idleConnections} connections bound and at rest: of one core, gateway and PostgreSQL | ${idle.gateway.toFixed(1)} % and ${idle.postgres.toFixed(1)} % (without them ${before.gateway.toFixed(1)} % and ${before.postgres.toFixed(1)} %) |`,
      `| the same and ${quietProviders} providers with nothing new, polled every five minutes | ${together.gateway.toFixed(1)} % and ${together.postgres.toFixed(1)} % |`,
      // The load shows how far the times can be trusted; processor times do not depend on it.
      `| load of the machine meanwhile, its own share included | ${(loadavg()[0] ?? 0).toFixed(0)} on ${availableParallelism()} cores |`,
    ].join('\n')
  })
}
