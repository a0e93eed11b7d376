// SQL on adjustments that credit messages, and on the holdings that come with them.
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'

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
    sql`select a.number_id as "numberId", n.number as digits, a.user_id as "userId", a.held_from as from, a.held_to as to
        from adjustments a join numbers n on n.id = a.number_id where a.id = ${adjustmentId}::bigint`,
  )
}

/** The adjustment that asks for a holding of this number to begin earlier, and waits. */
export async function findWaiting(tx: Db, numberId: number): Promise<string | undefined> {
  const found = await tx
    .selectFrom('adjustments')
    .select('id')
    .where('number_id', '=', numberId)
    .where('status', '=', 'pending')
    .executeTakeFirst()
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

export async function insertCredited(
  tx: Db,
  adjustmentId: string,
  records: readonly CreditedRecord[],
): Promise<void> {
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
  const found = await tx
    .selectFrom('adjustment_records')
    .select('record_id')
    .where('adjustment_id', '=', adjustmentId)
    .execute()
  return found.map(({ record_id: id }) => id)
}

/** After a rejection: another adjustment may credit them. */
export async function releaseRecords(tx: Db, adjustmentId: string): Promise<void> {
  await tx.deleteFrom('adjustment_records').where('adjustment_id', '=', adjustmentId).execute()
}
