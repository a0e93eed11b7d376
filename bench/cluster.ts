// Records on one server and spread over workers by Citus (decision 57): ingest, lists and sums, on the same cores.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findCitusPrograms, startCitusCluster } from '@tollgate/server/drills/citus-cluster.ts'
import { migrate } from '@tollgate/server/storage/migrate.ts'
import { openDatabase } from '@tollgate/server/platform/db.ts'
import { startGateway } from '@tollgate/server/test/environment/children.ts'
import { benchPassword, makeSupplier, signInAsAdmin, type Call } from '@tollgate/server/test/http/operator.ts'
import { seedTraffic } from '@tollgate/server/test/traffic/seed-traffic.ts'
import { load } from './children.ts'
import { databaseSeconds } from './processor-time.ts'
import { quantile } from './report.ts'

// 0: one server, with Citus loaded and nothing spread.
const workerCounts = [0, 1, 2, 4]
const shards = 8
const listCount = 20

interface Round {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly microseconds: number
  readonly listMs: number
  readonly sumMs: number
  readonly missing: number
}

/** The section of the report. Throws where no PostgreSQL with Citus is installed. */
export async function measureCluster(options: { rounds: number; seconds: number }): Promise<string> {
  const programs = await findCitusPrograms('')
  if (programs === undefined)
    throw new Error('No PostgreSQL with Citus: CITUS_PROGRAMS names the folder of its programs.')
  const found = new Map<number, Round[]>(workerCounts.map((workers) => [workers, []]))
  for (let round = 0; round < options.rounds; round += 1)
    for (const [workers, rounds] of found) rounds.push(await measureOne(programs, workers, options.seconds))
  return clusterTable(found)
}

async function measureOne(programs: string, workers: number, seconds: number): Promise<Round> {
  const endings: (() => Promise<unknown>)[] = []
  const onEnd = (end: () => Promise<unknown>) => void endings.unshift(end)
  try {
    const cluster = await startCitusCluster({ onEnd }, programs, workers)
    const database = openDatabase({ address: cluster.url })
    onEnd(() => database.close())
    await migrate(database.pool)
    const digits = await seedTraffic(database.db)
    if (workers > 0) await cluster.ask(`select distribute_records(${shards})`)
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
    onEnd(() => rm(folder, { recursive: true, force: true }))
    const gateway = await startGateway(cluster.url, folder, benchPassword)
    onEnd(() => gateway.stop())
    const call = await signInAsAdmin(gateway.url)
    const supplier = await makeSupplier(call)
    const offer = (lasts: number) =>
      load({ ...supplier, port: gateway.port, digits, binds: 10, window: 50, seconds: lasts, perSecond: 0 })
    const first = await offer(1)
    const used = () => cluster.postmasterPids.reduce((sum, pid) => sum + databaseSeconds(pid), 0)
    const usedBefore = used()
    const full = await offer(seconds)
    const usedSeconds = used() - usedBefore
    const [stored] = await cluster.ask<{ count: string }>('select count(*) as count from records')
    return {
      perSecond: full.perSecond,
      p50Ms: full.p50Ms,
      p99Ms: full.p99Ms,
      microseconds: (usedSeconds * 1e6) / full.answered,
      listMs: await timesOf(call, '/api/records?limit=50&client=client'),
      sumMs: await timesOf(call, '/api/records/summary?client=client'),
      missing: first.answered + full.answered - Number(stored?.count ?? 0),
    }
  } finally {
    for (const end of endings) await end()
  }
}

/** The median time of the call for each of some clients. */
async function timesOf(call: Call, path: string): Promise<number> {
  const times: number[] = []
  for (let client = 1; client <= listCount; client += 1) {
    const startedAt = performance.now()
    await call('GET', `${path}${client}`)
    times.push(performance.now() - startedAt)
  }
  return quantile(times, 0.5)
}

function clusterTable(found: ReadonlyMap<number, readonly Round[]>): string {
  const median = (rounds: readonly Round[], value: (round: Round) => number) =>
    quantile(rounds.map(value), 0.5)
  const single = found.get(0) ?? []
  const rows = [...found].map(([workers, rounds]) => {
    const rate = median(rounds, ({ perSecond }) => perSecond)
    return [
      workers === 0 ? 'one server' : `${workers} worker${workers === 1 ? '' : 's'}`,
      Math.round(rate).toLocaleString('en-GB'),
      (rate / median(single, ({ perSecond }) => perSecond)).toFixed(2),
      `${median(rounds, ({ p50Ms }) => p50Ms)} ms`,
      `${median(rounds, ({ p99Ms }) => p99Ms)} ms`,
      `${median(rounds, ({ microseconds }) => microseconds).toFixed(0)} µs`,
      `${median(rounds, ({ listMs }) => listMs).toFixed(1)} ms`,
      `${median(rounds, ({ sumMs }) => sumMs).toFixed(1)} ms`,
      String(rounds.reduce((sum, { missing }) => sum + missing, 0)),
    ].join(' | ')
  })
  return [
    '| records on | stored a second | of one server | p50 | p99 | PostgreSQL, processor time a message | a page of a client | its sum | acknowledged, not stored |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    `Debian's PostgreSQL with Citus, the same settings for each server and ${shards} shards; 10 binds with a window of 50. All servers, the gateway and the load share the cores of one machine, so more workers bring no more speed here: the table shows what spreading costs.`,
  ].join('\n')
}
