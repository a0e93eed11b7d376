// Measures the close of a large cycle while messages come in: bills, lines, statements, and what the traffic feels of
// each. `npm run bench -- --only close`.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { listPeriods } from '@tollgate/server/billing/bills/period-views.ts'
import { row, rows, type Database, type Db } from '@tollgate/server/platform/db.ts'
import { startGateway, type GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { load } from './children.ts'
import { billsProof, debtsProof } from './close-proof.ts'
import { raceClosers } from './close-races.ts'
import { fillRecords } from '@tollgate/server/test/traffic/fill.ts'
import { warmSeconds, type LoadResult } from './load.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from '@tollgate/server/test/http/operator.ts'
import { fillOnce, onNewServer, onServer } from './on-server.ts'
import { writeLogThrough } from './write-log-through.ts'

export interface CloseOptions {
  readonly records: number
  readonly clients: number
  /** How many of the clients owe more than their bill would be; the rest is set off against their payouts. */
  readonly debtors: number
  readonly perSecond: number
  /** How long the traffic of one comparison lasts. */
  readonly seconds: number
  /** Folder for the filled database: it is measured on copies, and used again by the next run. */
  readonly keep?: string | undefined
}

// A close is over in two seconds, so one of them says little about what the traffic feels.
const closings = 5

/** Closes a cycle of that size under traffic, several times. Returns the section of the report. */
export async function measureClose(options: CloseOptions): Promise<string> {
  const folder = options.keep ?? (await mkdtemp(join(tmpdir(), 'tollgate-bench-')))
  await mkdir(folder, { recursive: true })
  // As root the database runs as another account. Where that cannot pass, it lies elsewhere, and a copy would name the same.
  await chmod(folder, 0o711)
  const copy = join(folder, 'copy')
  try {
    const filled = join(folder, `${options.records}-${options.clients}`)
    await fillOnce(filled, (database) => fill(database, options))
    const closed: Closing[] = []
    for (let turn = 1; turn <= closings; turn += 1) {
      await rm(copy, { recursive: true, force: true })
      await promisify(execFile)('cp', ['-a', '--reflink=auto', filled, copy])
      await onServer(copy, 'on', async ({ database, url }) => {
        await writeLogThrough(database)
        closed.push(await closeLarge(database, url, copy, { ...options, isLast: turn === closings }))
      })
    }
    return reportOf(closed, options)
  } finally {
    await rm(options.keep === undefined ? folder : copy, { recursive: true, force: true })
  }
}

/** Closes 500 small cycles while closers are killed. Returns the section of the report. */
export function measureRaces(): Promise<string> {
  return onNewServer('off', ({ database, url }) => raceClosers(database, url))
}

async function fill({ db, pool }: Database, { records, clients }: CloseOptions): Promise<void> {
  const onProgress = (done: number) => done % 1_000_000 === 0 && console.log(`${done} records`)
  const numbers = { numbers: clients * 2, skew: 6, ownPriceEvery: 50 }
  await fillRecords(pool, { records, days: 6, now: new Date(), clients, ...numbers, onProgress })
  // One ledger transaction for each client. The close works in the same way as with millions of transactions.
  await sql`insert into ledger_lines (transaction_id, cycle_id, user_id, amount_micro, account, settlement, kind)
    select c.client_id, c.cycle_id, side.user_id, side.sign * c.amount_micro, side.account, c.settlement, 'traffic'
    from record_cycles c, lateral (values (c.client_id, 'payable', 1), (null, 'traffic_expense', -1))
      as side (user_id, account, sign)`.execute(db)
  // The search tables belong to another measurement: building them now would take a core for minutes.
  await sql`update follower_positions set (xid, batch) =
    (select xid, id from record_batches order by xid desc, id desc limit 1) where follower = 'search'`.execute(
    db,
  )
}

/** Offers messages for a while; each call measures once. */
type OfferTraffic = () => Promise<LoadResult>

const quietTurns = 2

/** How long one close took, and its effect on the traffic. */
interface Closing extends Phases {
  readonly quiet: readonly LoadResult[]
  /** The time of a client's figure of the open cycle. */
  readonly figure: string
  /** After the last close: the statements and the proof. */
  readonly statements?: StatementPhase
}

interface StatementPhase {
  /** Seconds after the close began. */
  readonly signed: number
  /** While statements were made, without the close itself. */
  readonly signing: readonly LoadResult[]
  readonly proof: string
}

/** Corrections of the clients with the largest payouts: their bills, half of their payouts and a little more. */
async function postDebts(db: Db, debtors: number): Promise<void> {
  await sql`insert into ledger_lines (transaction_id, at, cycle_id, user_id, amount_micro, account, settlement, kind)
    select c.transaction_id, clock_timestamp(), c.cycle_id, side.user_id, side.sign * c.debt_micro, side.account, 1, 'adjustment'
    from (
      select nextval('transaction_ids') as transaction_id, cycle_id, client_id,
        (sum(amount_micro) - sum(amount_micro) filter (where settlement = 2) / 2 + 10000000)::bigint as debt_micro
      from record_cycles where client_id is not null and settlement in (1, 2)
      group by cycle_id, client_id
      order by sum(amount_micro) filter (where settlement = 2) desc nulls last, client_id limit ${debtors}
    ) c, lateral (values (c.client_id, 'payable', -1), (null, 'adjustment', 1)) as side (user_id, account, sign)`.execute(
    db,
  )
}

async function closeLarge(
  { db }: Database,
  url: string,
  dataDir: string,
  options: CloseOptions & { readonly isLast: boolean },
): Promise<Closing> {
  // The cycle of a kept database must not end before the traffic starts.
  await sql`update cycles set ends_at = clock_timestamp() + interval '1 day' where closed_at is null`.execute(
    db,
  )
  await postDebts(db, options.debtors)
  const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
  try {
    const offer = await prepareOffer(db, gateway, options)
    // The first seconds of a gateway and of a copied database are slower.
    await inTurns(3, offer)
    const [figure] = await Promise.all([timeFigure(db), offer()])
    const quiet = await inTurns(quietTurns, offer)
    console.log(`quiet: p99 of messages ${quiet.map(({ p99Ms }) => p99Ms).join(', ')} ms`)
    const phases = await closeUnderTraffic(db, offer)
    if (!options.isLast) return { ...phases, figure, quiet }
    const signing: LoadResult[] = []
    while (!(await isSigned(db))) signing.push(await offer())
    const signed = (Date.now() - phases.startedAtMs) / 1_000
    const after = await inTurns(quietTurns, offer)
    return {
      ...phases,
      figure,
      quiet: [...quiet, ...after],
      statements: { signed, signing, proof: `${await billsProof(db)} ${await debtsProof(db)}` },
    }
  } finally {
    await gateway.stop()
  }
}

function reportOf(closed: readonly Closing[], options: CloseOptions): string {
  const last = closed.at(-1)
  if (last?.statements === undefined) throw new Error('No cycle was closed')
  return [
    headOf(options),
    '',
    ...phasesTable(closed, last.statements, options),
    '',
    ...trafficTable(closed, last.statements),
    '',
    p99Change(closed),
    '',
    `A client's figure of the open cycle, before the close, the same traffic coming in: p50 and p95 ${last.figure} ms.`,
    '',
    last.statements.proof,
  ].join('\n')
}

async function prepareOffer(
  db: Db,
  gateway: GatewayProcess,
  { perSecond, seconds }: CloseOptions,
): Promise<OfferTraffic> {
  const supplier = await makeSupplier(await signInAsAdmin(gateway.url))
  const numbers = await rows<{ number: string }>(
    db,
    sql`select number from numbers order by md5(number) limit 5000`,
  )
  const digits = numbers.map(({ number }) => number)
  return () => load({ ...supplier, port: gateway.port, digits, binds: 10, window: 50, seconds, perSecond })
}

async function inTurns(turns: number, offer: OfferTraffic): Promise<LoadResult[]> {
  const found: LoadResult[] = []
  for (let turn = 0; turn < turns; turn += 1) found.push(await offer())
  return found
}

interface Phases {
  readonly startedAtMs: number
  /** Seconds after the close began. */
  readonly billed: number
  readonly itemised: number
  readonly closing: LoadResult
}

const hasCycle = async (db: Db, condition: ReturnType<typeof sql>) =>
  (await row(db, sql`select from cycle_bills where ${condition}`)) !== undefined
const isSigned = (db: Db) => hasCycle(db, sql`signed_at is not null`)

async function closeUnderTraffic(db: Db, offer: OfferTraffic): Promise<Phases> {
  const traffic = offer()
  // The close must lie wholly within the seconds that are counted.
  await sleep((warmSeconds + 0.5) * 1_000)
  if (await hasCycle(db, sql`true`)) throw new Error('The cycle was closed before the measurement')
  await sql`update cycles set ends_at = clock_timestamp() where closed_at is null`.execute(db)
  const reached = async (condition: ReturnType<typeof sql>) => {
    while (!(await hasCycle(db, condition))) await sleep(20)
    return Date.now()
  }
  const billedAtMs = await reached(sql`true`)
  const itemisedAtMs = await reached(sql`itemised_at is not null`)
  const closing = await traffic
  // Times count from the close and not from the end of the cycle, since the gateway checks once a second whether a
  // cycle is due.
  const cycle = await row<{ closed_at: Date }>(
    db,
    sql`select closed_at from cycles where closed_at is not null`,
  )
  if (cycle === undefined) throw new Error('No cycle was closed')
  const startedAtMs = cycle.closed_at.getTime()
  const secondsUntil = (atMs: number) => (atMs - startedAtMs) / 1_000
  const [billed, itemised] = [secondsUntil(billedAtMs), secondsUntil(itemisedAtMs)]
  console.log(
    `bills after ${billed.toFixed(2)} s, lines after ${itemised.toFixed(2)} s, p99 of messages ${closing.p99Ms} ms`,
  )
  return { startedAtMs, billed, itemised, closing }
}

const count = (value: number) => Math.round(value).toLocaleString('en-GB')

const headOf = ({ clients, debtors, records, perSecond, seconds }: CloseOptions) =>
  `${count(clients)} clients, of whom ${count(debtors)} owe more than they earned in the bill, ${count(records)} records of one cycle, ${count(perSecond)} messages a second coming in; each comparison of ${seconds} s; load, gateway and PostgreSQL share the machine. The cycle is **closed** when each client has a bill of the exact sum and each bill its lines by number and rate, each own-price number its payout: from then on every cent can be traced. Statements are made behind it.`

function phasesTable(
  closed: readonly Closing[],
  { signed }: StatementPhase,
  { records }: CloseOptions,
): string[] {
  const times = (of: (closing: Closing) => number) => {
    const sorted = closed.map(of).toSorted((a, b) => a - b)
    return `${median(sorted).toFixed(1)} s [${sorted[0]?.toFixed(1)} … ${sorted.at(-1)?.toFixed(1)}]`
  }
  return [
    `| after the beginning of the close, ${closed.length} times | median [least … most] |`,
    '|---|---|',
    `| bills made | ${times(({ billed }) => billed)} |`,
    `| **closed**: lines and payouts written, equal to the counters | **${times(({ itemised }) => itemised)}** |`,
    `| all statements chained, compared and signed, once | ${signed.toFixed(0)} s, ${count(records / (signed - (closed.at(-1)?.itemised ?? 0)))} records a second |`,
  ]
}

const median = (sorted: readonly number[]) => sorted[sorted.length >> 1] ?? 0

function trafficTable(closed: readonly Closing[], { signing }: StatementPhase): string[] {
  const line = (what: string, turns: readonly LoadResult[]) => {
    const sorted = turns.map(({ p99Ms }) => p99Ms).toSorted((a, b) => a - b)
    const at = (place: number) => (sorted[place] ?? 0).toFixed(1)
    const p50 = median(turns.map(({ p50Ms }) => p50Ms).toSorted((a, b) => a - b))
    const longest = Math.max(0, ...turns.map(({ maxMs }) => maxMs))
    const refused = turns.reduce((sum, turn) => sum + turn.refused, 0)
    return `| ${what} | ${turns.length} | ${p50.toFixed(1)} | ${median(sorted).toFixed(1)} [${at(0)} … ${at(sorted.length - 1)}] | ${longest.toFixed(0)} | ${refused} |`
  }
  return [
    '| answer time of messages, ms | turns | p50 | p99, median [least … most] | longest | refused |',
    '|---|---|---|---|---|---|',
    line(
      'nothing else',
      closed.flatMap(({ quiet }) => quiet),
    ),
    line(
      'while the cycle closes',
      closed.map(({ closing }) => closing),
    ),
    ...(signing.length === 0 ? [] : [line('while statements are made', signing)]),
  ]
}

/** How much longer messages wait while a cycle closes; the goal is at most 20 %. */
function p99Change(closed: readonly Closing[]): string {
  const p99 = (turns: readonly LoadResult[]) =>
    median(turns.map(({ p99Ms }) => p99Ms).toSorted((a, b) => a - b))
  const [quiet, closing] = [
    p99(closed.flatMap((each) => each.quiet)),
    p99(closed.map((each) => each.closing)),
  ]
  const percent = (100 * (closing - quiet)) / quiet
  return `p99 of messages while the cycle closes, against nothing else: ${percent > 0 ? '+' : ''}${percent.toFixed(0)} %.`
}

/** The time of the query by which the page shows a client's open cycle. */
async function timeFigure(db: Db): Promise<string> {
  const users = await rows<{ id: number }>(
    db,
    sql`select id from users where username like 'client%' order by md5(username) limit 210`,
  )
  const times: number[] = []
  for (const { id } of users) {
    const startedAt = performance.now()
    await listPeriods(
      db,
      { userId: id, hasOwnOpen: true, now: new Date() },
      { sort: 'newest', order: 'desc', limit: 100 },
    )
    times.push(performance.now() - startedAt)
  }
  // The first queries of a connection load its catalog cache; the gateway's connections live for hours.
  const sorted = times.slice(10).toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `${at(0.5)} and ${at(0.95)}`
}
