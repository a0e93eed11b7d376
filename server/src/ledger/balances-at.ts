// What everybody had in each account at an instant, from the ledger's lines and the counters of traffic.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

/** One client's accounts at an instant, in millionths. Positive is owed or was paid to the client. */
export interface BalancesAt {
  readonly userId: number
  /** With the reserve. May be below 0, because a correction can be larger than what was earned. */
  readonly payableMicro: bigint
  readonly heldMicro: bigint
  readonly billedMicro: bigint
  /** 0 or less: what was received beyond every debt. */
  readonly creditMicro: bigint
  readonly paidMicro: bigint
}

/**
 * The accounts of every client who ever had a line, by id; now when `at` is undefined. Traffic of a cycle that was closed
 * by then is one sum of its counters, which the checker compares with the lines. Only the cycles that were open then are
 * summed from the batches of the ledger, some 100 ms for 10,000 of them.
 */
export async function balancesAt(db: Db, at?: Date): Promise<BalancesAt[]> {
  const isWhole =
    at === undefined
      ? sql`true`
      : sql`cycle_id in (select id from cycles where closed_at <= ${at}::timestamptz)`
  const found = await rows<
    Record<'payable' | 'held' | 'billed' | 'credit' | 'paid', string> & { user_id: number }
  >(
    db,
    sql`with lines as (
          select client_id as user_id, 'payable' as account, amount_micro from record_cycles
          where client_id <> 0 and ${isWhole}
          union all
          select user_id, account, amount_micro from ledger_lines
          where kind <> 'traffic' and user_id is not null and at <= coalesce(${at ?? null}::timestamptz, 'infinity')
          ${at === undefined ? sql`` : sql`union all ${openTraffic(at)}`}
        )
        select user_id, ${sumOf('payable', 'reserved')}, ${sumOf('held')}, ${sumOf('billed')}, ${sumOf('credit')}, ${sumOf('paid')}
        from lines group by user_id order by user_id`,
  )
  return found.map((each) => ({
    userId: each.user_id,
    payableMicro: BigInt(each.payable),
    heldMicro: BigInt(each.held),
    billedMicro: BigInt(each.billed),
    creditMicro: BigInt(each.credit),
    paidMicro: BigInt(each.paid),
  }))
}

const sumOf = (account: string, ...further: string[]) =>
  sql`coalesce(sum(amount_micro) filter (where account = any(${[account, ...further]}::text[])), 0)::text as ${sql.ref(account)}`

// A batch is stored by the clock of the database, a cycle begins by that of a node.
const clockSlack = sql`interval '1 hour'`

const openTraffic = (at: Date) => sql`
  select e.user_id, 'payable', e.amount_micro from ledger_entries e
  where e.kind = 'traffic' and e.account = 'payable' and e.user_id is not null and e.at <= ${at}::timestamptz
    and e.cycle_id in (select id from cycles where closed_at is null or closed_at > ${at}::timestamptz)
    and e.at >= (
      select min(starts_at) from cycles where closed_at is null or closed_at > ${at}::timestamptz
    ) - ${clockSlack}`
