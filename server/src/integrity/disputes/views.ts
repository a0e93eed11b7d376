// Disputes, their lines and their clients, for people.
import { sql } from 'kysely'
import type {
  Dispute,
  DisputeClient,
  DisputeLine,
  disputeOutcomes,
} from '@tollgate/contract/integrity/disputes.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import { allOf, keyset } from '../../http/lists/sorted-page.ts'
import { rows, type Db } from '../../platform/db.ts'

interface Page {
  readonly limit: number
  readonly cursor?: string | undefined
}

interface DisputeRow {
  readonly id: string
  readonly carrier: string
  readonly file_name: string
  readonly made_by: string
  readonly made_at: Date
  readonly is_matched: boolean
  readonly opened_by: string | null
  readonly lines: number
  readonly none: number
  readonly twice_lines: number
  readonly claimed: string
  readonly messages: string
  readonly amount_micro: string
  readonly twice: string
  readonly sort_key: string
}

/** A page of disputes, the newest first. */
export async function listDisputes(
  db: Db,
  { limit, cursor }: Page,
): Promise<{ items: Dispute[]; next: string | undefined }> {
  const set = keyset({ expression: sql`d.id`, kind: 'id' }, sql`d.id`, 'desc', cursor)
  const found = await rows<DisputeRow>(
    db,
    sql`select d.id, d.carrier, d.file_name, u.username as made_by, d.made_at, d.matched_at is not null as is_matched,
          o.username as opened_by, l.*, r.*, ${set.key} as sort_key
        from carrier_disputes d join users u on u.id = d.made_by left join users o on o.id = d.opened_by
        cross join lateral (
          select count(*)::int as lines, count(*) filter (where matched_count = 0)::int as none,
            count(*) filter (where twice_count > 0)::int as twice_lines, coalesce(sum(claimed_count), 0)::bigint as claimed,
            coalesce(sum(twice_count), 0)::bigint as twice
          from carrier_dispute_lines where dispute_id = d.id
        ) l
        cross join lateral (
          select count(*) as messages, coalesce(sum(amount_micro), 0)::bigint as amount_micro
          from disputed_records where dispute_id = d.id
        ) r
        where ${set.after} order by ${set.orderBy} limit ${limit + 1}`,
  )
  const cut = cutPage(found, limit, ({ sort_key: key, id }) => [key, id])
  const items = cut.rows.map((dispute) => ({
    id: dispute.id,
    carrier: dispute.carrier,
    fileName: dispute.file_name,
    madeBy: dispute.made_by,
    madeAt: dispute.made_at.toISOString(),
    isMatched: dispute.is_matched,
    lineCount: dispute.lines,
    noneCount: dispute.none,
    twiceLineCount: dispute.twice_lines,
    claimedCount: Number(dispute.claimed),
    messageCount: Number(dispute.messages),
    amountUsd: formatMicro(BigInt(dispute.amount_micro), 2),
    twiceCount: Number(dispute.twice),
    openedBy: dispute.opened_by ?? '',
  }))
  return { items, next: cut.next }
}

type Outcome = (typeof disputeOutcomes)[number]

// All of a line may have been named before: then it is neither found nor missing.
const outcome = sql`case when matched_count = 0 then 'none' when twice_count = matched_count then 'twice'
  when claimed_count <> matched_count then 'differs' else 'matched' end`

interface LineRow {
  readonly line: string
  readonly number: string
  readonly sender: string
  readonly from_at: Date
  readonly until_at: Date
  readonly claimed_count: string | null
  readonly claimed_micro: string | null
  readonly matched_count: string
  readonly matched_micro: string
  readonly twice_count: string
  readonly outcome: Outcome
  readonly sort_key: string
}

/** A page of the lines of a dispute, in the order of the file. */
export async function listDisputeLines(
  db: Db,
  id: string,
  { outcome: wanted, limit, cursor }: Page & { readonly outcome?: Outcome | undefined },
): Promise<{ items: DisputeLine[]; next: string | undefined }> {
  const set = keyset({ expression: sql`line`, kind: 'id' }, sql`line`, 'asc', cursor)
  const condition = allOf([
    sql`dispute_id = ${id}::bigint`,
    wanted !== undefined && sql`${outcome} = ${wanted}`,
    set.after,
  ])
  const found = await rows<LineRow>(
    db,
    sql`select line::text as line, number, sender, from_at, until_at, claimed_count, claimed_micro, matched_count,
          matched_micro, twice_count, ${outcome} as outcome, ${set.key} as sort_key
        from carrier_dispute_lines where ${condition} order by ${set.orderBy} limit ${limit + 1}`,
  )
  const cut = cutPage(found, limit, ({ sort_key: key, line }) => [key, line])
  return { items: cut.rows.map(toLine), next: cut.next }
}

const toLine = (each: LineRow): DisputeLine => ({
  line: Number(each.line),
  number: each.number,
  sender: each.sender,
  from: each.from_at.toISOString(),
  until: each.until_at.toISOString(),
  claimedCount: each.claimed_count === null ? null : Number(each.claimed_count),
  claimedAmount: each.claimed_micro === null ? null : formatMicro(BigInt(each.claimed_micro), 2),
  messageCount: Number(each.matched_count),
  amountUsd: formatMicro(BigInt(each.matched_micro), 2),
  twiceCount: Number(each.twice_count),
  outcome: each.outcome,
})

interface ClientRow {
  readonly client_id: number
  readonly username: string
  readonly messages: string
  readonly amount_micro: string
  readonly paid: string
  readonly paid_micro: string
  readonly case_id: string | null
  readonly adjustment_id: string | null
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
  const found = await rows<ClientRow>(
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
        select s.client_id, u.username, sum(s.messages)::bigint as messages, sum(s.amount)::bigint as amount_micro,
          coalesce(sum(s.messages) filter (where is_paid), 0)::bigint as paid,
          coalesce(sum(s.amount) filter (where is_paid), 0)::bigint as paid_micro, c.id as case_id, a.adjustment_id
        from paid s join users u on u.id = s.client_id
        left join integrity_cases c on c.rule = 'dispute' and c.subject = ${id} and c.client_id = s.client_id
        left join dispute_corrections a on a.dispute_id = ${id}::bigint and a.client_id = s.client_id
        group by s.client_id, u.username, c.id, a.adjustment_id order by 4 desc, 1`,
  )
  return found.map((each) => ({
    client: {
      userId: each.client_id,
      userName: each.username,
      messageCount: Number(each.messages),
      amountUsd: formatMicro(BigInt(each.amount_micro), 2),
      paidCount: Number(each.paid),
      paidUsd: formatMicro(BigInt(each.paid_micro), 2),
      caseId: each.case_id,
      adjustmentId: each.adjustment_id,
    },
    paidMicro: BigInt(each.paid_micro),
  }))
}
