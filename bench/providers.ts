// Measures how fast a provider's backlog is stored, each row exactly once, and the cost of 100 idle providers. The provider
// is a child process.
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createAudit } from '@tollgate/server/audit/index.ts'
import { createLedger } from '@tollgate/server/ledger/index.ts'
import { systemClock } from '@tollgate/server/platform/clock.ts'
import { row, type Db } from '@tollgate/server/platform/db.ts'
import { createEgress } from '@tollgate/server/platform/security/egress.ts'
import { createLogger } from '@tollgate/server/platform/log.ts'
import { createSecrets } from '@tollgate/server/platform/security/secrets.ts'
import { createProviders } from '@tollgate/server/providers/index.ts'
import { loadPricing } from '@tollgate/server/rates/index.ts'
import { createIngest } from '@tollgate/server/ingest/index.ts'
import { program } from './children.ts'
import { onNewServer } from './on-server.ts'
import { databaseSeconds } from './processor-time.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'

export const quietProviders = 100
const quietMs = 20_000
const settleMs = 4_000

interface ProviderContent {
  readonly digits: readonly string[]
  readonly rowCount: number
  readonly pageSize: number
}

/** The provider's process; its parent sends what to offer. */
export function serveProvider(): void {
  process.once('message', (offer) => serve(offer as ProviderContent))
}

/** The provider: `/backlog` has all rows in pages, `/quiet` has none. */
function serve({ digits, rowCount, pageSize }: ProviderContent): void {
  const startMs = Date.now() - 6 * 3_600_000
  const rowAt = (place: number) => ({
    id: `cdr-${place}`,
    timestamp: new Date(startMs + place * 10).toISOString(),
    number: digits[place % digits.length],
    sender: `4915${1_000_000 + (place % 900_000)}`,
    text: 'Your code is 123456. Do not share it with anybody; it is valid for ten minutes only.',
    status: 'delivered',
  })
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const since = Math.ceil((Date.parse(searchParams.get('since') ?? '') - startMs) / 10)
    const from = Number(searchParams.get('cursor') ?? Math.max(0, since))
    const to = pathname === '/quiet' ? from : Math.min(rowCount, from + pageSize)
    const records = Array.from({ length: Math.max(0, to - from) }, (_, place) => rowAt(from + place))
    const nextCursor = pathname === '/quiet' || to >= rowCount ? undefined : String(to)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ records, nextCursor }))
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

/** Starts the provider as a child process. */
export async function startProvider(offer: ProviderContent): Promise<{ port: number; stop: () => void }> {
  const provider = fork(program, ['provider'])
  provider.send(offer)
  const port = await new Promise<number>((resolve) =>
    provider.once('message', (message) => resolve(Number(message))),
  )
  return { port, stop: () => provider.kill() }
}

async function addProviders(db: Db, encrypt: (id: number) => Buffer, urls: readonly string[]): Promise<void> {
  for (const [place, url] of urls.entries()) {
    const added = await row<{ id: number }>(
      db,
      sql`insert into providers (name, api_url, auth_type, poll_interval_ms, lookback_ms, gap_alarm_ms, mapping,
            is_enabled) values (${`provider ${place}`}, ${url}, 'bearer', 1000, 3600000, 0, '{}', true) returning id`,
    )
    await sql`update providers set encrypted_secret = ${encrypt(added?.id ?? 0)} where id = ${added?.id}`.execute(
      db,
    )
  }
}

interface Counts {
  readonly records: number
  readonly keys: number
  readonly figures: number
}

/** The expensive counts are made only once all rows are stored. */
async function readCounts(db: Db, rowCount: number): Promise<Counts> {
  const found = await row<Counts>(
    db,
    sql`select figures, case when figures >= ${rowCount} then (select count(*)::int from records) else 0 end as records,
          case when figures >= ${rowCount} then (select count(*)::int from provider_messages) else 0 end as keys
        from (select coalesce(sum(message_count), 0)::int as figures from provider_progress) f`,
  )
  return found ?? { records: 0, keys: 0, figures: 0 }
}

/** Measures a backlog of so many rows; returns the table. */
export async function measureProviders(rowCount: number, pageSize = 1_000): Promise<string> {
  return onNewServer('on', async ({ database: { db }, postmasterPid }) => {
    const digits = await seedTraffic(db)
    const provider = await startProvider({ digits, rowCount, pageSize })
    const { ingest, node, encrypt, egress } = await startNode(db)
    const at = (path: string) => `http://127.0.0.1:${provider.port}/${path}`
    try {
      const lines = [
        await takeBacklog(
          { db, pid: postmasterPid },
          () => addProviders(db, encrypt, [at('backlog')]),
          rowCount,
        ),
      ]
      await sql`update providers set is_enabled = false, name = 'backlog'`.execute(db)
      const quiet = Array.from({ length: quietProviders }, (_, place) => at(`quiet?n=${place}`))
      await addProviders(db, encrypt, quiet)
      lines.push(await measureQuiet('each second'))
      await sql`update providers set poll_interval_ms = 300000, version = version + 1`.execute(db)
      lines.push(await measureQuiet('every five minutes, as by default'))
      return ['| providers | measured |', '|---|---|', ...lines].join('\n')
    } finally {
      await node.stop()
      await ingest.stop()
      await egress.close()
      provider.stop()
    }
  })
}

async function startNode(db: Db) {
  const log = createLogger('warn')
  const secrets = createSecrets('bench')
  const egress = createEgress(['127.0.0.0/8'])
  const ledger = createLedger({ db, clock: systemClock, cycleSeconds: 604_800 })
  const ingest = createIngest({
    db,
    clock: systemClock,
    log,
    secrets,
    pricing: await loadPricing(db),
    openCycle: () => ledger.ensureOpenCycle(),
  })
  await ingest.start()
  const node = createProviders({
    db,
    log,
    secrets,
    egress,
    audit: createAudit({ db, clock: systemClock, secrets, log }),
    messages: ingest,
    node: 'bench',
    polls: true,
    publish: () => undefined,
  })
  await node.start()
  return {
    ingest,
    node,
    egress,
    encrypt: (id: number) => secrets.encrypt('key', `providers.encrypted_secret:${id}`),
  }
}

interface MeasuredDatabase {
  readonly db: Db
  readonly pid: number
}

async function takeBacklog(
  { db, pid }: MeasuredDatabase,
  begin: () => Promise<void>,
  rowCount: number,
): Promise<string> {
  const startedMs = performance.now()
  const cpu = process.cpuUsage()
  const databaseStart = databaseSeconds(pid)
  await begin()
  while ((await readCounts(db, rowCount)).figures < rowCount) await sleep(100)
  const seconds = (performance.now() - startedMs) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const databaseMicro = ((databaseSeconds(pid) - databaseStart) * 1_000_000) / rowCount
  const { records, keys, figures } = await readCounts(db, rowCount)
  if (records !== rowCount || keys !== rowCount || figures !== rowCount)
    throw new Error(`${rowCount} rows became ${records} records, ${keys} keys and a figure of ${figures}`)
  const rssMb = Math.round(process.memoryUsage().rss / 1_048_576)
  return (
    `| a backlog of ${rowCount} rows, each a record once | ${Math.round(rowCount / seconds)} rows a second; ` +
    `${((user + system) / rowCount).toFixed(0)} µs of the gateway and ${databaseMicro.toFixed(0)} µs of PostgreSQL a row; ${rssMb} MB |`
  )
}

async function measureQuiet(words: string): Promise<string> {
  await sleep(settleMs)
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  await sleep(quietMs)
  const { user, system } = process.cpuUsage(cpu)
  const share = (user + system) / 10 / (performance.now() - startedMs)
  return `| ${quietProviders} with nothing new, polled ${words} | ${share.toFixed(1)} % of a core of the gateway |`
}
