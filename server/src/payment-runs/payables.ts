// Payables: every bill and payout that is not settled, each with the next step that pays it.
import { sql, type RawBuilder } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import {
  payableViews,
  type OwnDue,
  type Payable,
  type payableSorts,
  type PayablesSummary,
  type PayableView,
} from '@tollgate/contract/payment-runs/payables.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { dueStates, type DebtKind, type DueState, type PayableStep } from '@tollgate/contract/vocabulary.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import { rows, type Db } from '../platform/db.ts'
import type { PageReply, StreamReply } from '../http/handlers.ts'
import { replyPage } from '../http/reply.ts'
import { contains, searchTermOf } from '../http/lists/search-pattern.ts'
import { allOf, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'
import { debtColumns, debtsWithState, recordsUrl, stepAt } from '../billing/index.ts'

export interface PayableFilter {
  readonly search?: string | undefined
  readonly kind?: DebtKind | undefined
  readonly step?: PayableStep | undefined
  readonly view?: PayableView | undefined
  readonly userId?: number | undefined
  readonly now: Date
}

const sorts: Record<(typeof payableSorts)[number], Sort> = {
  owedSince: { expression: sql`p.owed_since`, kind: 'time' },
  dueAmount: { expression: sql`p.due_micro`, kind: 'id' },
  userName: { expression: sql`lower(p.username)`, kind: 'text' },
}

/** Only what is not settled is read, so the steps are found by a few joins over all of it. */
function payables({
  search = '',
  kind,
  userId,
  now,
}: Omit<PayableFilter, 'step' | 'view'>): RawBuilder<unknown> {
  const digits = searchedDigits(search)
  const found = [
    contains(sql`' ' || lower(u.username) || ' ' || d.reference`, searchTermOf(search)),
    ...(digits === undefined ? [] : [contains(sql`n.number`, digits)]),
  ]
  const condition = allOf([
    sql`not d.is_settled`,
    kind !== undefined && sql`d.kind = ${kind}`,
    userId !== undefined && sql`d.user_id = ${userId}`,
    search !== '' && sql`(${sql.join(found, sql` or `)})`,
  ])
  return sql`(
    select d.*, u.username, n.number, c.starts_at, c.ends_at, coalesce(o.sms_count, b.sms_count) as sms_count,
      r.run_id, q.username as asked_by, ${stepAt(now)} as step,
      case when d.payout_id is null then (d.cycle_id::bigint * 4294967296 + d.user_id) * 2
        else d.payout_id * 2 + 1 end as id
    from ${debtsWithState} join users u on u.id = d.user_id join cycles c on c.id = d.cycle_id
    left join payouts o on o.id = d.payout_id left join numbers n on n.id = o.number_id
    left join billing_periods b on d.payout_id is null and b.cycle_id = d.cycle_id and b.user_id = d.user_id
    left join users q on q.id = w.asked_by
    where ${condition}
  )`
}

/** A page of payables. */
export async function listPayables(
  db: Db,
  { step, view, ...filter }: PayableFilter,
  page: SortedPage<(typeof payableSorts)[number]>,
): Promise<PageReply<Payable[]>> {
  const columns = sql`p.reference, p.kind, p.cycle_id, p.user_id, p.username as user_name, coalesce(p.number, '') as number,
    p.starts_at as period_start, p.ends_at as period_end, p.owed_since, p.payable_from, p.sms_count::float8 as sms_count,
    p.total_micro as amount_micro, ${debtColumns('p')}, p.step, coalesce(p.asked_by, '') as asked_by, p.run_id`
  const conditions = [
    step !== undefined && sql`p.step = ${step}`,
    view !== undefined && sql`p.step = any(${[...payableViews[view]]}::text[])`,
  ]
  const source = sql`${payables(filter)} p`
  const list = { sort: sorts[page.sort], id: sql`p.id`, columns, source, conditions }
  const found = await replyPage<Omit<Payable, 'recordsUrl'> & { cycleId: number }>(db, list, page)
  const items = found.items.map(({ cycleId, ...payable }) => {
    const { kind, number, userId } = payable
    const records = { cycleId, userId, settlement: kind, ...(kind === 'payout' && { number }) }
    return { ...payable, recordsUrl: recordsUrl(records) }
  })
  return { items, next: found.next }
}

/** What is due, in all and by next step. */
export async function sumPayables(
  db: Db,
  filter: Omit<PayableFilter, 'step' | 'view'>,
): Promise<PayablesSummary> {
  const found = await rows<{ step: PayableStep; count: number; due: string }>(
    db,
    sql`select p.step, count(*)::int as count, sum(p.due_micro)::text as due from ${payables(filter)} p group by p.step
        order by p.step`,
  )
  return {
    steps: found.map(({ step, count, due }) => ({ step, count, dueAmount: formatMicro(BigInt(due), 2) })),
    ...wholeOf(found),
  }
}

/** The state of a debt as its client reads it; a run's own state says how far the payment is. */
const clientState = sql`case p.step when 'in_run' then case t.status when 'draft' then 'drafted' else t.status end
  when 'decide' then 'review' when 'stopped' then 'review' when 'parked' then 'review' else p.step end`

/** What one client is owed, by how far its payment is. */
export async function sumOwnDue(db: Db, userId: number, now: Date): Promise<OwnDue> {
  const found = await rows<{
    state: DueState
    count: number
    due: string
    at: Date
    period_id: string | null
  }>(
    db,
    sql`select ${clientState} as state, count(*)::int as count, sum(p.due_micro)::text as due,
          min(case when p.step = 'in_run' then t.drafted_at when p.step = 'not_yet' then p.payable_from
            else p.owed_since end) as at,
          case when count(*) = 1 and min(p.kind) = 'bill' then min(p.reference) end as period_id
        from ${payables({ userId, now })} p left join payment_runs t on t.id = p.run_id
        where p.due_micro > 0 group by 1`,
  )
  return {
    parts: dueStates.flatMap((state) =>
      found
        .filter((each) => each.state === state)
        .map(({ count, due, at, period_id }) => ({
          state,
          count,
          dueAmount: formatMicro(BigInt(due), 2),
          at: at.toISOString(),
          periodId: period_id,
        })),
    ),
    ...wholeOf(found),
  }
}

function wholeOf(parts: readonly { readonly count: number; readonly due: string }[]) {
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    dueAmount: formatMicro(
      parts.reduce((sum, { due }) => sum + BigInt(due), 0n),
      2,
    ),
  }
}

const columns: readonly CsvColumn<Payable>[] = [
  ['Reference', ({ reference }) => reference],
  ['User', ({ userName }) => userName],
  ['Kind', ({ kind }) => kind],
  ['Number', ({ number }) => number],
  ['Period Start', ({ periodStart }) => periodStart],
  ['Period End', ({ periodEnd }) => periodEnd],
  ['Owed Since', ({ owedSince }) => owedSince],
  ['Payable From', ({ payableFrom }) => payableFrom],
  ['SMS Count', ({ smsCount }) => String(smsCount)],
  ['Amount (USDT)', ({ amount }) => amount],
  ['Received (USDT)', ({ receivedAmount }) => receivedAmount],
  ['Due (USDT)', ({ dueAmount }) => dueAmount],
  ['USDT Address', ({ usdtAddress }) => usdtAddress],
  ['Next Step', ({ step }) => step],
  ['Payment Run', ({ runId }) => runId ?? ''],
]

export function exportPayables(db: Db, filter: PayableFilter): StreamReply {
  return csvOfList('payables.csv', columns, (cursor) =>
    listPayables(db, filter, { sort: 'owedSince', order: 'asc', limit: exportPageRows, cursor }),
  )
}
