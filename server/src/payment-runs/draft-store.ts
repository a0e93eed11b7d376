// SQL on what a payment run could pay: unpaid debts, and what those who approve should know of them.
import { sql } from 'kysely'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import { rows, type Db } from '../platform/db.ts'
import { underWay } from '../billing/index.ts'

export interface UnpaidDebt {
  readonly reference: string
  readonly user_id: number
  readonly username: string
  readonly usdt_address: string | null
  readonly due_micro: string
  readonly payable_from: Date
  /** The ledger of the account does not balance. */
  readonly parked_reason: string | null
  readonly parked_words: readonly Sentence[] | null
  /** Withheld, or an amendment of it waits. */
  readonly is_stopped: boolean
  readonly is_under_way: boolean
  /** What the client has received beyond its debts. */
  readonly credit_micro: string
  /** The run that it is in; null in none. */
  readonly run_id: string | null
}

/** The oldest `limit` debts that are not paid in full, or those of these references. */
export function listUnpaid(
  db: Db,
  { limit, references }: { readonly limit: number; readonly references?: readonly string[] },
): Promise<UnpaidDebt[]> {
  const isChosen = references === undefined ? sql`true` : sql`d.reference = any(${[...references]}::text[])`
  return rows(
    db,
    sql`select d.reference, d.user_id, u.username, d.usdt_address, d.due_micro, d.payable_from, d.is_stopped,
          k.reason as parked_reason, k.words as parked_words, r.run_id, coalesce(c.amount_micro, 0) as credit_micro,
          exists (select from payments y where ${underWay('y')} and (y.payout_id = d.payout_id
            or (d.kind = 'bill' and y.cycle_id = d.cycle_id and y.user_id = d.user_id))) as is_under_way
        from debts d join users u on u.id = d.user_id left join parked_accounts k on k.user_id = d.user_id
        left join payment_run_debts r on r.reference = d.reference and r.is_live
        left join client_credits c on c.user_id = d.user_id
        where not d.is_settled and d.due_micro > 0 and ${isChosen}
        order by d.owed_since, d.kind, d.payout_id, d.user_id limit ${limit}`,
  )
}

/** What is known of a client's address. */
export interface KnownAddress {
  readonly user_id: number
  readonly address: string
  /** When a payment, a bill or a payout first named it. */
  readonly since: Date | null
  readonly paid_count: number
  /** In force in the profile now; null without one. */
  readonly profile_address: string | null
  /** When the address in force replaced another one; null when it did not. */
  readonly changed_at: Date | null
  /** When another address comes into force; null when none waits. */
  readonly next_from: Date | null
  readonly held_micro: string
  /** A closed run that was to pay this client there, and whose transfer was never seen; null without one. */
  readonly unseen_run: string | null
  /** Other accounts that are paid to it. */
  readonly others: readonly string[]
}

/** What is known of each client's address, in one query. */
export function listKnown(
  db: Db,
  payees: readonly { readonly userId: number; readonly address: string }[],
  now: Date,
): Promise<KnownAddress[]> {
  return rows(
    db,
    sql`select a.user_id, a.address, s.since, s.paid_count,
          case when p.next_from <= ${now} then p.next_address else p.usdt_address end as profile_address,
          case when p.next_from <= ${now} then p.next_from end as changed_at,
          case when p.next_from > ${now} then p.next_from end as next_from,
          (select coalesce(sum(h.amount_micro), 0)::text from holds h
            where h.user_id = a.user_id and h.status = 'open') as held_micro,
          (select max(l.run_id)::text from payment_run_lines l join payment_runs r on r.id = l.run_id
            join payment_run_debts b on b.line_id = l.id join debts d on d.reference = b.reference
            where r.status = 'closed' and l.transfer_id is null and d.due_micro > 0
              and l.user_id = a.user_id and l.address = a.address) as unseen_run,
          array(select distinct u.username from payment_profiles o join users u on u.id = o.user_id
            where a.address in (o.usdt_address, o.next_address) and o.user_id <> a.user_id
            order by 1 limit 5) as others
        from unnest(${payees.map(({ userId }) => userId)}::int[], ${payees.map(({ address }) => address)}::text[])
          a (user_id, address)
        left join payment_profiles p on p.user_id = a.user_id
        cross join lateral (
          select least(
              (select min(owed_since) from debts d where d.user_id = a.user_id and d.usdt_address = a.address),
              min(y.created_at)) as since,
            (count(*) filter (where y.status = 'confirmed'))::int as paid_count
          from payments y where y.user_id = a.user_id and y.usdt_address = a.address
        ) s`,
  )
}
