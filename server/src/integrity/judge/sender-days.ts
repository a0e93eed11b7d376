// Counts senders by client, day and number, behind ingest: a follower of the log, in steps. Ingest does not know of it.
import { sql } from 'kysely'
import { changed, type Db } from '../../platform/db.ts'
import { BatchCounter, recordsOfBatches, type CounterParts, type LogBatch } from '../../ingest/index.ts'
import { conjunctionOf, rowPredicates } from '../../records/index.ts'
import { blockOf } from '../rules/pieces.ts'

/** What is older is compared with nothing. */
const senderDaysKept = 35
/** Thirteen months: a report by month compares with the year before. */
const clientDaysKept = 400

/** Counts senders by client, day and number. A step takes some 300 ms. */
export function countSenderDays(parts: CounterParts): BatchCounter {
  return new BatchCounter({
    ...parts,
    name: 'senders',
    lockName: 'senderDays',
    stepRecords: 20_000,
    pauseMs: 2_000,
    add: addBatches,
  })
}

// The messages that count: somebody earns by them. An acknowledgement fills no SMS. A gateway that starts with a long log
// passes what would be forgotten at once.
const counts = sql`client_id is not null and sms_count > 0 and created_at >= now() - make_interval(days => ${senderDaysKept}::int)
  and ${conjunctionOf(rowPredicates({ isTest: false }))}`

async function addBatches(tx: Db, batches: readonly LogBatch[]): Promise<void> {
  await sql`
    with counted as materialized (
      select client_id, (created_at at time zone 'UTC')::date as day, number_id, sender, count(*)::int as message_count,
        sum(amount_micro)::bigint as amount_micro,
        bit_or(set_bit(0::bit(144), (floor(extract(epoch from created_at))::bigint % 86400 / 600)::int, 1)) as slots,
        min(created_at) as first_at, max(created_at) as last_at
      from ${recordsOfBatches(batches)} r where ${counts} group by 4, 2, 1, 3
    ),
    days as (
      insert into client_days as kept (client_id, day, message_count)
      select client_id, day, sum(message_count) from counted group by 1, 2
      on conflict (client_id, day) do update set message_count = kept.message_count + excluded.message_count
    ),
    blocks as (
      insert into sender_blocks as kept (block, first_day, last_day)
      select block, first_day, last_day from (
        select ${blockOf('sender')} as block, min(day) as first_day, max(day) as last_day from counted group by 1
      ) found
      -- Most are known; to find that out by the conflict costs a lock of the row.
      where block <> '' and ltrim(block, '0123456789') = '' and not exists (
        select from sender_blocks k
        where k.block = found.block and k.first_day <= found.first_day and k.last_day >= found.last_day
      )
      on conflict (block) do update set first_day = least(kept.first_day, excluded.first_day),
        last_day = greatest(kept.last_day, excluded.last_day)
      where excluded.first_day < kept.first_day or excluded.last_day > kept.last_day
    ),
    -- Whoever a case that is open names goes on being held; a dispute names messages that came.
    named as (
      select c.id, min(f.first_at) as first_at from counted f
      join integrity_cases c on c.client_id = f.client_id and c.state = 'open' and c.rule <> 'dispute' and f.day >= c.from_day
      join integrity_members m on m.case_id = c.id and m.sender = f.sender group by c.id
    ),
    continued as (
      update integrity_cases c set apply_from = least(c.apply_from, n.first_at), apply_to_at = null, apply_to_id = null
      from named n where c.id = n.id
    )
    insert into sender_days as kept
      (client_id, day, number_id, sender, message_count, amount_micro, slots, first_at, last_at)
    select client_id, day, number_id, sender, message_count, amount_micro, slots, first_at, last_at from counted
    on conflict (sender, day, client_id, number_id) do update set
      message_count = kept.message_count + excluded.message_count,
      amount_micro = kept.amount_micro + excluded.amount_micro, slots = kept.slots | excluded.slots,
      first_at = least(kept.first_at, excluded.first_at), last_at = greatest(kept.last_at, excluded.last_at)`.execute(
    tx,
  )
}

/** Deletes what nothing is compared with any more. */
export async function forgetSenderDays(db: Db, now: Date): Promise<void> {
  const today = sql`(${now}::timestamptz at time zone 'UTC')::date`
  await changed(db, sql`delete from sender_days where day < ${today} - ${senderDaysKept}::int`)
  await changed(db, sql`delete from sender_blocks where last_day < ${today} - ${senderDaysKept}::int`)
  await changed(db, sql`delete from client_days where day < ${today} - ${clientDaysKept}::int`)
  await changed(
    db,
    sql`delete from integrity_cases c where day < ${today} - ${clientDaysKept}::int
      and not exists (select from holds h where h.case_id = c.id)`,
  )
  await changed(
    db,
    sql`delete from back_tests where made_at < ${now}::timestamptz - make_interval(days => ${clientDaysKept}::int)`,
  )
  await changed(
    db,
    sql`delete from carrier_disputes where made_at < ${now}::timestamptz - make_interval(days => ${clientDaysKept}::int)`,
  )
  await changed(
    db,
    sql`delete from listed_senders
        where coalesce((removed_at at time zone 'UTC')::date, until_day) < ${today} - ${clientDaysKept}::int`,
  )
}
