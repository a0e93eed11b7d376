// Payments and payouts for screens and exports.
import { sql, type RawBuilder } from 'kysely'
import type { Payment, PaymentFilter, paymentSorts } from '@tollgate/contract/billing/payments.ts'
import type { Payout, payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import type { PaymentVerification, PayoutStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import type { PageReply } from '../../http/handlers.ts'
import { row, rows, type Db, type Row } from '../../platform/db.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { allOf, keyset, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'
import { parsePeriodId, recordsUrl } from '../rules.ts'
import { approvalOf, debtReplyFields, iso, parkedFields, verificationNoteOf } from '../debts/reply-fields.ts'

interface PaymentViewRow extends Omit<Row<'payments'>, 'proposed_by' | 'processed_by'> {
  readonly username: string
  readonly requester: string | null
  readonly proposed_by: string | null
  readonly processed_by: string | null
  readonly due_micro: string | null
  readonly surplus_micro: string | null
  readonly sort_key: string
}

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
const shownPayment = sql`y.*, u.username, a.username as processed_by, p.username as proposed_by, q.username as requester, d.due_micro,
  case when y.status = 'pending' and y.verification = 'overpaid' then least(d.surplus_micro, y.received_micro) end
    as surplus_micro`

/** Made on this day or later. */
export const isPaidFrom = (day: string): RawBuilder<unknown> =>
  sql`y.created_at >= ${`${day}T00:00:00Z`}::timestamptz`

/** A page of payments of bills and payouts, and of unallocated ones. */
export async function listPayments(
  db: Db,
  { search, status, userId, from, periodId, payoutId }: PaymentFilter,
  page: SortedPage<(typeof paymentSorts)[number]>,
): Promise<PageReply<Payment[]>> {
  const set = keyset(paymentOrders[page.sort], sql`y.id`, page.order, page.cursor)
  const pattern = containsPattern(search ?? '')
  const period = periodId === undefined ? undefined : (parsePeriodId(periodId) ?? { cycleId: 0, userId: 0 })
  const condition = allOf([
    status !== undefined && sql`y.status = ${status}`,
    userId !== undefined && sql`y.user_id = ${userId}`,
    from !== undefined && isPaidFrom(from),
    period !== undefined && sql`y.cycle_id = ${period.cycleId} and y.user_id = ${period.userId}`,
    payoutId !== undefined && sql`y.payout_id = ${payoutId}::bigint`,
    search !== undefined &&
      search !== '' &&
      sql`(u.username ilike ${pattern} or y.usdt_address ilike ${pattern} or y.transaction_hash ilike ${pattern}
        or y.notes ilike ${pattern})`,
    set.after,
  ])
  const found = await rows<PaymentViewRow>(
    db,
    sql`select ${shownPayment}, ${set.key} as sort_key
        from ${paymentRows} where ${condition} order by ${set.orderBy} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key, id }) => [sort_key, id])
  return { items: cut.rows.map(toPayment), next: cut.next }
}

export async function findPayment(db: Db, id: string): Promise<Payment | undefined> {
  const found = await row<PaymentViewRow>(
    db,
    sql`select ${shownPayment}, '' as sort_key from ${paymentRows}
        where y.id = ${id}::bigint`,
  )
  return found && toPayment(found)
}

function toPayment(payment: PaymentViewRow): Payment {
  return {
    id: payment.id,
    userId: payment.user_id,
    userName: payment.username,
    amount: formatMicro(BigInt(payment.amount_micro), 2),
    receivedAmount: formatMicro(BigInt(payment.received_micro), 2),
    dueAmount: formatMicro(BigInt(payment.due_micro ?? 0), 2),
    surplusAmount: formatMicro(BigInt(payment.surplus_micro ?? 0), 2),
    usdtAddress: payment.usdt_address,
    transactionHash: payment.transaction_hash ?? '',
    status: payment.status,
    paymentVerification: payment.verification,
    verificationNote: verificationNoteOf(payment, true),
    proposal:
      payment.proposed_decision === null
        ? null
        : {
            decision: payment.proposed_decision,
            requestedBy: payment.proposed_by ?? '',
            requestedAt: iso(payment.proposed_at) ?? '',
            reason: payment.proposed_reason,
          },
    approval: approvalOf({
      awaits_approval: payment.awaits_approval,
      requested_by: payment.requester,
      requested_at: payment.created_at,
    }),
    enteredBy: payment.requester ?? '',
    processedBy: payment.processed_by ?? '',
    notes: payment.notes,
    periodId: payment.cycle_id === null ? null : `${payment.cycle_id}-${payment.user_id}`,
    payoutId: payment.payout_id,
    replacedWith: payment.replaced_with,
    createdAt: payment.created_at.toISOString(),
  }
}

interface PayoutRow extends Row<'payouts'> {
  readonly number: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly username: string
  readonly transaction_hash: string | null
  readonly verification: PaymentVerification | null
  readonly verification_note: string | null
  readonly decision_reason: string | null
  readonly awaits_approval: boolean | null
  readonly requested_by: string | null
  readonly requested_at: Date | null
  readonly parked_reason: string | null
  readonly parked_words: Sentence[] | null
  readonly sort_key: string
}

const payoutOrders: Record<(typeof payoutSorts)[number], Sort> = {
  createdAt: { expression: sql`o.created_at`, kind: 'time' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  number: { expression: sql`n.number`, kind: 'text' },
  smsCount: { expression: sql`o.sms_count`, kind: 'id' },
  amount: { expression: sql`o.amount_micro`, kind: 'id' },
  status: { expression: sql`o.status`, kind: 'text' },
}

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
  const set = keyset(payoutOrders[page.sort], sql`o.id`, page.order, page.cursor)
  const condition = allOf([
    id !== undefined && sql`o.id = ${id}::bigint`,
    userId !== undefined && sql`o.user_id = ${userId}`,
    status !== undefined && sql`o.status = ${status}`,
    set.after,
  ])
  const found = await rows<PayoutRow>(
    db,
    sql`select o.*, n.number, c.starts_at, c.ends_at, u.username, y.transaction_hash, y.verification,
          y.verification_note, y.decision_reason, y.awaits_approval, q.username as requested_by,
          y.created_at as requested_at, k.reason as parked_reason, k.words as parked_words, ${set.key} as sort_key
        from payouts o join numbers n on n.id = o.number_id join cycles c on c.id = o.cycle_id
        join users u on u.id = o.user_id left join payments y on y.id = o.payment_id
        left join users q on q.id = y.requested_by left join parked_accounts k on k.user_id = o.user_id
        where ${condition} order by ${set.orderBy} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key, id: last }) => [sort_key, last])
  const isForStaff = isOwn !== true
  return { items: cut.rows.map((payout) => toPayout(payout, isForStaff)), next: cut.next }
}

export async function findPayout(db: Db, id: string): Promise<Payout | undefined> {
  return (await listPayouts(db, { id }, { sort: 'createdAt', order: 'desc', limit: 1 })).items[0]
}

function toPayout(payout: PayoutRow, isForStaff: boolean): Payout {
  return {
    id: payout.id,
    createdAt: payout.created_at.toISOString(),
    userId: payout.user_id,
    userName: payout.username,
    number: payout.number,
    amount: formatMicro(BigInt(payout.amount_micro), 2),
    ...debtReplyFields(payout),
    currency: 'USDT',
    smsCount: Number(payout.sms_count),
    recordsUrl: recordsUrl({
      cycleId: payout.cycle_id,
      userId: payout.user_id,
      settlement: 'payout',
      number: payout.number,
    }),
    usdtAddress: payout.usdt_address ?? '',
    payoutStatus: payout.status,
    periodStart: payout.starts_at.toISOString(),
    periodEnd: payout.ends_at.toISOString(),
    payableFrom: payout.payable_from.toISOString(),
    processedAt: iso(payout.processed_at),
    transactionHash: payout.transaction_hash,
    paymentVerification: payout.verification,
    verificationNote: verificationNoteOf(payout, isForStaff),
    approval: approvalOf(payout, isForStaff),
    ...(isForStaff && parkedFields(payout)),
  }
}

export async function sumPayouts(db: Db): Promise<{ totalRevenue: string; pendingCount: number }> {
  const found = await row<{ total: string; count: number }>(
    db,
    sql`select coalesce(sum(amount_micro) filter (where status = 'completed'), 0)::text as total,
          (count(*) filter (where status = 'pending'))::int as count from payouts`,
  )
  return { totalRevenue: formatMicro(BigInt(found?.total ?? 0), 2), pendingCount: found?.count ?? 0 }
}
