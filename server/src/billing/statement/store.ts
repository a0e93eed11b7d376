// SQL on statements, and on the records, bills and payouts they are made of.
import { sql, type RawBuilder } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import type { StoredRecord } from './format.ts'

/** A closed cycle with its lines whose statements are not all made. */
export async function findUnsealed(db: Db): Promise<number | undefined> {
  const found = await row<{ id: number }>(
    db,
    sql`select cycle_id as id from cycle_bills where sealed_at is null and itemised_at is not null
        order by cycle_id limit 1`,
  )
  return found?.id
}

export async function setSealed(db: Db, cycleId: number): Promise<void> {
  await sql`update cycle_bills set sealed_at = clock_timestamp() where cycle_id = ${cycleId}`.execute(db)
}

/** Clients with records or a bill in the cycle and no statement, the first `limit` of them. */
export async function clientsWithout(
  db: Db,
  cycleId: number,
  afterUserId: number,
  limit: number,
): Promise<number[]> {
  const found = await rows<{ user_id: number }>(
    db,
    sql`select user_id from (
          select client_id as user_id from record_cycles
            where cycle_id = ${cycleId} and client_id <> 0 and settlement in (1, 2) and record_count > 0
          union select client_id from record_tallies
            where cycle_id = ${cycleId} and client_id <> 0 and settlement in (1, 2) and record_count > 0
          union select user_id from billing_periods where cycle_id = ${cycleId}
        ) clients
        where user_id > ${afterUserId}
          and not exists (select from statements s where s.cycle_id = ${cycleId} and s.user_id = clients.user_id)
        order by user_id limit ${limit}`,
  )
  return found.map(({ user_id }) => user_id)
}

export interface PeriodFacts {
  readonly username: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly closed_at: Date
  readonly total_micro: string
  /** Records by the counters. */
  readonly record_count: string
}

/** What the statement's head and sums must agree with; undefined for an open or unknown cycle. */
export function periodFacts(db: Db, cycleId: number, userId: number): Promise<PeriodFacts | undefined> {
  const counted = (table: RawBuilder<unknown>) => sql`select record_count from ${table}
    where cycle_id = ${cycleId} and client_id = ${userId} and settlement in (1, 2)`
  return row(
    db,
    sql`select u.username, c.starts_at, c.ends_at, c.closed_at, coalesce(b.total_micro, 0) as total_micro,
          (select coalesce(sum(record_count), 0) from (
            ${counted(sql`record_cycles`)} union all ${counted(sql`record_tallies`)}) counters) as record_count
        from cycles c join users u on u.id = ${userId}
        left join billing_periods b on b.cycle_id = c.id and b.user_id = u.id
        where c.id = ${cycleId} and c.closed_at is not null`,
  )
}

const pageRows = 1_000

/** A client's records of the cycle in their order, a page at a time. `bounds` is a condition on records `r`. */
export async function* walkRecords(
  db: Db,
  cycleId: number,
  userId: number,
  bounds: RawBuilder<unknown>,
): AsyncGenerator<StoredRecord[]> {
  let after: { place: string; id: string } | undefined
  for (;;) {
    const page: (StoredRecord & { place: string })[] = await rows(
      db,
      sql`select r.created_at, r.created_at::text as place, r.id, r.number_id, r.rate_id, r.amount_micro,
            r.settlement, r.sender, h.record_id is not null as was_held
          from records r left join cycle_held_records h on h.cycle_id = r.cycle_id and h.record_id = r.id
          where ${ofClient(cycleId, userId, bounds)} and ${
            after === undefined
              ? sql`true`
              : sql`r.created_at >= ${after.place}::timestamptz
                    and (r.created_at, r.id) > (${after.place}::timestamptz, ${after.id}::bigint)`
          }
          order by r.created_at, r.id limit ${pageRows}`,
    )
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = { place: last.place, id: last.id }
  }
}

const ofClient = (cycleId: number, userId: number, bounds: RawBuilder<unknown>) =>
  sql`r.client_id = ${userId} and r.cycle_id = ${cycleId} and r.settlement in (1, 2) and ${bounds}`

/** How many records {@link walkRecords} would give. */
export async function countRecords(
  db: Db,
  cycleId: number,
  userId: number,
  bounds: RawBuilder<unknown>,
): Promise<number> {
  const found = await row<{ count: string }>(
    db,
    sql`select count(*) from records r where ${ofClient(cycleId, userId, bounds)}`,
  )
  return Number(found?.count ?? 0)
}

/** The digits of these numbers, as they are now. */
export async function numberNames(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const found = await rows<{ id: number; number: string }>(
    db,
    sql`select id, number from numbers where id = any(${[...ids]}::int[])`,
  )
  return new Map(found.map(({ id, number }) => [id, number]))
}

/** Rates in millionths, by id. */
export async function rateValues(db: Db, ids: readonly number[]): Promise<Map<number, bigint>> {
  const found = await rows<{ id: number; rate_micro: string | null }>(
    db,
    sql`select id, rate_micro from rates where id = any(${[...ids]}::int[])`,
  )
  return new Map(found.map(({ id, rate_micro }) => [id, BigInt(rate_micro ?? 0)]))
}

/** Bill lines by number and rate, and payouts by number, as the close wrote them. */
export async function closedSums(
  db: Db,
  cycleId: number,
  userId: number,
): Promise<{ key: string; smsCount: number; amountMicro: bigint }[]> {
  const found = await rows<{ key: string; sms_count: string; amount_micro: string }>(
    db,
    sql`select 'bill ' || number_id || ' ' || coalesce(rate_id, 0) as key, sms_count, amount_micro from billing_lines
          where cycle_id = ${cycleId} and user_id = ${userId} and number_id is not null
        union all
        select 'payout ' || number_id, sms_count, amount_micro from payouts
          where cycle_id = ${cycleId} and user_id = ${userId}`,
  )
  return found.map(({ key, sms_count, amount_micro }) => ({
    key,
    smsCount: Number(sms_count),
    amountMicro: BigInt(amount_micro),
  }))
}

/** Corrections that count in the client's bill of the cycle. */
export function corrections(
  db: Db,
  cycleId: number,
  userId: number,
): Promise<{ at: Date; amount_micro: string; reason: string | null }[]> {
  return rows(
    db,
    sql`select at, amount_micro, reason from ledger_entries
        where user_id = ${userId} and cycle_id = ${cycleId} and kind = 'adjustment' and account = 'payable'
        order by id`,
  )
}

export interface StatementRow {
  readonly preamble: string
  readonly closing: string
  readonly record_count: string
  readonly checkpoints: Buffer
}

export function findStatement(db: Db, cycleId: number, userId: number): Promise<StatementRow | undefined> {
  return row(
    db,
    sql`select preamble, closing, record_count, checkpoints from statements
        where cycle_id = ${cycleId} and user_id = ${userId}`,
  )
}

export interface NewStatement {
  readonly cycleId: number
  readonly userId: number
  readonly preamble: string
  readonly closing: string
  readonly recordCount: number
  readonly checkpoints: Buffer
  readonly at: Date
}

/** Keeps the first one made: what was handed out never changes. */
export async function insertStatement(db: Db, made: NewStatement): Promise<void> {
  await sql`insert into statements (cycle_id, user_id, preamble, closing, record_count, checkpoints, sealed_at)
    values (${made.cycleId}, ${made.userId}, ${made.preamble}, ${made.closing}, ${made.recordCount},
      ${made.checkpoints}, ${made.at})
    on conflict do nothing`.execute(db)
}
