// What a person looks at before deciding on a case: its day beside usual days, and messages that it holds. And how often
// each rule was right.
import { sql } from 'kysely'
import type { IntegrityCaseView, RuleMonth } from '@tollgate/contract/integrity/integrity.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { csvOfList, type CsvColumn } from '../files/formats/csv.ts'
import type { StreamReply } from '../http/handlers.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { messageIdOf } from '../ingest/index.ts'
import { findCase } from './case-views.ts'
import { hourlySlots } from './judge/freeze.ts'
import { usualDaysOf } from './judge/scope.ts'

const messagesMax = 20

/** A case with its evidence. Throws Refusal not_found. */
export async function viewCase(db: Db, id: string): Promise<IntegrityCaseView> {
  const found = await findCase(db, id)
  const [today, usual, messages] = await Promise.all([
    row<{ hours: number[] }>(
      db,
      sql`select array[${hourlySlots}] as hours from sender_days
          where client_id = ${found.userId} and day = ${found.day}::date`,
    ),
    usualDaysOf(db, found.userId, found.day),
    messagesOf(db, id),
  ])
  const total = ({ hours }: { readonly hours: readonly number[] }) =>
    hours.reduce((sum, each) => sum + each, 0)
  const days = usual.map(({ day, usual: { hours } }) => ({ day, hours: [...hours] }))
  const bySize = days.toSorted((one, other) => total(one) - total(other))
  return {
    ...found,
    hours: today?.hours ?? [],
    usualHours:
      days.length === 0
        ? null
        : Array.from({ length: 24 }, (_, hour) => {
            const counts = days.map(({ hours }) => hours[hour] ?? 0)
            return { least: Math.min(...counts), most: Math.max(...counts) }
          }),
    ordinaryDay: bySize[Math.floor(bySize.length / 2)] ?? null,
    messages,
  }
}

async function messagesOf(db: Db, caseId: string): Promise<IntegrityCaseView['messages']> {
  const found = await rows<{
    created_at: Date
    id: string
    sender: string
    number: string
    gateway: string
    amount_micro: string
  }>(
    db,
    sql`select r.created_at, r.id, r.sender, n.number, coalesce(g.name, '') as gateway, r.amount_micro
        from (
          select p.* from holds h cross join lateral (
            select record_id, record_created_at, number_id from hold_records where hold_id = h.id
            order by record_created_at desc, record_id desc limit ${messagesMax}::int
          ) p where h.case_id = ${caseId}::bigint
          order by p.record_created_at desc, p.record_id desc limit ${messagesMax}::int
        ) p
        join records r on r.created_at = p.record_created_at and r.id = p.record_id
        join numbers n on n.id = p.number_id left join gateways g on g.id = r.gateway_id
        order by r.created_at desc, r.id desc`,
  )
  return found.map(({ created_at: at, id, amount_micro: amount, ...message }) => ({
    ...message,
    messageId: messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) }),
    createdAt: at.toISOString(),
    amountUsd: formatMicro(BigInt(amount), 2),
  }))
}

/** What each rule held by month, the newest first. */
export async function reportCases(db: Db): Promise<RuleMonth[]> {
  const found = await rows<{
    rule: string
    month: string
    cases: number
    held_count: string
    held: string
    refused: string
    released: string
    open: string
    hours: number | null
  }>(
    db,
    sql`select rule, to_char(day, 'YYYY-MM') as month, count(*)::int as cases, sum(held_count) as held_count,
          sum(held_micro) as held, coalesce(sum(held_micro) filter (where state = 'confirmed'), 0) as refused,
          coalesce(sum(held_micro) filter (where state = 'released'), 0) as released,
          coalesce(sum(held_micro) filter (where state = 'open'), 0) as open,
          round(avg(extract(epoch from decided_at - created_at) / 3600), 1)::float8 as hours
        from integrity_cases where state <> 'dry' group by 1, 2 order by 2 desc, 1`,
  )
  return found.map(({ rule, month, cases, hours, ...sums }) => ({
    rule,
    month,
    cases,
    heldCount: Number(sums.held_count),
    heldUsd: formatMicro(BigInt(sums.held), 2),
    refusedUsd: formatMicro(BigInt(sums.refused), 2),
    releasedUsd: formatMicro(BigInt(sums.released), 2),
    openUsd: formatMicro(BigInt(sums.open), 2),
    hoursToDecision: hours,
  }))
}

const reportColumns: readonly CsvColumn<RuleMonth>[] = [
  ['Month', ({ month }) => month],
  ['Rule', ({ rule }) => rule],
  ['Cases', ({ cases }) => String(cases)],
  ['Messages held', ({ heldCount }) => String(heldCount)],
  ['Held (USDT)', ({ heldUsd }) => heldUsd],
  ['Refused (USDT)', ({ refusedUsd }) => refusedUsd],
  ['Released (USDT)', ({ releasedUsd }) => releasedUsd],
  ['Waits (USDT)', ({ openUsd }) => openUsd],
  ['Hours to decision', ({ hoursToDecision }) => hoursToDecision?.toFixed(1) ?? ''],
]

/** The report as CSV. */
export function exportReport(db: Db): StreamReply {
  return csvOfList('held-by-rule.csv', reportColumns, async () => ({
    items: await reportCases(db),
    next: undefined,
  }))
}
