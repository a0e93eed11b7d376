// SQL of the ledger slice: cycles and what is written into the ledger. `ledger_entries` shows all of it line by line:
// `ledger_lines`, and the traffic of `ledger_batches`.
import { sql, type RawBuilder } from 'kysely'
import type { LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { Interval } from './rules.ts'

export interface Cycle extends Interval {
  readonly id: number
}

interface CycleRow {
  id: number
  starts_at: Date
  ends_at: Date
}

const toCycle = ({ id, starts_at: startsAt, ends_at: endsAt }: CycleRow): Cycle => ({ id, startsAt, endsAt })

/** The open cycle; undefined only before the very first one. */
export async function findOpenCycle(db: Db): Promise<Cycle | undefined> {
  const found = await row<CycleRow>(
    db,
    sql`select id, starts_at, ends_at from cycles where closed_at is null`,
  )
  return found && toCycle(found)
}

export async function findLastCycle(db: Db): Promise<Cycle | undefined> {
  const found = await row<CycleRow>(
    db,
    sql`select id, starts_at, ends_at from cycles order by starts_at desc limit 1`,
  )
  return found && toCycle(found)
}

export async function insertCycle(tx: Db, { startsAt, endsAt }: Interval): Promise<Cycle> {
  const made = await onlyRow<CycleRow>(
    tx,
    sql`insert into cycles (starts_at, ends_at) values (${startsAt}, ${endsAt}) returning id, starts_at, ends_at`,
  )
  return toCycle(made)
}

/** Marks the cycle closed; false when somebody else did. */
export async function setCycleClosed(tx: Db, cycleId: number, at: Date): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`update cycles set closed_at = ${at} where id = ${cycleId} and closed_at is null`,
    )) === 1
  )
}

export async function nextTransactionId(tx: Db): Promise<bigint> {
  return BigInt((await row<{ id: string }>(tx, sql`select nextval('transaction_ids') as id`))?.id ?? 0)
}

/** One line of a transaction. Positive `amountMicro` is credit, negative is debit. */
export interface LedgerLine {
  readonly cycleId: number
  /** Whose account it is; null for the platform's own (traffic_expense, payout_clearing, adjustment). */
  readonly userId: number | null
  readonly account: LedgerAccount
  readonly amountMicro: bigint
  /** Code of settlements; the weekly bill unless given. */
  readonly settlement?: number
  /** The business event: 'bill', 'hold', 'payment' …; 'traffic' is ingest's. */
  readonly kind: string
  readonly reference?: string
  readonly actorId?: number
  readonly reason?: string
}

export async function insertLines(
  tx: Db,
  transactionId: bigint,
  lines: readonly LedgerLine[],
  at: Date,
): Promise<void> {
  // One statement, because the check that a transaction sums to zero runs at its end.
  await sql`
    insert into ledger_lines
      (transaction_id, at, cycle_id, user_id, account, amount_micro, settlement, kind, reference, actor_id, reason)
    select ${transactionId}::bigint, ${at}::timestamptz, * from unnest(
      ${lines.map(({ cycleId }) => cycleId)}::int[], ${lines.map(({ userId }) => userId)}::int[],
      ${lines.map(({ account }) => account)}::text[], ${lines.map(({ amountMicro }) => amountMicro)}::bigint[],
      ${lines.map(({ settlement }) => settlement ?? 1)}::smallint[], ${lines.map(({ kind }) => kind)}::text[],
      ${lines.map(({ reference }) => reference ?? null)}::text[],
      ${lines.map(({ actorId }) => actorId ?? null)}::int[], ${lines.map(({ reason }) => reason ?? null)}::text[]
    )`.execute(tx)
}

/** Lines that a query makes, see {@link Ledger.postRows}. */
export async function insertRows(
  tx: Db,
  transactionId: bigint,
  lines: RawBuilder<unknown>,
  at: Date,
): Promise<void> {
  await sql`insert into ledger_lines
      (transaction_id, at, cycle_id, user_id, amount_micro, account, settlement, kind, reference)
    select ${transactionId}::bigint, ${at}::timestamptz, cycle_id, user_id, amount_micro, account, settlement, kind, reference
    from (${lines}) lines`.execute(tx)
}

/**
 * The statement by which ingest adds what a batch earns: `records` makes the values; their columns and form are defined
 * here. Parameters are the transaction's id, the cycle's, and arrays with an element for each client and way of
 * settling. Source: decision 12.
 */
export const earningsInsert = `insert into ledger_batches (transaction_id, cycle_id, user_ids, settlements, amounts_micro)
  values ($1, $2, $3, $4, $5)`

/** What one user has in one account, by cycle and settlement, from all but the traffic lines. */
export interface AccountSum {
  readonly cycleId: number
  readonly settlement: number
  readonly account: LedgerAccount
  readonly amountMicro: bigint
}

export async function sumUserLines(db: Db, userId: number, cycleId?: number): Promise<AccountSum[]> {
  const found = await rows<{
    cycle_id: number
    settlement: number
    account: LedgerAccount
    amount_micro: string
  }>(
    db,
    sql`select cycle_id, settlement, account, sum(amount_micro)::bigint as amount_micro from ledger_entries
        where user_id = ${userId} and kind <> 'traffic'
          and (${cycleId ?? null}::int is null or cycle_id = ${cycleId ?? null}::int)
        group by cycle_id, settlement, account`,
  )
  return found.map((sum) => ({
    cycleId: sum.cycle_id,
    settlement: sum.settlement,
    account: sum.account,
    amountMicro: BigInt(sum.amount_micro),
  }))
}
