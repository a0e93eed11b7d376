// Measures the links: webhooks a second with the receiver beside the gateway, how late a webhook leaves after its PDU at
// 500 messages a second, and what 200 connections and 100 providers at rest cost. Needs /proc for processor times.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase, row, type Db } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { load, startAnswering, startGateway, type Gateway } from './children.ts'
import { benchPassword, makeSupplier, signInAsAdmin, type Call } from './operator.ts'
import { quietProviders, startProvider } from './providers.ts'
import type { Received } from './receive.ts'
import { seedTraffic } from './seed-traffic.ts'

const backlogRecords = 12_000
const backlogEndpoints = 2
const pacedPerSecond = 500
const pacedSeconds = 15
const idleConnections = 200
const idleSeconds = 30
// What making them left behind is cleared away by then.
const settleMs = 20_000
const ticksPerSecond = 100

interface Receiver {
  readonly url: string
  /** What came since the last question. */
  ask(): Promise<Received>
  stop(): void
}

async function startReceiver(): Promise<Receiver> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bench.js'), 'receive'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  return {
    url: `http://127.0.0.1:${await next()}/hook`,
    async ask() {
      child.stdin.write('figures\n')
      return JSON.parse(await next()) as Received
    },
    stop: () => child.stdin.end(),
  }
}

/** Processor time of a process in ms; 0 once it is gone. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond
  } catch {
    // It ended meanwhile.
    return 0
  }
}

/** Processor time of PostgreSQL's processes together. */
function postgresCpuMs(postmaster: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid === postmaster || parentOf(pid) === postmaster)
    .reduce((sum, pid) => sum + cpuMs(pid), 0)
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  } catch {
    return 0
  }
}

interface Stand {
  readonly db: Db
  readonly call: Call
  readonly gateway: Gateway
  readonly postmaster: number
  readonly receiver: Receiver
  offer(perSecond: number, seconds: number): Promise<number>
}

async function withStand<T>(work: (stand: Stand) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  const server = await startEmbedded({ dataDir })
  const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
  const receiver = await startReceiver()
  let gateway: Gateway | undefined
  try {
    await migrate(database.pool)
    const digits = await seedTraffic(database.db)
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`
    process.env['EGRESS_ALLOW'] = '127.0.0.0/8'
    gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
    const call = await signInAsAdmin(gateway.url)
    const supplier = await makeSupplier(call)
    const { port } = gateway
    const started = await row<{ pid: number }>(database.db, sql`select pg_backend_pid() as pid`)
    return await work({
      db: database.db,
      call,
      gateway,
      postmaster: parentOf(started?.pid ?? 0),
      receiver,
      offer: async (perSecond, seconds) =>
        (await load({ ...supplier, port, digits, binds: 4, window: 50, seconds, perSecond })).answered,
    })
  } finally {
    receiver.stop()
    await gateway?.stop()
    await database.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function addEndpoint({ call, receiver }: Stand): Promise<string> {
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

/** Offers load for so long that the answer times settle; gives what the receiver saw. */
async function measurePaced(stand: Stand): Promise<Received> {
  await stand.offer(pacedPerSecond, 3)
  while ((await waitingCount(stand.db)) > 0) await sleep(100)
  await stand.receiver.ask()
  await stand.offer(pacedPerSecond, pacedSeconds)
  while ((await waitingCount(stand.db)) > 0) await sleep(100)
  return stand.receiver.ask()
}

interface Backlog {
  readonly deliveries: number
  readonly perSecond: number
  readonly gatewayMs: number
  readonly postgresMs: number
  readonly receiverMs: number
}

/** Lets deliveries wait, then has them made all at once. */
async function measureBacklog(stand: Stand): Promise<Backlog> {
  const { call, db, gateway, postmaster, receiver } = stand
  await call('PUT', '/api/interconnection/config', { isDelivering: false })
  await sleep(2_000)
  let records = 0
  while (records < backlogRecords) records += await stand.offer(0, 1)
  for (let before = -1; (await waitingCount(db)) !== before; await sleep(1_500))
    before = await waitingCount(db)
  await receiver.ask()
  const cpuBefore = [cpuMs(gateway.pid), postgresCpuMs(postmaster)] as const
  await call('PUT', '/api/interconnection/config', { isDelivering: true })
  const startedAt = performance.now()
  while ((await waitingCount(db)) > 0) await sleep(250)
  const seconds = (performance.now() - startedAt) / 1_000
  const [gatewayMs, postgresMs] = [
    cpuMs(gateway.pid) - cpuBefore[0],
    postgresCpuMs(postmaster) - cpuBefore[1],
  ]
  const { count, cpuMs: receiverMs } = await receiver.ask()
  return { deliveries: count, perSecond: count / seconds, gatewayMs, postgresMs, receiverMs }
}

/** Percent of a core that the gateway and PostgreSQL take with all connections bound and at rest, and with providers too. */
async function measureIdle({ call, gateway, postmaster }: Stand) {
  const outside = await startAnswering('ours')
  await sleep(settleMs)
  const before = await measureRest(gateway.pid, postmaster)
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
  const idle = await measureRest(gateway.pid, postmaster)
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
  const together = await measureRest(gateway.pid, postmaster)
  provider.stop()
  await outside.stop()
  return { before, idle, together }
}

async function measureRest(pid: number, postmaster: number) {
  const [own, postgres] = [cpuMs(pid), postgresCpuMs(postmaster)]
  await sleep(idleSeconds * 1_000)
  const percent = (ms: number) => ms / (idleSeconds * 10)
  return { gateway: percent(cpuMs(pid) - own), postgres: percent(postgresCpuMs(postmaster) - postgres) }
}

/** Measures all three; gives the table. */
export function measureLinks(): Promise<string> {
  return withStand(async (stand) => {
    await addEndpoint(stand)
    const paced = await measurePaced(stand)
    for (let more = 1; more < backlogEndpoints; more += 1) await addEndpoint(stand)
    const backlog = await measureBacklog(stand)
    for (const { id } of (await stand.call('GET', '/api/endpoints')) as { id: string }[])
      await stand.call('DELETE', `/api/endpoints/${id}`)
    const { before, idle, together } = await measureIdle(stand)
    const each = (ms: number) => `${((ms * 1_000) / backlog.deliveries).toFixed(0)} µs`
    return [
      '| what | measured |',
      '|---|---|',
      `| PDU in to webhook in at the receiver, ${pacedPerSecond} messages a second, ${paced.count} webhooks | p50 ${paced.p50Ms} ms, p95 ${paced.p95Ms} ms, longest ${paced.maxMs} ms |`,
      `| webhooks a second from a backlog of ${backlog.deliveries}, ${backlogEndpoints} endpoints, the receiver beside the gateway | ${backlog.perSecond.toFixed(0)} |`,
      `| processor time for each webhook: gateway, PostgreSQL, receiver | ${each(backlog.gatewayMs)}, ${each(backlog.postgresMs)}, ${each(backlog.receiverMs)} |`,
      `| ${idleConnections} connections bound and at rest: of one core, gateway and PostgreSQL | ${idle.gateway.toFixed(1)} % and ${idle.postgres.toFixed(1)} % (without them ${before.gateway.toFixed(1)} % and ${before.postgres.toFixed(1)} %) |`,
      `| the same and ${quietProviders} providers with nothing new, polled every five minutes | ${together.gateway.toFixed(1)} % and ${together.postgres.toFixed(1)} % |`,
      // Times say little on a machine that others use; processor times do.
      `| load of the machine meanwhile, its own share included | ${(loadavg()[0] ?? 0).toFixed(0)} on ${availableParallelism()} cores |`,
    ].join('\n')
  })
}
