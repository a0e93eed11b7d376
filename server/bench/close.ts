// Measures the close of a large cycle while messages come in, and has closers killed at work. `npm run bench:close`.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createAudit } from '../src/audit/index.ts'
import { createBilling } from '../src/billing/index.ts'
import { listPeriods } from '../src/billing/views.ts'
import { createLedger } from '../src/ledger/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { openDatabase, row, rows, type Database, type Db } from '../src/platform/db.ts'
import { createEgress } from '../src/platform/egress.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/migrate.ts'
import { createSecrets } from '../src/platform/secrets.ts'
import { createSigner } from '../src/platform/signing.ts'
import { createRates } from '../src/rates/index.ts'
import { createUsers } from '../src/users/index.ts'
import { load, startGateway } from './children.ts'
import { fillRecords } from './fill.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from './operator.ts'

export interface CloseOptions {
  readonly records: number
  readonly clients: number
  readonly perSecond: number
}

/** Closes a cycle of that size under traffic, then 500 small ones under kill -9. Gives the section of the report. */
export async function measureClose(options: CloseOptions): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  try {
    await onServer(dataDir, 'off', (database) => fill(database, options))
    const large = await onServer(dataDir, 'on', (database, url) =>
      closeLarge(database, url, dataDir, options),
    )
    console.log(large)
    const races = await onServer(join(dataDir, 'races'), 'off', (database, url) => raceClosers(database, url))
    return `${large}\n\n${races}`
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function onServer<T>(
  dataDir: string,
  fsync: 'on' | 'off',
  work: (database: Database, url: string) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({ dataDir, settings: { fsync } })
  const address = { host: server.host, database: 'postgres' }
  const database = openDatabase({ address, statementTimeoutMs: 0, maxConnections: 20 })
  try {
    await migrate(database.pool)
    return await work(
      database,
      `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`,
    )
  } finally {
    await database.close()
    await server.stop()
  }
}

async function fill({ db, pool }: Database, { records, clients }: CloseOptions): Promise<void> {
  const onProgress = (done: number) => done % 1_000_000 === 0 && console.log(`${done} records`)
  await fillRecords(pool, { records, days: 6, now: new Date(), clients, numbers: clients * 2, onProgress })
  // One transaction for each client: to the close it is as if there were millions.
  await sql`insert into ledger_entries (transaction_id, cycle_id, user_id, amount_micro, account, settlement, kind)
    select c.client_id, c.cycle_id, side.user_id, side.sign * c.amount_micro, side.account, c.settlement, 'traffic'
    from record_cycles c, lateral (values (c.client_id, 'payable', 1), (null, 'traffic_expense', -1))
      as side (user_id, account, sign)`.execute(db)
}

async function closeLarge(
  { db }: Database,
  url: string,
  dataDir: string,
  { records, clients, perSecond }: CloseOptions,
): Promise<string> {
  const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
  try {
    const supplier = await makeSupplier(await signInAsAdmin(gateway.url))
    const digits = (await rows<{ number: string }>(db, sql`select number from numbers limit 5000`)).map(
      ({ number }) => number,
    )
    const seconds = 60
    const traffic = load({
      ...supplier,
      port: gateway.port,
      digits,
      binds: 10,
      window: 50,
      seconds,
      perSecond,
    })
    await sleep(5_000)
    const figure = await timeFigure(db)
    const startedAt = performance.now()
    await sql`update cycles set ends_at = clock_timestamp() where closed_at is null`.execute(db)
    const reached = async (condition: ReturnType<typeof sql>) => {
      while ((await row(db, sql`select from cycle_bills where ${condition}`)) === undefined) await sleep(20)
      return (performance.now() - startedAt) / 1_000
    }
    const billed = await reached(sql`true`)
    const itemised = await reached(sql`itemised_at is not null`)
    const { p50Ms, p99Ms, maxMs, perSecond: took } = await traffic
    await reached(sql`sealed_at is not null`)
    // By the database's clock, since the traffic was waited for in between.
    const sealed = await row<{ seconds: number }>(
      db,
      sql`select extract(epoch from b.sealed_at - c.ends_at)::float8 as seconds
          from cycle_bills b join cycles c on c.id = b.cycle_id`,
    )
    const bills = await row<{ count: number }>(db, sql`select count(*)::int as count from billing_periods`)
    const count = (value: number) => Math.round(value).toLocaleString('en-GB')
    return [
      `| ${count(clients)} clients, ${count(records)} records, ${count(took)} messages a second coming in | |`,
      '|---|---|',
      `| bills made (of ${count(bills?.count ?? 0)} clients), after the end of the cycle | ${billed.toFixed(1)} s |`,
      `| lines and payouts written | ${itemised.toFixed(1)} s |`,
      `| all statements chained, compared and signed | ${(sealed?.seconds ?? 0).toFixed(1)} s |`,
      `| answer time of the messages meanwhile, p50, p99, longest | ${p50Ms.toFixed(1)}, ${p99Ms.toFixed(1)}, ${maxMs.toFixed(0)} ms |`,
      `| a client's figure of the open period before the close, p50, p95 | ${figure} ms |`,
    ].join('\n')
  } finally {
    await gateway.stop()
  }
}

/** As the page asks for it. */
async function timeFigure(db: Db): Promise<string> {
  const users = await rows<{ id: number }>(
    db,
    sql`select id from users where username like 'client%' order by random() limit 60`,
  )
  const times: number[] = []
  for (const { id } of users) {
    const startedAt = performance.now()
    await listPeriods(db, { userId: id, hasOwnOpen: true, now: new Date() }, { limit: 100 })
    times.push(performance.now() - startedAt)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  return `${at(0.5)}, ${at(0.95)}`
}

const cycleCount = 500
const closerCount = 8
const cycleSeconds = 60
const killEveryMs = 100

/** Eight processes close 500 cycles that are due; one after the other is killed and replaced. */
async function raceClosers({ db }: Database, url: string): Promise<string> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x', 'user' from generate_series(1, 20) i`.execute(db)
  await sql`insert into numbers (number) select (447700000000 + i)::text from generate_series(1, 20) i`.execute(
    db,
  )
  const startMs = Math.floor(Date.now() / 60_000 - cycleCount) * 60_000
  await sql`insert into cycles (starts_at, ends_at) values (${new Date(startMs)}, ${new Date(startMs + 60_000)})`.execute(
    db,
  )
  // A killed close burns an id; without gaps the traffic of all cycles can be written ahead.
  await sql`create function next_cycle_id() returns trigger language plpgsql as $$
    begin new.id := (select coalesce(max(id), 0) + 1 from cycles); return new; end $$`.execute(db)
  await sql`create trigger cycles_gapless before insert on cycles for each row execute function next_cycle_id()`.execute(
    db,
  )
  await sql`insert into record_cycles select c, u, 1, 1 + u, 50000 * (1 + u) + c
    from generate_series(1, ${cycleCount}::int) c, generate_series(1, 20) u`.execute(db)
  let killed = 0
  const closers = Array.from({ length: closerCount }, () => startCloser(url))
  const isDone = async () =>
    (await row(db, sql`select from cycles where closed_at is null and ends_at > now()`)) !== undefined
  while (!(await isDone())) {
    await sleep(killEveryMs)
    // Half of them stay at work: on a busy machine they take seconds to start.
    const atWork = closers.filter(({ isAtWork }) => isAtWork)
    if (atWork.length <= closerCount / 2) continue
    const unlucky = atWork[Math.floor(Math.random() * atWork.length)]
    if (unlucky === undefined) continue
    unlucky.child.kill('SIGKILL')
    closers.splice(closers.indexOf(unlucky), 1)
    closers.push(startCloser(url))
    killed += 1
  }
  for (const { child } of closers) child.kill('SIGKILL')
  const found = await row<{ closed: number; doubled: number; missed: number; unbalanced: number }>(
    db,
    sql`select (select count(*)::int from cycles where closed_at is not null) as closed,
          (select count(*)::int from (select from ledger_entries where account = 'billed'
            group by cycle_id, user_id having count(*) > 1) d) as doubled,
          (select count(*)::int from record_cycles r left join billing_periods b
            on (b.cycle_id, b.user_id) = (r.cycle_id, r.client_id)
            where r.cycle_id <= ${cycleCount} and b.total_micro is distinct from r.amount_micro) as missed,
          (select count(*)::int from (select from ledger_entries group by transaction_id
            having sum(amount_micro) <> 0) u) as unbalanced`,
  )
  return [
    `| ${closerCount} closers, one killed every ${killEveryMs} ms (${killed} in all) | |`,
    '|---|---|',
    `| cycles closed | ${found?.closed ?? 0} |`,
    `| bills doubled, missed or of another amount | ${(found?.doubled ?? 0) + (found?.missed ?? 0)} |`,
    `| ledger transactions that do not sum to zero | ${found?.unbalanced ?? 0} |`,
  ].join('\n')
}

interface Closer {
  readonly child: ChildProcess
  isAtWork: boolean
}

function startCloser(url: string): Closer {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bench.js'), 'closer', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closer = { child, isAtWork: false }
  child.stdout.once('data', () => (closer.isAtWork = true))
  return closer
}

/** A process that does nothing but close what is due, until it is killed. */
export async function closeForEver(url: string): Promise<never> {
  const { db } = openDatabase({ address: url, maxConnections: 3 })
  const audit = createAudit({ db, clock: systemClock })
  const secrets = createSecrets('bench')
  const smppAddress = () => ({ host: '127.0.0.1', port: 2775 })
  const { settings, requireRecentLogin } = createUsers({
    db,
    clock: systemClock,
    audit,
    secrets,
    smppAddress,
  })
  const billing = createBilling({
    db,
    clock: systemClock,
    audit,
    ledger: createLedger({ db, clock: systemClock, cycleSeconds }),
    settings,
    treasuryAddresses: createRates({ db, audit, settings }).treasuryAddresses,
    requireRecentLogin,
    egress: createEgress([]),
    signer: createSigner('bench', 'statements'),
    tron: undefined,
  })
  console.log('at work')
  for (;;) {
    await billing.closeDueCycles()
    await sleep(50)
  }
}
