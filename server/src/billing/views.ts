// Read-only joins for screens: periods with the open one, lines, payments, payouts.
import { sql, type RawBuilder } from 'kysely'
import type { BillingPeriod, Payment, PeriodLine, Payout } from '@tollgate/contract/billing.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type {
  BillingStatus,
  PaymentStatus,
  PaymentVerification,
  PayoutStatus,
} from '@tollgate/contract/vocabulary.ts'
import { cutPage, readCursor } from '../platform/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { containsPattern } from '../platform/search-pattern.ts'
import { adjustmentLines } from './adjustment-lines.ts'
import { averageMicro } from './rules.ts'
import { addressInForce, cycleSums } from './sums.ts'

type Page<T> = { items: T[]; next: string | undefined }

/**
 * A condition on records `r`: where the batches stored in the cycle say they are. An hour of slack on both sides, since
 * the clock of the close is not the database's.
 */
export async function createdBetween(db: Db, cycleId: number): Promise<RawBuilder<unknown>> {
  const found = await row<{ from: Date | null; to: Date | null }>(
    db,
    sql`select min(created_from) as from, max(created_to) as to from record_batches, cycles c
        where c.id = ${cycleId}
          and stored_at >= coalesce((select max(closed_at) from cycles o where o.id < c.id), '-infinity') - interval '1 hour'
          and stored_at <= coalesce(c.closed_at, 'infinity') + interval '1 hour'`,
  )
  if (found?.from == null || found.to === null) return sql`true`
  return sql`r.created_at >= ${found.from}::timestamptz - interval '1 second'
    and r.created_at <= ${found.to}::timestamptz + interval '1 second'`
}

interface PeriodRow {
  rank: number
  sort_cycle: number
  cycle_id: number
  user_id: number
  username: string
  full_name: string
  email: string
  usdt_address: string | null
  starts_at: Date
  ends_at: Date
  sms_count: string
  total_micro: string
  status: BillingStatus
  bill_sent_at: Date | null
  payable_from: Date | null
  paid_at: Date | null
  transaction_hash: string | null
  verification: PaymentVerification | null
  verification_note: string | null
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
  parked_reason: string | null
}

export interface PeriodFilter {
  readonly cycleId?: number | undefined
  readonly userId?: number | undefined
  readonly status?: BillingStatus | undefined
  readonly search?: string | undefined
  /** The user has an open period even without traffic. */
  readonly hasOwnOpen?: boolean
  readonly sort?: 'newest' | 'due' | undefined
  readonly now: Date
}

function periods(filter: PeriodFilter): RawBuilder<unknown> {
  const openFor =
    filter.hasOwnOpen === true
      ? sql`(select ${filter.userId ?? 0}::int as user_id, coalesce(max(sms_count), 0) as sms_count,
          coalesce(max(total_micro), 0) as total_micro
        from ${cycleSums(sql`c.id`)} sums where user_id = ${filter.userId ?? 0}::int)`
      : sql`(select user_id, sms_count, total_micro from ${cycleSums(sql`c.id`)} sums
          where sms_count > 0 or total_micro <> 0)`
  return sql`(
    select cycle_id, user_id, sms_count, total_micro, usdt_address, status, bill_sent_at, payable_from, paid_at, payment_id
    from billing_periods
    union all
    select c.id, s.user_id, s.sms_count, s.total_micro, ${addressInForce('p', filter.now)}, 'pending',
      null, null, null, null
    from cycles c cross join lateral ${openFor} s left join payment_profiles p on p.user_id = s.user_id
    where c.closed_at is null or not exists (select from cycle_bills k where k.cycle_id = c.id)
  )`
}

// What is to be paid, the longest waiting first; then what is open, then what is paid.
const dueCycle = sql`case when b.status in ('pending', 'paid') then b.cycle_id else 2147483647 - b.cycle_id end`
const dueRank = sql`case b.status when 'pending' then 2 when 'paid' then 1 else 3 end`

/** Newest cycle first; sorted by due, what is to be paid stands before that. */
export async function listPeriods(
  db: Db,
  filter: PeriodFilter,
  page: { limit: number; cursor?: string | undefined },
): Promise<Page<BillingPeriod>> {
  const after = readCursor(page.cursor, ['id', 'id', 'id'])
  const rank = filter.sort === 'due' ? dueRank : sql`0::int`
  const cycle = filter.sort === 'due' ? dueCycle : sql`b.cycle_id`
  const conditions = [
    sql`true`,
    ...(filter.cycleId === undefined ? [] : [sql`b.cycle_id = ${filter.cycleId}`]),
    ...(filter.userId === undefined ? [] : [sql`b.user_id = ${filter.userId}`]),
    ...(filter.status === undefined ? [] : [sql`b.status = ${filter.status}`]),
    ...(filter.search === undefined || filter.search === ''
      ? []
      : [
          sql`(u.username ilike ${containsPattern(filter.search)} or u.email ilike ${containsPattern(filter.search)}
          or b.usdt_address ilike ${containsPattern(filter.search)})`,
        ]),
    ...(after === undefined
      ? []
      : [
          sql`(${rank}, ${cycle}, b.user_id) < (${after[0]}::bigint, ${after[1]}::bigint, ${after[2]}::bigint)`,
        ]),
  ]
  const found = await rows<PeriodRow>(
    db,
    sql`select b.*, ${rank} as rank, ${cycle} as sort_cycle, c.starts_at, c.ends_at, u.username, coalesce(nullif(pr.email, ''), u.email) as email,
          coalesce(nullif(pr.full_name, ''), u.first_name || ' ' || u.last_name) as full_name,
          y.transaction_hash, y.verification, y.verification_note, y.awaits_approval,
          q.username as requested_by, y.created_at as requested_at, k.reason as parked_reason
        from ${periods(filter)} b join cycles c on c.id = b.cycle_id join users u on u.id = b.user_id
        left join payment_profiles pr on pr.user_id = b.user_id
        left join payments y on y.id = b.payment_id left join users q on q.id = y.requested_by
        left join parked_accounts k on k.user_id = b.user_id
        where ${sql.join(conditions, sql` and `)}
        order by ${rank} desc, ${cycle} desc, b.user_id desc limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, (last) => [last.rank, last.sort_cycle, last.user_id])
  return { items: cut.rows.map((period) => toPeriod(period, filter.hasOwnOpen !== true)), next: cut.next }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null

function approvalOf(of: {
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
}) {
  return of.awaits_approval === true
    ? { requestedBy: of.requested_by ?? '', requestedAt: iso(of.requested_at) ?? '' }
    : null
}

/** Why an account is parked is for staff. */
function toPeriod(period: PeriodRow, isForStaff: boolean): BillingPeriod {
  const [total, count] = [BigInt(period.total_micro), BigInt(period.sms_count)]
  return {
    id: `${period.cycle_id}-${period.user_id}`,
    userId: period.user_id,
    userName: period.username,
    userEmail: period.email,
    usdtAddress: period.usdt_address ?? '',
    periodStart: period.starts_at.toISOString(),
    periodEnd: period.ends_at.toISOString(),
    totalSmsCount: Number(count),
    totalCost: formatMicro(total, 2),
    costPerSms: formatMicro(averageMicro(total, count), 2),
    status: period.status,
    billSentAt: iso(period.bill_sent_at),
    payableFrom: iso(period.payable_from),
    paidAt: iso(period.paid_at),
    paymentTxHash: period.transaction_hash,
    paymentVerification: period.verification,
    verificationNote: period.verification_note ?? '',
    approval: approvalOf(period),
    ...(period.parked_reason === null || !isForStaff ? {} : { parkedReason: period.parked_reason }),
    createdAt: period.starts_at.toISOString(),
  }
}

interface LineRow {
  readonly number: string | null
  readonly rate_micro: string | null
  readonly sms_count: string
  readonly amount_micro: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly username: string
}

/** The lines of a bill; of the open period as they are now. */
export async function listLines(
  db: Db,
  cycleId: number,
  userId: number,
  isOpen: boolean,
): Promise<PeriodLine[]> {
  const source = isOpen
    ? sql`(select r.number_id, r.rate_id, count(*) as sms_count, sum(r.amount_micro)::bigint as amount_micro
        from records r where r.cycle_id = ${cycleId} and r.client_id = ${userId} and r.settlement = 1 and not r.is_held
          -- Of a closed cycle that waits for its bills: released since, it counts in the next one.
          and not exists (select from cycle_held_records h where h.cycle_id = ${cycleId} and h.record_id = r.id)
          and ${await createdBetween(db, cycleId)} group by 1, 2)`
    : sql`(select number_id, rate_id, sms_count, amount_micro from billing_lines
        where cycle_id = ${cycleId} and user_id = ${userId})`
  const found = await rows<LineRow>(
    db,
    sql`select n.number, t.rate_micro, l.sms_count, l.amount_micro, c.starts_at, c.ends_at, u.username
        from ${source} l left join numbers n on n.id = l.number_id left join rates t on t.id = l.rate_id
        join cycles c on c.id = ${cycleId} join users u on u.id = ${userId}
        order by n.number nulls last, t.rate_micro`,
  )
  const beyond = found.find(({ number }) => number === null)
  const rest = {
    amountMicro: BigInt(beyond?.amount_micro ?? 0),
    smsCount: Number(beyond?.sms_count ?? 0),
  }
  return [
    ...found.filter(({ number }) => number !== null).map(toTrafficLine),
    ...(await adjustmentLines(db, cycleId, userId, isOpen ? undefined : rest)),
  ]
}

function toTrafficLine(line: LineRow): PeriodLine {
  const number = line.number ?? ''
  return {
    number,
    kind: 'traffic',
    reason: '',
    at: null,
    rate: line.rate_micro === null ? '' : formatMicro(BigInt(line.rate_micro), 2),
    smsCount: Number(line.sms_count),
    amount: formatMicro(BigInt(line.amount_micro), 2),
    recordsUrl: recordsPath(number, line.username, [line.starts_at, line.ends_at]),
    messages: [],
  }
}

// A number may change hands within a period, so the client is named, too.
function recordsPath(number: string, client: string, [from, to]: readonly [Date, Date]): string {
  const day = (at: Date) => at.toISOString().slice(0, 10)
  const filters = { number, client, dateFrom: day(from), dateTo: day(new Date(to.getTime() - 1)) }
  return `/sms-records?${new URLSearchParams(filters).toString()}`
}

interface PaymentRow {
  id: string
  user_id: number
  username: string
  amount_micro: string
  usdt_address: string
  transaction_hash: string | null
  status: PaymentStatus
  verification: PaymentVerification | null
  verification_note: string
  processed_by: string | null
  notes: string
  cycle_id: number | null
  payout_id: string | null
  created_at: Date
  sort_key: string
}

const sortKey = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key`)

/** Newest first. */
export async function listPayments(
  db: Db,
  filter: { id?: string; search?: string | undefined; status?: PaymentStatus | undefined },
  page: { limit: number; cursor?: string | undefined },
): Promise<Page<Payment>> {
  const after = readCursor(page.cursor, ['time', 'id'])
  const pattern = containsPattern(filter.search ?? '')
  const found = await rows<PaymentRow>(
    db,
    sql`select y.*, u.username, a.username as processed_by, ${sortKey('y.created_at')}
        from payments y join users u on u.id = y.user_id left join users a on a.id = y.processed_by
        where (${filter.id ?? null}::bigint is null or y.id = ${filter.id ?? null}::bigint)
          and (${filter.status ?? null}::text is null or y.status = ${filter.status ?? null}::text)
          and (u.username ilike ${pattern} or y.usdt_address ilike ${pattern} or y.transaction_hash ilike ${pattern}
            or y.notes ilike ${pattern})
          and ${after === undefined ? sql`true` : sql`(y.created_at, y.id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`}
        order by y.created_at desc, y.id desc limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key, id }) => [sort_key, id])
  return { items: cut.rows.map(toPayment), next: cut.next }
}

function toPayment(payment: PaymentRow): Payment {
  return {
    id: payment.id,
    userId: payment.user_id,
    userName: payment.username,
    amount: formatMicro(BigInt(payment.amount_micro), 2),
    usdtAddress: payment.usdt_address,
    transactionHash: payment.transaction_hash ?? '',
    status: payment.status,
    paymentVerification: payment.verification,
    verificationNote: payment.verification_note,
    processedBy: payment.processed_by ?? '',
    notes: payment.notes,
    periodId: payment.cycle_id === null ? null : `${payment.cycle_id}-${payment.user_id}`,
    payoutId: payment.payout_id,
    createdAt: payment.created_at.toISOString(),
  }
}

interface PayoutRow extends Omit<PaymentRow, 'status' | 'usdt_address'> {
  status: PayoutStatus
  usdt_address: string | null
  number: string
  sms_count: string
  starts_at: Date
  ends_at: Date
  processed_at: Date | null
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
  parked_reason: string | null
}

/** Newest first. */
export async function listPayouts(
  db: Db,
  filter: { id?: string; userId?: number; status?: PayoutStatus | undefined },
  page: { limit: number; cursor?: string | undefined },
): Promise<Page<Payout>> {
  const after = readCursor(page.cursor, ['time', 'id'])
  const found = await rows<PayoutRow>(
    db,
    sql`select o.*, n.number, c.starts_at, c.ends_at, u.username, y.transaction_hash, y.verification,
          coalesce(y.verification_note, '') as verification_note, y.awaits_approval, q.username as requested_by,
          y.created_at as requested_at, k.reason as parked_reason, ${sortKey('o.created_at')}
        from payouts o join numbers n on n.id = o.number_id join cycles c on c.id = o.cycle_id
        join users u on u.id = o.user_id left join payments y on y.id = o.payment_id
        left join users q on q.id = y.requested_by left join parked_accounts k on k.user_id = o.user_id
        where (${filter.id ?? null}::bigint is null or o.id = ${filter.id ?? null}::bigint)
          and (${filter.userId ?? null}::int is null or o.user_id = ${filter.userId ?? null}::int)
          and (${filter.status ?? null}::text is null or o.status = ${filter.status ?? null}::text)
          and ${after === undefined ? sql`true` : sql`(o.created_at, o.id) < (${after[0]}::timestamptz, ${after[1]}::bigint)`}
        order by o.created_at desc, o.id desc limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key, id }) => [sort_key, id])
  return { items: cut.rows.map(toPayout), next: cut.next }
}

function toPayout(payout: PayoutRow): Payout {
  return {
    id: payout.id,
    createdAt: payout.created_at.toISOString(),
    userId: payout.user_id,
    userName: payout.username,
    number: payout.number,
    amount: formatMicro(BigInt(payout.amount_micro), 2),
    currency: 'USDT',
    smsCount: Number(payout.sms_count),
    usdtAddress: payout.usdt_address ?? '',
    payoutStatus: payout.status,
    periodStart: payout.starts_at.toISOString(),
    periodEnd: payout.ends_at.toISOString(),
    processedAt: iso(payout.processed_at),
    transactionHash: payout.transaction_hash,
    paymentVerification: payout.verification,
    verificationNote: payout.verification_note,
    approval: approvalOf(payout),
    ...(payout.parked_reason === null ? {} : { parkedReason: payout.parked_reason }),
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
