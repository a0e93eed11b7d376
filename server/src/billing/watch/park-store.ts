// SQL on parked accounts and ledger checks, and the comparison of bills and payouts with the ledger.
import { sql } from 'kysely'
import { settlementCode, type LedgerBreak } from '../../ledger/index.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'

interface ParkRow {
  readonly user_id: number
  readonly username: string
  readonly reason: string
  readonly parked_at: Date
}

export function listParks(db: Db): Promise<ParkRow[]> {
  return rows(
    db,
    sql`select p.user_id, u.username, p.reason, p.parked_at from parked_accounts p join users u on u.id = p.user_id
        order by p.parked_at, p.user_id limit 500`,
  )
}

/** Why the account is parked; undefined when it is not. */
export async function findPark(db: Db, userId: number): Promise<string | undefined> {
  return (
    await row<{ reason: string }>(db, sql`select reason from parked_accounts where user_id = ${userId}`)
  )?.reason
}

/** Parks an account. False when it is parked already, or does not exist. */
export async function park(tx: Db, userId: number, reason: string, at: Date): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`insert into parked_accounts (user_id, reason, parked_at)
          select id, ${reason}, ${at}::timestamptz from users where id = ${userId} on conflict do nothing`,
    )) === 1
  )
}

export async function unpark(tx: Db, userId: number): Promise<void> {
  await sql`delete from parked_accounts where user_id = ${userId}`.execute(tx)
}

export async function putCheck(tx: Db, at: Date, imbalanceMicro: bigint): Promise<void> {
  await sql`insert into ledger_checks (checked_at, imbalance_micro) values (${at}, ${imbalanceMicro})
    on conflict (only_row) do update set
      checked_at = excluded.checked_at, imbalance_micro = excluded.imbalance_micro`.execute(tx)
}

interface CheckRow {
  readonly checked_at: Date
  readonly imbalance_micro: string
  readonly parked_count: number
}

export function findCheck(db: Db): Promise<CheckRow | undefined> {
  return row(
    db,
    sql`select checked_at, imbalance_micro, (select count(*)::int from parked_accounts) as parked_count
        from ledger_checks`,
  )
}

/**
 * The bills and payouts that are unpaid, or were paid in the last day, and are wrong: they differ from their lines or
 * from what the ledger still owes for them, or they are paid without a confirmed payment. `countedMicro` is the right sum.
 */
export async function billBreaks(reader: Db, now: Date): Promise<LedgerBreak[]> {
  const found = await rows<{
    cycle_id: number
    user_id: number
    settlement: number
    ledger_micro: string
    counted_micro: string
  }>(
    reader,
    sql`
    with bills as (
      select b.cycle_id, b.user_id, b.total_micro, b.status = 'paid' as is_paid, c.itemised_at is not null as has_lines,
        (select coalesce(sum(l.amount_micro), 0) from billing_lines l
          where l.cycle_id = b.cycle_id and l.user_id = b.user_id) as lines_micro,
        ${owed('b', settlementCode('bill'))} as owed_micro,
        exists (select from payments y where y.id = b.payment_id and y.status = 'confirmed'
          and y.cycle_id = b.cycle_id and y.user_id = b.user_id) as has_payment
      from billing_periods b join cycle_bills c on c.cycle_id = b.cycle_id
      where b.status <> 'paid' or b.paid_at > ${now}::timestamptz - interval '1 day'
    ),
    client_payouts as (
      select cycle_id, user_id, sum(amount_micro) filter (where status = 'pending') as pending_micro,
        coalesce(sum(amount_micro) filter (where status = 'completed' and not exists (select from payments y
          where y.id = o.payment_id and y.status = 'confirmed' and y.payout_id = o.id)), 0) as unpaid_micro
      from payouts o
      where (cycle_id, user_id) in (select cycle_id, user_id from payouts
        where status = 'pending' or processed_at > ${now}::timestamptz - interval '1 day')
      group by cycle_id, user_id
    )
    select cycle_id, user_id, ${settlementCode('bill')}::int as settlement, lines_micro as ledger_micro,
      total_micro as counted_micro
    from bills where has_lines and lines_micro <> total_micro
    union all
    select cycle_id, user_id, ${settlementCode('bill')}, owed_micro, case when is_paid then 0 else total_micro end
    from bills where owed_micro <> case when is_paid then 0 else total_micro end
    union all
    select cycle_id, user_id, ${settlementCode('bill')}, 0, total_micro from bills where is_paid and not has_payment
    union all
    select cycle_id, user_id, ${settlementCode('payout')}, owed_micro, pending_micro + unpaid_micro from (
      select d.cycle_id, d.user_id, coalesce(d.pending_micro, 0) as pending_micro, d.unpaid_micro,
        ${owed('d', settlementCode('payout'))} as owed_micro from client_payouts d) d
    where owed_micro <> pending_micro + unpaid_micro`,
  )
  return found.map((each) => ({
    cycleId: each.cycle_id,
    userId: each.user_id,
    settlement: each.settlement,
    ledgerMicro: BigInt(each.ledger_micro),
    countedMicro: BigInt(each.counted_micro),
  }))
}

/** What the ledger still owes for the cycle: the billed account, from which payments are deducted. */
const owed = (alias: string, settlement: number) => sql`(
  select coalesce(sum(e.amount_micro), 0) from ledger_entries e
  where e.user_id = ${sql.raw(alias)}.user_id and e.cycle_id = ${sql.raw(alias)}.cycle_id
    and e.kind <> 'traffic' and e.account = 'billed' and e.settlement = ${settlement}::int)`
