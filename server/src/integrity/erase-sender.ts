// A subscriber's number goes from counts, cases, the hot list, disputes and back-tests. What they add up to stays.
import { sql } from 'kysely'
import type { ErasedSender, WrittenSender } from '../ingest/index.ts'
import { changed, row, type Db } from '../platform/db.ts'

/**
 * Whether something that is not decided yet goes by senders and names this one: an open case, whose messages are found by
 * their sender, a dispute that is being matched, a back-test under way. Erased meanwhile, it would hold other messages.
 */
export async function isSenderNeeded(db: Db, { forms }: WrittenSender): Promise<boolean> {
  const found = await row<{ is_needed: boolean }>(
    db,
    sql`select exists (
            select from integrity_members m join integrity_cases c on c.id = m.case_id
            where m.sender = any(${forms}::text[]) and c.state = 'open'
          ) or exists (select from carrier_disputes where matched_at is null)
          or exists (select from back_tests where done_at is null) as is_needed`,
  )
  return found?.is_needed === true
}

const rowsPerStep = 1_000

/** Replaces the sender in some rows of each table; gives how many. */
export async function eraseFromIntegrity(tx: Db, sender: ErasedSender): Promise<number> {
  let count = 0
  for (const statement of statementsOf(sender)) count += await changed(tx, statement)
  return count
}

function statementsOf({ forms, pseudonym, approvedBy }: ErasedSender) {
  const own = sql`sender = any(${forms}::text[])`
  // Two ways to write one number become one.
  const days = sql`with gone as (
          delete from sender_days where (sender, day, client_id, number_id) in (
            select sender, day, client_id, number_id from sender_days where ${own} limit ${rowsPerStep}::int
          ) returning *
        )
        insert into sender_days as kept
          (client_id, day, number_id, sender, message_count, amount_micro, slots, first_at, last_at)
        select client_id, day, number_id, ${pseudonym}, sum(message_count)::int, sum(amount_micro)::bigint, bit_or(slots),
          min(first_at), max(last_at)
        from gone group by 1, 2, 3
        on conflict (sender, day, client_id, number_id) do update set
          message_count = kept.message_count + excluded.message_count,
          amount_micro = kept.amount_micro + excluded.amount_micro, slots = kept.slots | excluded.slots,
          first_at = least(kept.first_at, excluded.first_at), last_at = greatest(kept.last_at, excluded.last_at)`
  const members = sql`with gone as (
          delete from integrity_members where (case_id, sender) in (
            select case_id, sender from integrity_members where ${own} limit ${rowsPerStep}::int
          ) returning case_id
        )
        insert into integrity_members as kept (case_id, sender) select distinct case_id, ${pseudonym} from gone
        on conflict (case_id, sender) do update set sender = excluded.sender`
  const tested = sql`with gone as (delete from back_test_senders where ${own} returning *)
        insert into back_test_senders as kept (back_test_id, client_id, rule, sender, from_day, until_day)
        select back_test_id, client_id, rule, ${pseudonym}, min(from_day), until_day from gone group by 1, 2, 3, until_day
        on conflict (back_test_id, client_id, rule, sender, until_day) do update
        set from_day = least(kept.from_day, excluded.from_day)`
  // An entry without its number names nobody.
  const listed = sql`update listed_senders set sender = ${pseudonym}, removed_at = coalesce(removed_at, now()),
          removed_by = coalesce(removed_by, ${approvedBy}::int)
        where not is_block and ${own}`
  const lines = sql`update carrier_dispute_lines set sender = ${pseudonym} where (dispute_id, line) in (
          select dispute_id, line from carrier_dispute_lines where ${own} limit ${rowsPerStep}::int)`
  const disputed = sql`update disputed_records set sender = ${pseudonym} where record_id in (
          select record_id from disputed_records where ${own} limit ${rowsPerStep}::int)`
  return [days, members, tested, listed, lines, disputed]
}
