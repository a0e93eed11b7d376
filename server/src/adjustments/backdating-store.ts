// SQL on adjustments that credit messages, and on the holdings that come with them.
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

/** An adjustment's holding: it is to begin at `from` instead of at `to`. */
export interface Backdating {
  readonly numberId: number
  readonly digits: string
  readonly userId: number
  readonly from: Date
  readonly to: Date
}

export function findBackdating(db: Db, adjustmentId: string): Promise<Backdating | undefined> {
  return row(
    db,
    sql`select b.number_id as "numberId", n.number as digits, a.user_id as "userId", b.held_from as from, b.held_to as to
        from backdatings b join adjustments a on a.id = b.adjustment_id join numbers n on n.id = b.number_id
        where b.adjustment_id = ${adjustmentId}::bigint`,
  )
}

/** The adjustment that asks for a holding of this number to begin earlier, and waits. */
export async function findWaiting(tx: Db, numberId: number): Promise<string | undefined> {
  const found = await row<{ id: string }>(
    tx,
    sql`select a.id from backdatings b join adjustments a on a.id = b.adjustment_id
        where b.number_id = ${numberId} and a.status = 'pending'`,
  )
  return found?.id
}

/** A message with what it is credited with. */
export interface CreditedRecord {
  readonly createdAt: Date
  readonly id: string
  readonly cycleId: number
  readonly rateId: number
  readonly amountMicro: bigint
}

export async function insertBackdating(
  tx: Db,
  adjustmentId: string,
  { numberId, from, to }: Backdating,
  records: readonly CreditedRecord[],
): Promise<void> {
  await sql`insert into backdatings (adjustment_id, number_id, held_from, held_to, record_count)
    values (${adjustmentId}::bigint, ${numberId}, ${from}, ${to}, ${records.length})`.execute(tx)
  await sql`insert into adjustment_records (adjustment_id, record_created_at, record_id, cycle_id, rate_id, amount_micro)
    select ${adjustmentId}::bigint, created_at, id, cycle_id, rate_id, amount_micro from unnest(
      ${records.map(({ createdAt }) => createdAt)}::timestamptz[], ${records.map(({ id }) => id)}::bigint[],
      ${records.map(({ cycleId }) => cycleId)}::int[], ${records.map(({ rateId }) => rateId)}::int[],
      ${records.map(({ amountMicro }) => amountMicro)}::bigint[]) credited (created_at, id, cycle_id, rate_id, amount_micro)`.execute(
    tx,
  )
}

/** The ids of the messages that an adjustment credits. */
export async function creditedIds(tx: Db, adjustmentId: string): Promise<string[]> {
  const found = await rows<{ record_id: string }>(
    tx,
    sql`select record_id from adjustment_records where adjustment_id = ${adjustmentId}::bigint`,
  )
  return found.map(({ record_id: id }) => id)
}

/** After a rejection: another adjustment may credit them. */
export async function releaseRecords(tx: Db, adjustmentId: string): Promise<void> {
  await sql`delete from adjustment_records where adjustment_id = ${adjustmentId}::bigint`.execute(tx)
}
