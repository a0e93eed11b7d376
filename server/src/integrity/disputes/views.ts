// Disputes, their lines and their clients, for people.
import { sql } from 'kysely'
import type {
  Dispute,
  DisputeClient,
  DisputeLine,
  disputeOutcomes,
} from '@tollgate/contract/integrity/disputes.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { PageReply } from '../../http/handlers.ts'
import { replyPage, replyRows } from '../../http/reply.ts'
import type { Db } from '../../platform/db.ts'

interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of disputes, the newest first. */
export async function listDisputes(db: Db, { limit, cursor }: Page): Promise<PageReply<Dispute[]>> {
  const columns = sql`d.id, d.carrier, d.file_name, u.username as made_by, d.made_at, d.matched_at is not null as is_matched,
    coalesce(o.username, '') as opened_by, l.*, r.*`
  const source = sql`carrier_disputes d join users u on u.id = d.made_by left join users o on o.id = d.opened_by
    cross join lateral (
      select count(*)::int as line_count, count(*) filter (where matched_count = 0)::int as none_count,
        count(*) filter (where twice_count > 0)::int as twice_line_count,
        coalesce(sum(claimed_count), 0)::float8 as claimed_count, coalesce(sum(twice_count), 0)::float8 as twice_count
      from carrier_dispute_lines where dispute_id = d.id
    ) l
    cross join lateral (
      select count(*)::int as message_count, coalesce(sum(amount_micro), 0)::bigint as amount_usd_micro
      from disputed_records where dispute_id = d.id
    ) r`
  const id = sql`d.id`
  const list = { sort: { expression: id, kind: 'id' as const }, id, columns, source, conditions: [] }
  return replyPage(db, list, { order: 'desc', limit, cursor })
}

type Outcome = (typeof disputeOutcomes)[number]

// All of a line may have been named before: then it is neither found nor missing.
const outcome = sql`case when matched_count = 0 then 'none' when twice_count = matched_count then 'twice'
  when claimed_count <> matched_count then 'differs' else 'matched' end`

/** A page of the lines of a dispute, in the order of the file. */
export async function listDisputeLines(
  db: Db,
  id: string,
  { outcome: wanted, limit, cursor }: Page & { readonly outcome?: Outcome | undefined },
): Promise<PageReply<DisputeLine[]>> {
  const conditions = [sql`dispute_id = ${id}::bigint`, wanted !== undefined && sql`${outcome} = ${wanted}`]
  const columns = sql`line, number, sender, from_at as from, until_at as until,
    claimed_count::float8 as claimed_count, claimed_micro as claimed_amount_micro,
    matched_count::float8 as message_count, matched_micro as amount_usd_micro, twice_count::float8 as twice_count,
    ${outcome} as outcome`
  const line = sql`line`
  const list = {
    sort: { expression: line, kind: 'id' as const },
    id: line,
    columns,
    source: sql`carrier_dispute_lines`,
    conditions,
  }
  return replyPage(db, list, { order: 'asc', limit, cursor })
}

/** The clients of a dispute, who earns the most first. */
export async function disputeClients(db: Db, id: string): Promise<DisputeClient[]> {
  return (await clientsWithPaid(db, id)).map(({ client }) => client)
}

/** The same, each with what of it is paid already. */
export async function clientsWithPaid(
  db: Db,
  id: string,
): Promise<{ readonly client: DisputeClient; readonly paidMicro: bigint }[]> {
  const found = await replyRows<DisputeClient>(
    db,
    sql`with sums as materialized (
          select client_id, cycle_id, settlement, case settlement when 2 then number_id end as number_id,
            count(*) as messages, sum(amount_micro) as amount
          from disputed_records where dispute_id = ${id}::bigint and client_id is not null group by 1, 2, 3, 4
        ),
        paid as (
          select s.*, exists (
            select from debts d left join payouts p on p.id = d.payout_id
            where d.is_settled and d.cycle_id = s.cycle_id and d.user_id = s.client_id
              and (s.settlement = 1 and d.kind = 'bill' or s.settlement = 2 and p.number_id = s.number_id)
          ) as is_paid from sums s
        )
        select s.client_id as user_id, u.username as user_name, sum(s.messages)::int as message_count,
          sum(s.amount)::bigint as amount_usd_micro,
          coalesce(sum(s.messages) filter (where is_paid), 0)::int as paid_count,
          coalesce(sum(s.amount) filter (where is_paid), 0)::bigint as paid_usd_micro, c.id as case_id,
          (o.corrections ->> s.client_id::text)::bigint as adjustment_id
        from paid s join users u on u.id = s.client_id
        left join integrity_cases c on c.rule = 'dispute' and c.subject = ${id} and c.client_id = s.client_id
        join carrier_disputes o on o.id = ${id}::bigint
        group by s.client_id, u.username, c.id, o.corrections order by 4 desc, 1`,
  )
  return found.map((client) => ({ client, paidMicro: parseMicro(client.paidUsd) ?? 0n }))
}
