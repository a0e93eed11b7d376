// Looks up the messages of disputes: an hour of them at a time, each in a transaction with how far it came, so that a
// crash or a second node matches nothing twice.
import { sql } from 'kysely'
import { conjunctionOf, rowPredicates } from '../../records/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { changed, row, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'

interface MatchParts {
  readonly db: Db
  readonly clock: Clock
  /** Whether there is time for another piece. */
  readonly goesOn: () => boolean
}

/** Does what is due; gives how many pieces it did. */
export async function matchDisputes({ db, clock, goesOn }: MatchParts): Promise<number> {
  let done = 0
  while ((await transaction(db, (tx) => matchNext(tx, clock.now()))) && (done += 1) > 0 && goesOn());
  return done
}

/** Matches the next hour of a dispute that has messages to look for, or ends it. False when none waits. */
async function matchNext(tx: Db, now: Date): Promise<boolean> {
  const dispute = await row<{ id: string }>(
    tx,
    sql`select id from carrier_disputes where matched_at is null order by id limit 1 for update skip locked`,
  )
  if (dispute === undefined) return false
  const { id } = dispute
  const next = await row<{ since: Date; until: Date }>(
    tx,
    // A file says nothing of messages that came after it.
    sql`select since, least(date_trunc('hour', since, 'UTC') + interval '1 hour', made_at) as until from (
          select min(greatest(l.from_at, d.matched_until)) as since, d.made_at
          from carrier_dispute_lines l join carrier_disputes d on d.id = l.dispute_id
          where l.dispute_id = ${id}::bigint and l.until_at > d.matched_until and l.from_at < d.made_at
          group by d.made_at
        ) found where since < made_at`,
  )
  if (next === undefined) {
    await changed(
      tx,
      sql`update carrier_disputes set matched_at = ${now}::timestamptz where id = ${id}::bigint`,
    )
    return true
  }
  await matchHour(tx, id, next.since, next.until)
  await changed(
    tx,
    sql`update carrier_disputes set matched_until = ${next.until}::timestamptz where id = ${id}::bigint`,
  )
  return true
}

// A message that several lines name belongs to the first of them; for the others it is one that was disputed before.
async function matchHour(tx: Db, id: string, since: Date, until: Date): Promise<void> {
  await changed(
    tx,
    sql`with asked as materialized (
          select l.line, l.sender, l.from_at, l.until_at, n.id as number_id
          from carrier_dispute_lines l join numbers n on n.number = l.number
          where l.dispute_id = ${id}::bigint and l.from_at < ${until}::timestamptz and l.until_at > ${since}::timestamptz
        ),
        found as materialized (
          select r.id, r.created_at, r.client_id, r.number_id, r.sender, r.cycle_id, r.settlement, r.amount_micro, a.line,
            row_number() over (partition by r.id order by a.line) as place
          from records r join asked a on a.number_id = r.number_id and r.created_at >= a.from_at
            and r.created_at < a.until_at and (a.sender = '' or a.sender = r.sender)
          where r.created_at >= ${since}::timestamptz and r.created_at < ${until}::timestamptz and r.sms_count > 0
            and ${conjunctionOf(rowPredicates({ isTest: false }))}
        ),
        added as (
          insert into disputed_records (record_id, record_created_at, dispute_id, line, client_id, number_id, sender,
            cycle_id, settlement, amount_micro)
          select id, created_at, ${id}::bigint, line, client_id, number_id, sender, cycle_id, settlement, amount_micro
          from found where place = 1 on conflict do nothing returning record_id, line
        )
        update carrier_dispute_lines l set matched_count = l.matched_count + s.records,
          matched_micro = l.matched_micro + s.amount, twice_count = l.twice_count + s.twice
        from (
          select f.line, count(*) as records, sum(f.amount_micro) as amount,
            count(*) filter (where a.record_id is null) as twice
          from found f left join added a on a.record_id = f.id and a.line = f.line group by f.line
        ) s where l.dispute_id = ${id}::bigint and l.line = s.line`,
  )
}
