// SQL on statements, and on the records, bills and payouts that they are made from.
import { sql, type RawBuilder } from 'kysely'
import { driverOf, execute, row, rows, type Db, type Row } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { isLeftOutOfBill, type AccountSpan } from '../billing/index.ts'
import type { ErasedPeriod } from '../ingest/index.ts'
import type { StoredRecord } from './format.ts'

/** The oldest closed cycle that has its bill lines but not all of its statements. */
export async function findUnsigned(db: Db): Promise<number | undefined> {
  const found = await db
    .selectFrom('cycle_bills')
    .select('cycle_id as id')
    .where('signed_at', 'is', null)
    .where('itemised_at', 'is not', null)
    .orderBy('cycle_id')
    .limit(1)
    .executeTakeFirst()
  return found?.id
}

/** What a statement's header and sums must agree with. */
export interface PeriodFacts {
  readonly user_id: number
  readonly username: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly closed_at: Date
  readonly total_micro: string
  /** The number of records by the counters. */
  readonly record_count: string
}

const counted = (cycleId: number) => sql`
  select client_id as user_id, record_count, false as has_more from record_cycles
    where cycle_id = ${cycleId} and client_id <> 0 and settlement in (1, 2)
  union all select user_id, 0, true from billing_periods where cycle_id = ${cycleId}
  union all select user_id, 0, true from ledger_entries
    where cycle_id = ${cycleId} and user_id is not null and account = 'payable' and kind <> 'traffic'
      and kind in ('adjustment', 'carry')
  union all select user_id, 0, true from holds where decided_cycle_id = ${cycleId}`

const facts = (cycleId: number, clients: RawBuilder<unknown>) => sql`
  select u.id as user_id, u.username, c.starts_at, c.ends_at, c.closed_at,
    coalesce(b.total_micro, 0) as total_micro, clients.record_count
  from (${clients}) clients (user_id, record_count)
  join users u on u.id = clients.user_id join cycles c on c.id = ${cycleId} and c.closed_at is not null
  left join billing_periods b on b.cycle_id = c.id and b.user_id = u.id
  order by u.id`

/** Clients who have records, a bill, adjustments or decisions in the cycle but no statement; the first `limit` by id. */
export function clientsWithout(
  db: Db,
  cycleId: number,
  afterUserId: number,
  limit: number,
): Promise<PeriodFacts[]> {
  return rows(
    db,
    facts(
      cycleId,
      sql`select user_id, sum(record_count) from (${counted(cycleId)}) counters where user_id > ${afterUserId}
            and not exists (select from statements s where s.cycle_id = ${cycleId} and s.user_id = counters.user_id)
            and not exists (select from unclosed_accounts n where n.cycle_id = ${cycleId} and n.user_id = counters.user_id)
          group by user_id having sum(record_count) > 0 or bool_or(has_more) order by user_id limit ${limit}`,
    ),
  )
}

/** The same for one client, even without anything in the cycle; undefined for an open or unknown cycle. */
export function periodFacts(db: Db, cycleId: number, userId: number): Promise<PeriodFacts | undefined> {
  return row(
    db,
    facts(
      cycleId,
      sql`select ${userId}::int, coalesce(sum(record_count), 0) from (${counted(cycleId)}) counters
          where user_id = ${userId}`,
    ),
  )
}

const pageRows = 1_000
// Two milliseconds of work: messages are handled between two pages.
const scanRows = 150

// Rows as arrays, which costs less than objects: tens of thousands of rows are read each second.
type RecordCells = [number, string, string, number, number | null, string, number, string, boolean, number]

const selected = (cycleId: number, condition: RawBuilder<unknown>) => sql`
  select r.client_id, (extract(epoch from r.created_at) * 1000000)::bigint, r.id, r.number_id, r.rate_id,
    r.amount_micro, r.settlement, r.sender,
    exists (select from (select * from hold_records where cycle_id = ${cycleId} and ${isLeftOutOfBill}) h where h.record_id = r.id),
    r.sms_count
  from records r where ${condition} order by r.client_id, r.created_at, r.id`

async function recordsBy(db: Db, query: RawBuilder<unknown>): Promise<StoredRecord[]> {
  const { sql: text, parameters } = query.compile(db)
  const statement = { rowMode: 'array' as const, text, values: [...parameters] }
  return (await driverOf(db).query<RecordCells>(statement)).rows.map(fromCells)
}

/**
 * A client's records of the cycle in the order of time, a page at a time, for a consumer that may be slow. `bounds` is a
 * condition on records `r`.
 */
export async function* walkRecords(
  db: Db,
  cycleId: number,
  userId: number,
  bounds: RawBuilder<unknown>,
): AsyncGenerator<StoredRecord[]> {
  const client = { from: userId, to: userId }
  const all = ofClients(cycleId, client, bounds)
  let after: StoredRecord | undefined
  for (;;) {
    const condition = after === undefined ? all : sql`${all} and ${isAfter(after)}`
    const page = await transaction(db, async (tx) => {
      // The index has this order. But before a new table is analyzed, PostgreSQL would read and sort all remaining
      // records for each page, which takes minutes instead of seconds.
      await execute(
        tx,
        'set transaction read only; set local enable_seqscan = off; set local enable_bitmapscan = off',
      )
      return recordsBy(tx, sql`${selected(cycleId, condition)} limit ${pageRows}`)
    })
    yield page
    after = page.at(-1)
    if (after === undefined || page.length < pageRows) return
  }
}

/**
 * Passes the records of a range of clients to `take`, ordered by client and time, a page at a time, until `take` returns
 * false. With `areMany`, PostgreSQL scans the whole cycle and sorts it: through the index it would fetch one page for
 * each record. The transaction keeps a snapshot, which stops vacuum, so it should read at most a million records.
 */
export async function scanRecords(
  db: Db,
  cycleId: number,
  clients: AccountSpan & { readonly areMany: boolean },
  bounds: RawBuilder<unknown>,
  take: (page: readonly StoredRecord[]) => Promise<boolean>,
): Promise<void> {
  const scan = async (tx: Db) => {
    await execute(
      tx,
      `set transaction read only; set local statement_timeout = 0; set local cursor_tuple_fraction = 1;
       set local work_mem = '64MB'`,
    )
    if (clients.areMany)
      await execute(tx, 'set local enable_indexscan = off; set local enable_bitmapscan = off')
    const query = selected(cycleId, ofClients(cycleId, clients, bounds))
    await sql`declare statement_records no scroll cursor for ${query}`.execute(tx)
    const fetch = () => recordsBy(tx, sql.raw(`fetch ${scanRows} from statement_records`))
    // The next page is fetched while this one is processed. The page after the last one is empty.
    for (let next = fetch(); ;) {
      const page = await next
      if (page.length === 0) return
      next = fetch()
      const [shouldGoOn] = await Promise.all([take(page), next])
      if (!shouldGoOn) return
    }
  }
  await transaction(db, scan, { isOnce: true })
}

const isAfter = ({ clientId, createdAtMicros, id }: StoredRecord) => sql`(r.client_id, r.created_at, r.id) > (
  ${clientId}::int, 'epoch'::timestamptz + ${createdAtMicros}::bigint * interval '1 microsecond', ${id}::bigint)`

const fromCells = (cells: RecordCells): StoredRecord => ({
  clientId: cells[0],
  createdAtMicros: cells[1],
  id: cells[2],
  numberId: cells[3],
  rateId: cells[4],
  amountMicro: cells[5],
  settlement: cells[6],
  sender: cells[7],
  wasHeld: cells[8],
  smsCount: cells[9],
})

const ofClients = (cycleId: number, { from, to }: AccountSpan, bounds: RawBuilder<unknown>) =>
  sql`r.client_id between ${from} and ${to} and r.cycle_id = ${cycleId} and r.settlement in (1, 2) and ${bounds}`

/** How many records {@link walkRecords} would return. */
export async function countRecords(
  db: Db,
  cycleId: number,
  clients: AccountSpan,
  bounds: RawBuilder<unknown>,
): Promise<number> {
  const found = await row<{ count: string }>(
    db,
    sql`select count(*) from records r where ${ofClients(cycleId, clients, bounds)}`,
  )
  return Number(found?.count ?? 0)
}

/** The digits of these numbers, as they are now. */
export async function numberNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const found = await db
    .selectFrom('numbers')
    .select(['id', 'number'])
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .execute()
  return new Map(found.map(({ id, number }) => [id, number]))
}

/** Rates in millionths, by id. */
export async function rateValues(db: Db, ids: readonly number[]): Promise<Map<number, bigint>> {
  const found = await db
    .selectFrom('rates')
    .select(['id', 'rate_micro'])
    .where('id', '=', sql<number>`any(${[...ids]}::int[])`)
    .execute()
  return new Map(found.map(({ id, rate_micro }) => [id, BigInt(rate_micro ?? 0)]))
}

/** The bill lines by number and rate and the payouts by number that the close wrote, by client. */
export async function closedSums(
  db: Db,
  cycleId: number,
  clients: AccountSpan,
): Promise<Map<number, ClosedSum[]>> {
  const of = sql`cycle_id = ${cycleId} and user_id between ${clients.from} and ${clients.to}`
  const found = await rows<{ user_id: number; key: string; sms_count: string; amount_micro: string }>(
    db,
    sql`select user_id, 'bill ' || number_id || ' ' || coalesce(rate_id, 0) as key, sms_count, amount_micro
          from billing_lines where ${of} and number_id is not null
        union all
        select user_id, 'payout ' || number_id, sms_count, amount_micro from payouts where ${of}`,
  )
  const sums = new Map<number, ClosedSum[]>()
  for (const { user_id: userId, key, sms_count, amount_micro } of found) {
    const ofClient = sums.get(userId) ?? []
    ofClient.push({ key, smsCount: Number(sms_count), amountMicro: BigInt(amount_micro) })
    sums.set(userId, ofClient)
  }
  return sums
}

export interface ClosedSum {
  readonly key: string
  readonly smsCount: number
  readonly amountMicro: bigint
}

/** An amount of a bill that belongs to no message. */
export interface AdjustmentEntry {
  readonly userId: number
  /** other: no entry of the ledger explains it. */
  readonly kind: 'correction' | 'carry' | 'other'
  readonly at: Date
  readonly amountMicro: bigint
  readonly reason: string
}

/** Adjustments in the clients' bills of the cycle, and negative totals carried into it or out of it. */
export async function adjustmentEntries(
  db: Db,
  cycleId: number,
  clients: AccountSpan,
): Promise<AdjustmentEntry[]> {
  const found = await rows<{
    user_id: number
    kind: 'adjustment' | 'carry' | 'reserve' | 'reserve_release'
    at: Date
    amount_micro: string
    reason: string
    reference: string
  }>(
    db,
    sql`select user_id, kind, min(at) as at, sum(amount_micro)::text as amount_micro,
          coalesce(min(reason), '') as reason, coalesce(reference, '') as reference
        from ledger_entries
        where cycle_id = ${cycleId} and user_id between ${clients.from} and ${clients.to} and account = 'payable'
          and kind <> 'traffic' and kind in ('adjustment', 'carry', 'reserve', 'reserve_release')
        group by user_id, kind, reference, case kind when 'adjustment' then id else 0 end
        having sum(amount_micro) <> 0 order by user_id, min(id)`,
  )
  return found.map(({ user_id: userId, kind, at, amount_micro, reason, reference }) => {
    const amountMicro = BigInt(amount_micro)
    if (kind === 'adjustment') return { userId, kind: 'correction', at, amountMicro, reason }
    if (kind === 'reserve') return { userId, kind: 'other', at, amountMicro, reason: 'Kept as reserve' }
    if (kind === 'reserve_release')
      return { userId, kind: 'other', at, amountMicro, reason: `Reserve of period ${reference} released` }
    const isOut = reference === `${cycleId}-${userId}`
    const text = isOut ? 'Carried on to the next period' : reason || `Carried over from period ${reference}`
    return { userId, kind, at, amountMicro, reason: text }
  })
}

/** With the end of its cycle. */
export type StatementRow = Row<'statements'> & Pick<Row<'cycles'>, 'ends_at'>

export function findStatement(db: Db, cycleId: number, userId: number): Promise<StatementRow | undefined> {
  const statements = db.selectFrom('statements as s').innerJoin('cycles as c', 'c.id', 's.cycle_id')
  const found = statements.selectAll('s').select('c.ends_at').where('cycle_id', '=', cycleId)
  return found.where('user_id', '=', userId).executeTakeFirst()
}

/** Has signed statements of these periods read from their archives from now on: their records do not fit them any more. */
export async function readFromArchive(tx: Db, periods: readonly ErasedPeriod[]): Promise<void> {
  await sql`update statements s set has_erased = true
    from (select distinct * from unnest(${periods.map(({ cycleId }) => cycleId)}::int[],
      ${periods.map(({ clientId }) => clientId)}::int[]) p (cycle_id, user_id)) erased
    where s.cycle_id = erased.cycle_id and s.user_id = erased.user_id and not s.has_erased`.execute(tx)
}

export interface NewStatement {
  readonly cycleId: number
  readonly userId: number
  readonly preamble: string
  readonly closing: string
  readonly recordCount: number
  readonly decidedCount: number
  readonly checkpoints: Buffer
  readonly at: Date
  readonly firstRecordAt: Date | null
  readonly fileHash: Buffer
}

/** Inserts statements; one that exists stays as it is, because it may have been downloaded already. */
export async function insertStatements(db: Db, made: readonly NewStatement[]): Promise<void> {
  const list = (of: (statement: NewStatement) => unknown) => made.map(of)
  await sql`insert into statements (cycle_id, user_id, preamble, closing, record_count, checkpoints, signed_at,
      first_record_at, file_hash, decided_count)
    select * from unnest(${list(({ cycleId }) => cycleId)}::int[], ${list(({ userId }) => userId)}::int[],
      ${list(({ preamble }) => preamble)}::text[], ${list(({ closing }) => closing)}::text[],
      ${list(({ recordCount }) => recordCount)}::bigint[], ${list(({ checkpoints }) => checkpoints)}::bytea[],
      ${list(({ at }) => at)}::timestamptz[],
      ${list(({ firstRecordAt }) => firstRecordAt)}::timestamptz[], ${list(({ fileHash }) => fileHash)}::bytea[],
      ${list(({ decidedCount }) => decidedCount)}::bigint[])
    on conflict do nothing`.execute(db)
}
