// What a standby that answers reads (decision 91) takes off the primary: the same lists and reports asked of two gateways on
// one pair of servers, of which one has DATABASE_READ_URL. Counted is the processor time of each server.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServerPair, type ServerPair } from '@tollgate/server/drills/pair-of-servers.ts'
import { startGateway } from '@tollgate/server/test/environment/children.ts'
import { benchPassword } from '@tollgate/server/test/http/operator.ts'
import { openSession, type Session } from '@tollgate/server/test/http/session.ts'
import { fillRecords } from '@tollgate/server/test/traffic/fill.ts'
import { databaseSeconds } from './processor-time.ts'

const pauseMs = 30
const idleMs = 10_000

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const paths: readonly (readonly [name: string, path: string])[] = [
  ['SMS Records, first page', '/api/records?limit=50'],
  ['SMS Records, of one sender', '/api/records?limit=50&search=4477009'],
  ['Numbers Management', '/api/premium-numbers?limit=100'],
  ['Analytics, 30 days by client', `/api/analytics?by=client&dateFrom=${dayAgo(29)}&dateTo=${dayAgo(0)}`],
  ['Analytics, 30 days by number', `/api/analytics?by=number&dateFrom=${dayAgo(29)}&dateTo=${dayAgo(0)}`],
]

interface Side {
  readonly url: string
  readonly session: Session
}

/** Milliseconds of processor time for one call, of each server. */
interface Cost {
  readonly primary: number
  readonly standby: number
}

export async function measureReplica(options: {
  readonly records: number
  readonly rounds: number
}): Promise<string> {
  const ends: (() => Promise<unknown>)[] = []
  const onEnd = (end: () => Promise<unknown>) => void ends.push(end)
  try {
    const pair = await startServerPair({ onEnd }, async ({ pool }) => {
      await fillRecords(pool, { records: options.records, days: 60, now: new Date(), batchRecords: 100 })
      return []
    })
    await pair.primary.ask('alter system reset synchronous_standby_names')
    await pair.primary.ask('select pg_reload_conf()')
    const alone = await openSide(pair, onEnd, {})
    const relieved = await openSide(pair, onEnd, { DATABASE_READ_URL: pair.standby.url })
    return await table(pair, alone, relieved, options)
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}

async function openSide(
  { primary }: ServerPair,
  onEnd: (end: () => Promise<unknown>) => void,
  environment: Readonly<Record<string, string>>,
): Promise<Side> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  onEnd(() => rm(folder, { recursive: true, force: true }))
  const settings = { SECRET_KEY: 'the key of both gateways', ...environment }
  const gateway = await startGateway(primary.url, folder, benchPassword, settings)
  onEnd(() => gateway.stop())
  const session = await openSession(gateway.url, 'bench-admin', benchPassword).catch((error: unknown) => {
    throw new Error(`${String(error)}; ${gateway.describe()}`)
  })
  return { url: gateway.url, session }
}

/** Asks in turns of `calls`, and takes off what both servers use while nobody asks. */
async function costOf(
  pair: ServerPair,
  { url, session }: Side,
  path: string,
  calls: number,
  idle: Cost,
): Promise<Cost> {
  const [primary, standby] = [databaseSeconds(pair.primary.pid), databaseSeconds(pair.standby.pid)]
  const startedAtMs = performance.now()
  for (let call = 0; call < calls; call += 1) {
    const answer = await fetch(`${url}${path}`, { headers: { cookie: session.cookie() } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
    await sleep(pauseMs)
  }
  const elapsedMs = performance.now() - startedAtMs
  const perCall = (used: number, idlePerMs: number) =>
    Math.max(0, used * 1_000 - idlePerMs * elapsedMs) / calls
  return {
    primary: perCall(databaseSeconds(pair.primary.pid) - primary, idle.primary),
    standby: perCall(databaseSeconds(pair.standby.pid) - standby, idle.standby),
  }
}

/** Milliseconds of processor time in each millisecond in which nobody asks. */
async function idleOf({ primary, standby }: ServerPair): Promise<Cost> {
  const [ofPrimary, ofStandby] = [databaseSeconds(primary.pid), databaseSeconds(standby.pid)]
  await sleep(idleMs)
  return {
    primary: ((databaseSeconds(primary.pid) - ofPrimary) * 1_000) / idleMs,
    standby: ((databaseSeconds(standby.pid) - ofStandby) * 1_000) / idleMs,
  }
}

async function table(
  pair: ServerPair,
  alone: Side,
  relieved: Side,
  { records, rounds }: { readonly records: number; readonly rounds: number },
): Promise<string> {
  const calls = 20
  // The first calls compile code and fill caches.
  for (const [, path] of paths)
    for (const side of [alone, relieved]) await costOf(pair, side, path, 3, nothing)
  const idle = await idleOf(pair)
  const rows: string[] = []
  for (const [name, path] of paths) {
    const found: Record<'alone' | 'relieved', Cost[]> = { alone: [], relieved: [] }
    for (let round = 0; round < rounds; round += 1) {
      found.alone.push(await costOf(pair, alone, path, calls, idle))
      found.relieved.push(await costOf(pair, relieved, path, calls, idle))
    }
    const of = (costs: readonly Cost[], server: keyof Cost) => median(costs.map((cost) => cost[server]))
    const [before, after] = [of(found.alone, 'primary'), of(found.relieved, 'primary')]
    rows.push(
      `| ${name} | ${before.toFixed(1)} ms | ${after.toFixed(1)} ms | ${of(found.relieved, 'standby').toFixed(1)} ms | ${(after / before).toFixed(2)} |`,
    )
  }
  return [
    `Processor time of a call, on ${records.toLocaleString('en')} records and without traffic; the median of ${rounds} turns of ${calls} calls. What both servers use while nobody asks is taken off.`,
    '',
    '| call | primary, without a standby | primary, with it | standby | with : without |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

const nothing: Cost = { primary: 0, standby: 0 }

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
