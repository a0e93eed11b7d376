// Invariants between records, holders, rates, ledger, holds and bills, after any crash. Each statement selects the rows
// that break it. The statements follow docs/money.md, use integers only, and share no code with what they check.

export interface CheckStatement {
  /** The invariant that holds when no row is found. */
  readonly holds: string
  /** `$1`, where used, skips records created before it, which an earlier check has covered. */
  readonly sql: string
}

const settlesNowhere = 0
const settlesInBill = 1
const settlesInPayout = 2

/** About single records: client and price are those of the record's time. */
const ofRecords: readonly CheckStatement[] = [
  {
    holds: 'a record belongs to who held the number then, at the rate of then',
    sql: `
      select r.id, r.client_id, r.amount_micro, should.*
      from records r
      left join lateral (select h.user_id from number_holders h
        where h.number_id = r.number_id and h.held_from <= r.created_at
          and (h.held_to is null or r.created_at < h.held_to)) holder on true
      left join lateral (select rate_micro from rates where scope = 'number' and number_id = r.number_id
        and valid_from <= r.created_at order by valid_from desc, id desc limit 1) own on true
      left join lateral (select rate_micro from rates where scope = 'user' and user_id = holder.user_id
        and valid_from <= r.created_at order by valid_from desc, id desc limit 1) clients on true
      left join lateral (select rate_micro from rates where scope = 'global'
        and valid_from <= r.created_at order by valid_from desc, id desc limit 1) everybodys on true
      cross join lateral (select holder.user_id,
        case when holder.user_id is null then 0
          else coalesce(own.rate_micro, clients.rate_micro, everybodys.rate_micro) * r.sms_count end as rate_micro,
        case when holder.user_id is null or r.sms_count = 0 then ${settlesNowhere}
          when own.rate_micro is not null then ${settlesInPayout} else ${settlesInBill} end as settlement) should
      where r.created_at >= $1 and (r.client_id, r.amount_micro, r.settlement::int)
        is distinct from (should.user_id, should.rate_micro, should.settlement)`,
  },
  {
    holds: 'a batch has as many records as it says, and each record a batch',
    sql: `
      select coalesce(b.id, r.batch_id) as batch_id, b.record_count, r.count
      from (select id, record_count from record_batches where created_from >= $1) b
      full join (select id / 4096 as batch_id, count(*) as count from records
        where created_at >= $1 group by 1) r on r.batch_id = b.id
      where b.record_count is distinct from r.count
        -- A batch may have begun before the time from which this check looks.
        and not exists (select from record_batches o where o.id = coalesce(b.id, r.batch_id) and o.created_from < $1)`,
  },
]

/** Counters, less what the records say beyond the buffers: nothing must be left. Counters of ranges are kept for two weeks. */
const countersSql = (table: string, unit: string, unitOf: string, levels: string) => `
  select ${unit}, client_id, range_id, gateway_id, status, sum(record_count), sum(bill_micro), sum(amount_micro)
  from (
    select ${unit}, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro from ${table}
    union all
    select coalesce(${unit}, '-infinity'), coalesce(client_id, -1), coalesce(range_id, -1), coalesce(gateway_id, -1), status,
      -sum(record_count), -sum(bill_micro), -sum(amount_micro)
    from (
      select ${unitOf} as ${unit}, client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro
      from (
        select created_at as at, coalesce(client_id, 0) as client_id, coalesce(range_id, 0) as range_id, gateway_id, status,
          1 as record_count, bill_micro, amount_micro
        from records where flags & 128 = 0
        union all
        select hour, client_id, range_id, gateway_id, status, -record_count, -bill_micro, -amount_micro
        from buffered_counters
      ) facts
    ) facts group by grouping sets (${levels})
  ) differences
  where '${unit}' = 'day' or range_id = -1 or ${unit} > now() - interval '14 days'
  group by 1, 2, 3, 4, 5
  having sum(record_count) <> 0 or sum(bill_micro) <> 0 or sum(amount_micro) <> 0`

/** About sums: the records compared with ledger, counters, holds and bills. */
const ofSums: readonly CheckStatement[] = [
  {
    holds: 'each transaction of the ledger sums to zero',
    sql: `select transaction_id, sum(amount_micro) from ledger_entries group by 1 having sum(amount_micro) <> 0`,
  },
  {
    holds: 'the ledger earns what the records say, by cycle, client and way of settling',
    sql: `
      select cycle_id, client_id, settlement, ledger.sum as ledger, facts.sum as records
      from (select cycle_id, client_id, settlement::int, sum(amount_micro) from records
        where amount_micro > 0 group by 1, 2, 3) facts
      full join (select cycle_id, user_id as client_id, settlement::int, sum(amount_micro) from ledger_entries
        where kind = 'traffic' and account = 'payable' group by 1, 2, 3) ledger
        using (cycle_id, client_id, settlement)
      where facts.sum is distinct from ledger.sum`,
  },
  {
    holds: 'the counters of each cycle say what the records say, but for tests, which they do not have',
    sql: `
      select cycle_id, client_id, settlement, facts.*, counted.*
      from (select cycle_id, coalesce(client_id, 0) as client_id, settlement::int, count(*), sum(amount_micro)
        from records where flags & 128 = 0 group by 1, 2, 3) facts
      full join (select cycle_id, client_id, settlement::int, sum(record_count) as count, sum(amount_micro)
        from record_cycles group by 1, 2, 3 having sum(record_count) <> 0) counted using (cycle_id, client_id, settlement)
      where (facts.count, facts.sum) is distinct from (counted.count, counted.sum)`,
  },
  {
    holds: 'the counters by day, and of all time, say what the records say, but for tests',
    sql: countersSql(
      'record_day_counters',
      'day',
      `(at at time zone 'UTC')::date`,
      `(status), (status, client_id), (day, status), (day, status, client_id), (day, status, gateway_id),
       (day, status, client_id, gateway_id), (day, status, range_id, gateway_id),
       (day, status, client_id, range_id, gateway_id)`,
    ),
  },
  {
    holds: 'the counters by hour say what the records say, but for tests',
    sql: countersSql(
      'record_hour_counters',
      'hour',
      `date_trunc('hour', at, 'UTC')`,
      `(hour, status), (hour, status, client_id), (hour, status, range_id, gateway_id),
       (hour, status, client_id, range_id, gateway_id)`,
    ),
  },
  {
    holds: 'a record is marked as held exactly from its hold to its release, at its own amount',
    sql: `
      select r.id, r.amount_micro, held.amount_micro as held_micro
      from (select id, amount_micro from records where is_held) r
      full join (select p.record_id as id, p.amount_micro from hold_records p
        where p.outcome is distinct from 'released') held using (id)
      where r.amount_micro is distinct from held.amount_micro`,
  },
  {
    holds:
      'a hold is worth its records, and each client has as much held in the ledger as its open holds are worth',
    sql: `
      select 'hold ' || h.id as what, h.amount_micro, sum(p.amount_micro)
      from holds h left join hold_records p on p.hold_id = h.id group by h.id
      having h.amount_micro is distinct from sum(p.amount_micro) or h.record_count <> count(p.record_id)
      union all
      select 'client ' || user_id, open.sum, ledger.sum
      from (select user_id, sum(amount_micro) from hold_records where outcome is null group by 1) open
      full join (select user_id, sum(amount_micro) from ledger_entries where account = 'held' group by 1) ledger
        using (user_id)
      where coalesce(open.sum, 0) <> coalesce(ledger.sum, 0)`,
  },
  {
    holds: 'no message is billed in two cycles, and no closed cycle has bills without what it must have',
    sql: `
      with due as (
        select r.cycle_id, r.client_id, r.number_id, r.settlement, r.amount_micro, 1 as sms
        from records r left join hold_records p on p.record_id = r.id
        where r.client_id is not null and (p.record_id is null or p.is_billed
          or (p.outcome = 'released' and p.decided_cycle_id = r.cycle_id))
        union all
        select p.decided_cycle_id, p.user_id, p.number_id, p.settlement, p.amount_micro, 1
        from hold_records p where p.outcome = 'released' and (p.is_billed or p.decided_cycle_id <> p.cycle_id)
        union all
        select cycle_id, user_id, null, ${settlesInBill}, amount_micro, 0 from adjustments where status = 'posted'
        union all
        select cycle_id, user_id, null, ${settlesInBill}, -amount_micro, 0 from reserves
        union all
        select released_cycle_id, user_id, null, ${settlesInBill}, amount_micro, 0 from reserves
        where released_at is not null
      ),
      closed as (select cycle_id from cycle_bills where itemised_at is not null)
      select 'bill' as what, cycle_id, client_id, should.sum, made.sum
      from (select cycle_id, client_id, sum(amount_micro) from due join closed using (cycle_id)
        where settlement = ${settlesInBill} group by 1, 2 having sum(amount_micro) > 0) should
      full join (select cycle_id, user_id as client_id, total_micro as sum
        from billing_periods join closed using (cycle_id)) made using (cycle_id, client_id)
      where should.sum is distinct from made.sum
      union all
      select 'lines of a bill', b.cycle_id, b.user_id, b.total_micro, sum(l.amount_micro)
      from billing_periods b join closed using (cycle_id)
      left join billing_lines l on l.cycle_id = b.cycle_id and l.user_id = b.user_id
      group by b.cycle_id, b.user_id having b.total_micro is distinct from sum(l.amount_micro)
      union all
      select 'payout', cycle_id, client_id, should.sum, made.sum
      from (select cycle_id, client_id, number_id, sum(amount_micro) from due join closed using (cycle_id)
        where settlement = ${settlesInPayout} group by 1, 2, 3) should
      full join (select cycle_id, user_id as client_id, number_id, amount_micro as sum
        from payouts join closed using (cycle_id)) made using (cycle_id, client_id, number_id)
      where should.sum is distinct from made.sum`,
  },
  {
    holds:
      'what the ledger owes a client is its bills and payouts that are not paid, and what the open cycle holds',
    sql: `
      select user_id, cycle_id, owed.sum as owed, ledger.sum as ledger
      from (select user_id, cycle_id, sum(amount_micro) from (
          select user_id, cycle_id, due_micro as amount_micro from billing_periods where status <> 'paid'
          union all select user_id, cycle_id, due_micro from payouts where status <> 'completed') unpaid
        group by 1, 2) owed
      full join (select user_id, cycle_id, sum(amount_micro) from ledger_entries
        where account = 'billed' group by 1, 2 having sum(amount_micro) <> 0) ledger using (user_id, cycle_id)
      where owed.sum is distinct from ledger.sum`,
  },
]

export const statements: readonly CheckStatement[] = [...ofRecords, ...ofSums]
