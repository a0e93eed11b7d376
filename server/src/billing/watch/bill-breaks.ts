// Compares bills and payouts with their payments, the transfers of those, and the ledger.
import { sql, type RawBuilder } from 'kysely'
import { settlementCode, type LedgerBreak } from '../../ledger/index.ts'
import { rows, type Db } from '../../platform/db.ts'

/** The sum of a client's ledger lines in a cycle, of those that fit. */
const posted = (alias: string, condition: RawBuilder<unknown>) => sql`(
  select coalesce(sum(e.amount_micro), 0) from ledger_lines e
  where e.user_id = ${sql.raw(alias)}.user_id and e.cycle_id = ${sql.raw(alias)}.cycle_id and e.kind <> 'traffic' and ${condition})`

/**
 * Where bills, payouts, payments, transfers and credits differ from each other or from the ledger. Looks at debts that
 * are unpaid or were settled in the last day, and at every credit. `ledgerMicro` and `countedMicro` are the two sums.
 */
export async function billBreaks(reader: Db, now: Date): Promise<LedgerBreak[]> {
  const found = await rows<{
    cycle_id: number
    user_id: number
    settlement: number
    ledger_micro: string
    counted_micro: string
  }>(reader, sql`${watchedDebts(now)} ${sql.join(breaks, sql` union all `)}`)
  return found.map((each) => ({
    cycleId: each.cycle_id,
    userId: each.user_id,
    settlement: each.settlement,
    ledgerMicro: BigInt(each.ledger_micro),
    countedMicro: BigInt(each.counted_micro),
  }))
}

// The ledger has the payouts of a client and cycle as one sum. So when one payout is compared, all others of the client
// and cycle are.
const watchedDebts = (now: Date) => sql`
  with open_debts as materialized (
    select d.*, case kind when 'bill' then ${settlementCode('bill')}::int else ${settlementCode('payout')}::int end as settlement
    from debts d where not is_settled or settled_at > ${now}::timestamptz - interval '1 day'
    ),
    sums as (
    select cycle_id, user_id, 1 as settlement, due_micro from open_debts where kind = 'bill'
    union all
    select cycle_id, user_id, 2, sum(due_micro) from payouts
    where (cycle_id, user_id) in (select cycle_id, user_id from open_debts where kind = 'payout')
    group by cycle_id, user_id
    ),
    paid_debts as (select * from open_debts where payment_id is not null or received_micro <> 0),
    live_payments as materialized (
    select y.id, d.cycle_id, d.user_id, d.settlement, d.reference, y.received_micro, y.verification
    from paid_debts d join payments y on y.status <> 'failed'
        and y.cycle_id = d.cycle_id and y.user_id = d.user_id where d.kind = 'bill'
    union all
    select y.id, d.cycle_id, d.user_id, d.settlement, d.reference, y.received_micro, y.verification
    from paid_debts d join payments y on y.status <> 'failed' and y.payout_id = d.payout_id
    )`

// Bills and their lines; what is due and what the ledger owes; what debts, payments, ledger and transfers received; credit;
// reserves.
const breaks = [
  sql`select cycle_id, user_id, settlement, lines_micro as ledger_micro, total_micro as counted_micro from (
    select d.*, (select coalesce(sum(l.amount_micro), 0) from billing_lines l
        where l.cycle_id = d.cycle_id and l.user_id = d.user_id) as lines_micro
    from open_debts d join cycle_bills c using (cycle_id) where kind = 'bill' and c.itemised_at is not null
    ) billed where lines_micro <> total_micro`,
  sql`select cycle_id, user_id, settlement, billed_micro, due_micro from (
    select s.*, ${posted('s', sql`e.account = 'billed' and e.settlement = s.settlement`)} as billed_micro from sums s
    ) owed where billed_micro <> due_micro`,
  sql`select cycle_id, user_id, settlement, paid_micro, received_micro from (
    select d.*, coalesce(p.received_sum, 0) as paid_micro
    from paid_debts d left join (
        select reference, sum(received_micro) as received_sum from live_payments group by reference) p using (reference)
    ) paid where paid_micro <> received_micro`,
  sql`select cycle_id, user_id, settlement, paid_micro, received_micro from (
    select p.*, ${posted('p', sql`e.account = 'paid' and e.reference = p.id::text`)} as paid_micro from live_payments p
    ) paid where paid_micro <> received_micro`,
  sql`select cycle_id, user_id, settlement, booked_micro, received_micro from (
    select p.*, (select sum(amount_micro) from payment_transfers t where t.payment_id = p.id) as booked_micro
    from live_payments p
    ) booked where booked_micro <> received_micro
      or booked_micro is null and received_micro > 0 and verification not in ('unverified')`,
  sql`select 0, user_id, 0, -ledger_micro, counted_micro from (
    select coalesce(e.user_id, c.user_id) as user_id, coalesce(e.amount_micro, 0) as ledger_micro,
        coalesce(c.amount_micro, 0) as counted_micro
    from (select user_id, sum(amount_micro) as amount_micro from ledger_lines where account = 'credit' group by user_id) e
        full join client_credits c on c.user_id = e.user_id
    ) credits where -ledger_micro <> counted_micro`,
  sql`select cycle_id, user_id, 1, ledger_micro, counted_micro from (
    select cycle_id, user_id, coalesce(e.amount_micro, 0) as ledger_micro, coalesce(r.amount_micro, 0) as counted_micro
    from (
        select cycle_id, user_id, sum(amount_micro) as amount_micro from ledger_lines where account = 'reserved'
        group by cycle_id, user_id
      ) e full join (
        select cycle_id, user_id, amount_micro from reserves where released_at is null
      ) r using (cycle_id, user_id)
    ) kept where ledger_micro <> counted_micro`,
]
