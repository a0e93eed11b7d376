// Money over HTTP on a database of its own: six users (u1 to u3 clients, u4 and u5 support, u6 admin), four numbers
// (the last two with a price of their own), a clock that obeys, and records as ingest leaves them.
import { sql } from 'kysely'
import type { HttpMethod } from '@tollgate/contract/route.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { bufferRecords } from '../traffic/counters.ts'
import { foldCounters } from '../../src/ingest/fold-store.ts'
import { createTestAudit, createTestUsers } from '../people/audit.ts'
import { composeMoney, type Money } from '../../src/compose-money.ts'
import { refuseOwnAccount, type BillingOptions } from '../../src/billing/index.ts'
import { createIntegrity, type Integrity } from '../../src/integrity/index.ts'
import type { Mail } from '../../src/mail/index.ts'
import { createLedger, findOpenCycle, type Cycle, type Ledger } from '../../src/ledger/index.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { createNumbers } from '../../src/numbers/index.ts'
import { createObjects } from '../../src/objects/index.ts'
import { row, type Db } from '../../src/platform/db.ts'
import { createEgress } from '../../src/platform/security/egress.ts'
import { createTableReader } from '../../src/files/tables/table-reader.ts'
import { createSigner } from '../../src/platform/security/signing.ts'
import { transaction } from '../../src/platform/transaction.ts'
import { createRates, ownPrices, toAddress, type Rates } from '../../src/rates/index.ts'
import { messageIdOf, type RecordKey } from '../../src/ingest/index.ts'
import { createTerms } from '../../src/terms/index.ts'
import { openTestApi, type TestAnswer, type TestCall } from '../http/api.ts'
import { afterUse, fixedClock, openTestDatabase } from '../environment/database.ts'
import { Overload } from '../../src/platform/load/overload.ts'

interface TestBillingOptions {
  readonly tron?: BillingOptions['tron']
  readonly cycleSeconds?: number
  readonly mail?: (db: Db, clock: Clock) => Mail
  readonly announce?: BillingOptions['announce']
}

export interface TrafficSpec {
  readonly client: number
  /** Id of the number: 1 and 2 settle in the bill, 3 and 4 in payouts. */
  readonly number: number
  readonly count: number
  readonly amountMicro: number
  readonly isHeld?: boolean
  readonly rateId?: number
}

const roleOf = (userId: number) => (userId > 5 ? 'admin' : userId > 3 ? 'support' : 'user')

/** Signs each person in once. */
function cookieJar(api: Awaited<ReturnType<typeof openTestApi>>): (userId: number) => string {
  const cookies = new Map<number, string>()
  return (userId) => {
    let cookie = cookies.get(userId)
    if (cookie === undefined) {
      const person = { userId, username: `u${userId}`, role: roleOf(userId) }
      cookies.set(userId, (cookie = api.signIn(person as Parameters<typeof api.signIn>[0])))
    }
    return cookie
  }
}

export async function openTestBilling(options: TestBillingOptions = {}) {
  // A thousand calls at once wait in line for a connection, however busy the machine.
  const { db, pool, address } = await openTestDatabase({ maxConnections: 20, connectTimeoutMs: 60_000 })
  const clock = fixedClock('2026-03-04T12:00:00Z')
  const ledger = createLedger({ db, clock, cycleSeconds: options.cycleSeconds ?? 604_800 })
  const { deps, rates, terms } = billingOptions(db, clock, ledger, options)
  const { audit, settings } = deps
  const billing = composeMoney({ ...deps, isJudged: (from, until) => integrity.isJudged(from, until) })
  const integrity: Integrity = holdsOn(deps, billing, rates)
  const { creditUnowned } = billing
  const numbers = createNumbers({
    db,
    audit,
    tables: deps.tables,
    prices: ownPrices,
    creditUnowned,
    refuseOwnAccount,
    terms,
    publish: () => undefined,
  })
  const objects = createObjects({ db, audit })
  const routes = [
    ...billing.routes,
    ...integrity.routes,
    ...rates.routes,
    ...terms.routes,
    ...numbers.routes,
    ...objects.routes,
    ...createTestAudit({ db, clock }).routes,
  ]
  const api = await openTestApi(routes, undefined, clock)
  await addPeople(db)
  await sql`insert into numbers (number, price_micro) values ('447700000001', null), ('447700000002', null),
    ('447700000003', 500000), ('447700000004', 500000)`.execute(db)

  const cookieOf = cookieJar(api)
  const nextIds = idCounter()
  const traffic = trafficWriter(db, clock, ledger, nextIds)

  const call = (userId: number, method: HttpMethod, path: string, given: TestCall = {}) =>
    api.call(method, path, { cookie: cookieOf(userId), ...given })

  /** Ends the open cycle, closes it, and returns it. */
  async function closeCycle(): Promise<Cycle> {
    const open = await findOpenCycle(db)
    if (open === undefined) throw new Error('No cycle is open')
    clock.set(open.endsAt)
    await billing.closeDueCycles()
    return open
  }

  return {
    db,
    pool,
    address,
    clock,
    audit,
    ledger,
    settings,
    deps,
    billing,
    integrity,
    api,
    routes,
    traffic,
    unowned: unownedWriter(db, clock, ledger, nextIds),
    held: (given: Omit<TrafficSpec, 'count'>) => holdNew({ db, traffic, integrity }, given),
    call,
    closeCycle,
    ...buildersOf({ call, traffic, closeCycle }),
  }
}

/** What the slice is built from, on a test database. */
function billingOptions(db: Db, clock: Clock, ledger: Ledger, options: TestBillingOptions) {
  const audit = createTestAudit({ db, clock })
  const { settings } = createTestUsers({ db, clock, audit })
  const rates = createRates({ db, audit, settings, refuseOwnAccount })
  const terms = createTerms({ db, clock, settings, refuseOwnAccount })
  const deps: BillingOptions = {
    db,
    clock,
    readClocks: async () => ({ node: clock.now(), database: clock.now() }),
    audit,
    ledger,
    settings,
    terms,
    treasuryAddresses: rates.treasuryAddresses,
    egress: openEgress(),
    tables: createTableReader(),
    signer: createSigner('key material for tests', 'statements'),
    tron: options.tron,
    mail: options.mail?.(db, clock),
    announce: options.announce,
    consoleUrl: 'https://gateway.example.com',
  }
  return { deps, rates, terms }
}

/** A client's own address. */
export const addressOf = (client: number): string => toAddress(String(client).padStart(2, '0').repeat(20))

interface MoneyEnvironment {
  readonly call: (userId: number, method: 'PUT', path: string, given: TestCall) => Promise<TestAnswer>
  readonly traffic: ReturnType<typeof trafficWriter>
  readonly closeCycle: () => Promise<Cycle>
}

/** Builders of what a test needs to be there. */
function buildersOf({ call, traffic, closeCycle }: MoneyEnvironment) {
  let hashCount = 0
  /** A client with a payment profile. */
  async function aPayee(client = 1, usdtAddress = addressOf(client)): Promise<void> {
    const body = { fullName: `Client ${client}`, usdtAddress }
    const { status } = await call(client, 'PUT', '/api/user/profile', { body })
    if (status !== 200) throw new Error(`The profile was refused with ${status}`)
  }
  /** A closed cycle with traffic: by default ten messages of 0.05 USDT to a number of client 1. */
  async function aClosedCycle(...all: Partial<TrafficSpec>[]): Promise<Cycle> {
    for (const each of all.length === 0 ? [{}] : all)
      await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000, ...each })
    return closeCycle()
  }
  /** A bill of a client with an address, in a closed cycle; by default of 0.50 USDT. */
  async function aBill(of: Partial<TrafficSpec> = {}) {
    const client = of.client ?? 1
    await aPayee(client)
    const { id: cycleId } = await aClosedCycle(of)
    return { id: `${cycleId}-${client}`, path: `/api/billing/periods/${cycleId}-${client}`, client }
  }
  /** Such a bill that support has paid, without a check on the chain. */
  async function aPaidBill(of: Partial<TrafficSpec> = {}) {
    const bill = await aBill(of)
    hashCount += 1
    const transactionHash = hashCount.toString(16).padStart(64, 'f')
    const { body } = await call(4, 'PUT', `${bill.path}/pay`, { body: { transactionHash } })
    if (body.status !== 'paid') throw new Error(`The bill was not paid: ${body.message}`)
    return { ...bill, transactionHash }
  }
  return { aPayee, aClosedCycle, aBill, aPaidBill }
}

function openEgress() {
  const egress = createEgress([])
  afterUse(() => egress.close())
  return egress
}

/** Why {@link holdNew} holds. */
export const holdCause = {
  rule: 'duplicate',
  explanation: sentence('The same message came on {at}.', { at: { at: '2026-11-19T08:30:00.000Z' } }),
  score: 60,
}

/** The newest record, as `traffic` wrote it. */
export async function newestRecord(db: Db): Promise<RecordKey> {
  const found = await row<{ id: string; created_at: Date }>(
    db,
    sql`select id, created_at from records order by id desc limit 1`,
  )
  if (found === undefined) throw new Error('There is no record')
  return { recordId: Number(found.id), createdAtMs: found.created_at.getTime() }
}

interface HoldEnvironment {
  readonly db: Db
  readonly traffic: ReturnType<typeof trafficWriter>
  readonly integrity: Integrity
}

/** One new record that is held: its key, its message id, and the id of its hold. */
async function holdNew({ db, traffic, integrity }: HoldEnvironment, given: Omit<TrafficSpec, 'count'>) {
  await traffic({ ...given, count: 1 })
  const key = await newestRecord(db)
  const id = await transaction(db, (tx) => integrity.hold(tx, key, holdCause))
  return { id: id ?? '', key, messageId: messageIdOf(key) }
}

function holdsOn(
  { db, clock, audit, ledger, settings }: BillingOptions,
  billing: Money,
  rates: Pick<Rates, 'integrityMode'>,
): Integrity {
  return createIntegrity({
    db,
    clock,
    audit,
    tables: createTableReader(),
    ledger,
    approval: billing.approval,
    debts: billing.debts,
    settings,
    mode: rates.integrityMode,
    overload: new Overload({ isBusy: () => false }),
    correct: billing.correct,
    publish: () => undefined,
  })
}

/** Six people. */
async function addPeople(db: Db): Promise<void> {
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'u' || i, 'u@example.org', 'U', 'U', 'x',
      case when i > 5 then 'admin' when i > 3 then 'support' else 'user' end
    from generate_series(1, 6) i`.execute(db)
}

type NextIds = ReturnType<typeof idCounter>

/** Record ids from 1 on, some at a time. */
function idCounter() {
  let last = 0
  return (count: number) => {
    const from = last + 1
    last += count
    return { from, to: last }
  }
}

/** Writes records of a number that nobody holds, as ingest leaves them. */
function unownedWriter(db: Db, clock: Clock, ledger: Ledger, nextIds: NextIds) {
  return async function unowned({
    number,
    count,
    smsCount = 1,
  }: Pick<TrafficSpec, 'number' | 'count'> & { readonly smsCount?: number }) {
    const { id: cycleId } = await ledger.ensureOpenCycle()
    const { from, to } = nextIds(count)
    await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, gateway_id, cycle_id,
        status, settlement, sms_count, sender)
      select ${clock.now()}::timestamptz, i, now(), ${smsCount * 1_500_000}::bigint, 0, ${number}::int, 1, ${cycleId}::int,
        2, 0, ${smsCount}::smallint, '49' || i
      from generate_series(${from}::int, ${to}::int) i`.execute(db)
    await sql.raw(bufferRecords(`records where id between ${from} and ${to}`)).execute(db)
    await transaction(db, foldCounters)
  }
}

/** Writes records as ingest leaves them. */
function trafficWriter(db: Db, clock: Clock, ledger: Ledger, nextIds: NextIds) {
  /** The facts, their counters, and the ledger's lines. */
  return async function traffic({
    client,
    number,
    count,
    amountMicro,
    isHeld = false,
    rateId = 1,
  }: TrafficSpec) {
    const { id: cycleId } = await ledger.ensureOpenCycle()
    const settlement = number > 2 ? 2 : 1
    const { from, to } = nextIds(count)
    await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id,
        gateway_id, rate_id, cycle_id, status, settlement, is_held, sender)
      select ${clock.now()}::timestamptz, i, now(), 0, ${amountMicro}::bigint, ${number}::int, ${client}::int, 1,
        ${rateId}::int, ${cycleId}::int, 2, ${settlement}::int, ${isHeld}, '49' || i
      from generate_series(${from}::int, ${to}::int) i`.execute(db)
    const sum = BigInt(count * amountMicro)
    await sql`insert into record_line_sums as s
      values (${cycleId}, ${client}, ${number}, ${rateId}, ${settlement}, ${count}, ${sum})
      on conflict (cycle_id, client_id, number_id, rate_id, settlement) do update set
        record_count = s.record_count + excluded.record_count,
        amount_micro = s.amount_micro + excluded.amount_micro`.execute(db)
    const line = { cycleId, userId: client, settlement }
    await countEarned(db, ledger, { ...line, count, amountMicro: sum })
    if (!isHeld) return
    await ledger.post(db, [
      { ...line, account: 'payable', amountMicro: -sum, kind: 'hold' },
      { ...line, account: 'held', amountMicro: sum, kind: 'hold' },
    ])
    await noteHeld(db)
  }
}

interface Earned extends Record<'cycleId' | 'userId' | 'settlement' | 'count', number> {
  readonly amountMicro: bigint
}

/** Adds what a client earned in a cycle to its counters and to the ledger, as ingest does. */
export async function countEarned(db: Db, ledger: Ledger, earned: Earned): Promise<void> {
  const { count, amountMicro, ...line } = earned
  await sql`insert into record_cycle_counters as c
    values (${line.cycleId}, ${line.userId}, ${line.settlement}, ${count}, ${amountMicro})
    on conflict (cycle_id, client_id, settlement) do update set
      record_count = c.record_count + excluded.record_count,
      amount_micro = c.amount_micro + excluded.amount_micro`.execute(db)
  await ledger.post(db, [
    { ...line, account: 'payable', amountMicro, kind: 'traffic' },
    { ...line, userId: null, account: 'traffic_expense', amountMicro: -amountMicro, kind: 'traffic' },
  ])
}

/** Gives records that are marked as held, and have no hold yet, the hold that goes with the mark. */
export async function noteHeld(db: Db): Promise<void> {
  await sql`with marked as (
      select r.* from records r where r.is_held and not exists (select from hold_records p where p.record_id = r.id)
    ), made as (
      insert into holds (user_id, number_id, rule, explanation, score, amount_micro, record_count, created_at)
      select client_id, number_id, 'duplicate', 'held', 60, sum(amount_micro), count(*), now() from marked group by 1, 2
      returning id, user_id, number_id
    )
    insert into hold_records (record_id, record_created_at, hold_id, user_id, number_id, rate_id, cycle_id, settlement,
      amount_micro)
    select m.id, m.created_at, h.id, m.client_id, m.number_id, m.rate_id, m.cycle_id, m.settlement, m.amount_micro
    from marked m join made h on h.user_id = m.client_id and h.number_id = m.number_id`.execute(db)
}
