// Payments and payouts for screens and exports.
import { sql, type RawBuilder } from 'kysely'
import type { Payment, PaymentFilter, paymentSorts } from '@tollgate/contract/billing/payments.ts'
import type { Payout, payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { PayoutStatus } from '@tollgate/contract/vocabulary.ts'
import type { PageReply } from '../../http/handlers.ts'
import { isoOf, replyPage, replyRow } from '../../http/reply.ts'
import { row, type Db } from '../../platform/db.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import type { Sort, SortedPage } from '../../http/lists/sorted-page.ts'
import { parsePeriodId, recordsUrl } from '../rules.ts'
import {
  approvalOf,
  debtColumns,
  parkedFields,
  verificationNoteOf,
  type ParkedColumns,
} from '../debts/reply-fields.ts'

const paymentOrders: Record<(typeof paymentSorts)[number], Sort> = {
  createdAt: { expression: sql`y.created_at`, kind: 'time' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  amount: { expression: sql`y.amount_micro`, kind: 'id' },
  status: { expression: sql`y.status`, kind: 'text' },
  processedBy: { expression: sql`lower(coalesce(a.username, ''))`, kind: 'text' },
}

const paymentRows = sql`payments y join users u on u.id = y.user_id left join users a on a.id = y.processed_by
  left join users p on p.id = y.proposed_by left join users q on q.id = y.requested_by
  left join lateral (
    select due_micro, greatest(0, received_micro + set_off_micro + reduced_micro - total_micro) - excess_micro as surplus_micro
    from billing_periods where y.cycle_id is not null and cycle_id = y.cycle_id and user_id = y.user_id
    union all
    select due_micro, greatest(0, received_micro + set_off_micro + reduced_micro - amount_micro) - excess_micro
    from payouts where id = y.payout_id
  ) d on true`
const shownPayment = sql`y.id, y.user_id, u.username as user_name, y.amount_micro, y.received_micro as received_amount_micro,
  coalesce(d.due_micro, 0) as due_amount_micro,
  case when y.status = 'pending' and y.verification = 'overpaid' then least(d.surplus_micro, y.received_micro) else 0 end
    as surplus_amount_micro,
  y.usdt_address, coalesce(y.transaction_hash, '') as transaction_hash, y.status, y.verification as payment_verification,
  ${verificationNoteOf(true)} as verification_note,
  case when y.proposed_decision is not null then json_build_object('decision', y.proposed_decision,
    'requestedBy', coalesce(p.username, ''), 'requestedAt', ${isoOf('y.proposed_at')}, 'reason', y.proposed_reason) end as proposal,
  ${approvalOf(true)} as approval, coalesce(q.username, '') as entered_by, coalesce(a.username, '') as processed_by, y.notes,
  y.cycle_id || '-' || y.user_id as period_id, y.payout_id, y.replaced_with, y.created_at`

/** Made on this day or later. */
export const isPaidFrom = (day: string): RawBuilder<unknown> =>
  sql`y.created_at >= ${`${day}T00:00:00Z`}::timestamptz`

/** A page of payments of bills and payouts, and of unallocated ones. */
export async function listPayments(
  db: Db,
  { search, status, userId, from, periodId, payoutId }: PaymentFilter,
  page: SortedPage<(typeof paymentSorts)[number]>,
): Promise<PageReply<Payment[]>> {
  const pattern = containsPattern(search ?? '')
  const period = periodId === undefined ? undefined : (parsePeriodId(periodId) ?? { cycleId: 0, userId: 0 })
  const conditions = [
    status !== undefined && sql`y.status = ${status}`,
    userId !== undefined && sql`y.user_id = ${userId}`,
    from !== undefined && isPaidFrom(from),
    period !== undefined && sql`y.cycle_id = ${period.cycleId} and y.user_id = ${period.userId}`,
    payoutId !== undefined && sql`y.payout_id = ${payoutId}::bigint`,
    search !== undefined &&
      search !== '' &&
      sql`(u.username ilike ${pattern} or y.usdt_address ilike ${pattern} or y.transaction_hash ilike ${pattern}
        or y.notes ilike ${pattern})`,
  ]
  const list = {
    sort: paymentOrders[page.sort],
    id: sql`y.id`,
    columns: shownPayment,
    source: paymentRows,
    conditions,
  }
  return replyPage(db, list, page)
}

export function findPayment(db: Db, id: string): Promise<Payment | undefined> {
  return replyRow(db, sql`select ${shownPayment} from ${paymentRows} where y.id = ${id}::bigint`)
}

const payoutOrders: Record<(typeof payoutSorts)[number], Sort> = {
  createdAt: { expression: sql`o.created_at`, kind: 'time' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  number: { expression: sql`n.number`, kind: 'text' },
  smsCount: { expression: sql`o.sms_count`, kind: 'id' },
  amount: { expression: sql`o.amount_micro`, kind: 'id' },
  status: { expression: sql`o.status`, kind: 'text' },
}

type PayoutColumns = Omit<Payout, 'recordsUrl' | keyof ParkedColumns> &
  ParkedColumns & { readonly cycleId: number }

export interface PayoutFilter {
  readonly id?: string | undefined
  readonly userId?: number | undefined
  /** For the client: without what is for staff. */
  readonly isOwn?: boolean
  readonly status?: PayoutStatus | undefined
}

/** A page of payouts. */
export async function listPayouts(
  db: Db,
  { id, userId, status, isOwn }: PayoutFilter,
  page: SortedPage<(typeof payoutSorts)[number]>,
): Promise<PageReply<Payout[]>> {
  const conditions = [
    id !== undefined && sql`o.id = ${id}::bigint`,
    userId !== undefined && sql`o.user_id = ${userId}`,
    status !== undefined && sql`o.status = ${status}`,
  ]
  const isForStaff = isOwn !== true
  const columns = sql`o.id, o.created_at, o.user_id, u.username as user_name, n.number, o.amount_micro, ${debtColumns('o')},
    'USDT' as currency, o.sms_count::float8 as sms_count, o.cycle_id, o.status as payout_status, c.starts_at as period_start,
    c.ends_at as period_end, o.payable_from, o.processed_at, y.transaction_hash, y.verification as payment_verification,
    ${verificationNoteOf(isForStaff)} as verification_note, ${approvalOf(isForStaff)} as approval,
    k.reason as parked_reason, k.words as parked_words`
  const source = sql`payouts o join numbers n on n.id = o.number_id join cycles c on c.id = o.cycle_id
    join users u on u.id = o.user_id left join payments y on y.id = o.payment_id
    left join users q on q.id = y.requested_by left join parked_accounts k on k.user_id = o.user_id`
  const list = { sort: payoutOrders[page.sort], id: sql`o.id`, columns, source, conditions }
  const found = await replyPage<PayoutColumns>(db, list, page)
  const items = found.items.map(({ cycleId, parkedReason, parkedWords, ...payout }) => ({
    ...payout,
    recordsUrl: recordsUrl({ cycleId, userId: payout.userId, settlement: 'payout', number: payout.number }),
    ...parkedFields({ parkedReason, parkedWords }, isForStaff),
  }))
  return { items, next: found.next }
}

export async function findPayout(db: Db, id: string): Promise<Payout | undefined> {
  return (await listPayouts(db, { id }, { sort: 'createdAt', order: 'desc', limit: 1 })).items[0]
}

export async function sumPayouts(db: Db): Promise<{ totalRevenue: string; pendingCount: number }> {
  const found = await row<{ total: string; count: number }>(
    db,
    sql`select coalesce(sum(amount_micro) filter (where status = 'completed'), 0)::text as total,
          (count(*) filter (where status = 'pending'))::int as count from payouts`,
  )
  return { totalRevenue: formatMicro(BigInt(found?.total ?? 0), 2), pendingCount: found?.count ?? 0 }
}
