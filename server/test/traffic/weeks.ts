// Weeks of records that are long over, without the messages that they came of.
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db.ts'

/** 300 records of this cycle, in one batch. */
export async function storeWeek(db: Db, at: Date, cycleId: number): Promise<void> {
  const batch = 9_000 + cycleId
  await sql`select ensure_record_week(${at})`.execute(db)
  const to = new Date(at.getTime() + 299)
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at, encrypted_bodies)
    values (${batch}, ${to}, 300, ${at}, ${to}, ${to}, ${randomBytes(40)})`.execute(db)
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id,
      gateway_id, rate_id, cycle_id, status, settlement, sender)
    select ${at}::timestamptz + i * interval '1 ms', ${batch}::bigint * 4096 + i, now(), 1, 1, 1, 1, 1, 1, 1, ${cycleId},
      2, 1, 'sender' || i from generate_series(0, 299) i`.execute(db)
}
