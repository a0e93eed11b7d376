// Billing periods for screens and exports: bills, open periods, and closed periods without a bill.
import { sql, type RawBuilder } from 'kysely'
import type { BillingPeriod, periodSorts } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Sentence } from '@tollgate/contract/sentences.ts'
import type { EndLine } from '@tollgate/contract/statements/statement-format.ts'
import type { AmendmentKind, PaymentVerification, PeriodStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import type { PageReply } from '../../http/handlers.ts'
import { rows, type Db } from '../../platform/db.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { allOf, keyset, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'
import { approvalOf, debtReplyFields, iso, parkedFields, verificationNoteOf } from '../debts/reply-fields.ts'
import { averageMicro, recordsUrl } from '../rules.ts'
import { cycleSums } from '../close/cycle-sums.ts'
import { addressInForce } from '../profile/profile-store.ts'

interface PeriodColumns {
  sort_key: string
  row_key: string
  cycle_id: number
  user_id: number
  username: string
  email: string
  usdt_address: string | null
  starts_at: Date
  ends_at: Date
  sms_count: string
  total_micro: string
  received_micro: string
  due_micro: string
  set_off_micro: string
  reduced_micro: string
  payment_id: string | null
  status: PeriodStatus
  bill_sent_at: Date | null
  payable_from: Date | null
  paid_at: Date | null
  transaction_hash: string | null
  verification: PaymentVerification | null
  verification_note: string | null
  decision_reason: string | null
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
  parked_reason: string | null
  parked_words: Sentence[] | null
  withheld_at: Date | null
  credited_micro: string
  run_id: string | null
  withheld_reason: string | null
  withheld_client_reason: string | null
  has_records_removed: boolean
  /** For a period without a bill: the end line of its statement, and the amount carried on. */
  end_line: EndLine | null
  carried_micro: string | null
}

/** The columns of a period's amendment that waits for a second person; all null without one. */
interface AmendmentColumns {
  amendment_id: string
  amendment_kind: AmendmentKind
  amendment_micro: string | null
  amendment_address: string | null
  amendment_reason: string
  amendment_requester: string
  amendment_requested_at: Date
  amendment_acceptable_from: Date
}

type PeriodRow = PeriodColumns & (AmendmentColumns | { [Column in keyof AmendmentColumns]: null })

export interface PeriodFilter {
  readonly cycleId?: number | undefined
  readonly userId?: number | undefined
  readonly status?: PeriodStatus | undefined
  readonly search?: string | undefined
  /** Include the user's open period even without traffic. */
  readonly hasOwnOpen?: boolean
  /** As the client sees the open period: what was held since yesterday counts as if it were not. */
  readonly asTold?: boolean
  /** Include closed periods without a bill, once their statements are made. */
  readonly hasUnbilled?: boolean
  readonly now: Date
}

function periods(filter: PeriodFilter): RawBuilder<unknown> {
  const told = { asTold: filter.asTold === true }
  const openFor =
    filter.hasOwnOpen === true
      ? sql`(select ${filter.userId ?? 0}::int as user_id, coalesce(max(sms_count), 0) as sms_count,
          coalesce(max(total_micro), 0) as total_micro
        from ${cycleSums(sql`c.id`, sql`${filter.userId ?? 0}::int`, told)} sums where user_id = ${filter.userId ?? 0}::int)`
      : sql`(select user_id, sms_count, total_micro from ${cycleSums(sql`c.id`, sql`null`, told)} sums
          where sms_count > 0 or total_micro <> 0)`
  const unbilled =
    filter.hasUnbilled === true || filter.status === 'no_bill'
      ? sql`union all
          select s.cycle_id, s.user_id, s.record_count, 0, 0, 0, 0, 0, null, 'no_bill', null, null, null, null, null
          from statements s
          where not exists (select from billing_periods o where o.cycle_id = s.cycle_id and o.user_id = s.user_id)`
      : sql``
  return sql`(
    select cycle_id, user_id, sms_count, total_micro, received_micro, due_micro, set_off_micro, reduced_micro, usdt_address,
      status, bill_sent_at, payable_from, paid_at, payment_id, withheld_at
    from billing_periods
    union all
    select c.id, s.user_id, s.sms_count, s.total_micro, 0, 0, 0, 0, ${addressInForce('p', filter.now)}, 'pending',
      null, null, null, null, null::timestamptz
    from cycles c cross join lateral ${openFor} s left join payment_profiles p on p.user_id = s.user_id
    where c.closed_at is null or not exists (select from cycle_bills k where k.cycle_id = c.id)
    ${unbilled}
  )`
}

// Unpaid bills first, the oldest at the top; then open periods, then paid and void bills, then periods without a bill.
const dueCycle = sql`case when b.status in ('pending', 'paid', 'void', 'no_bill') then b.cycle_id else 2147483647 - b.cycle_id end`
const dueRank = sql`case b.status when 'pending' then 2 when 'paid' then 1 when 'void' then 1 when 'no_bill' then 0 else 3 end`

const sorts: Record<(typeof periodSorts)[number], Sort> = {
  newest: { expression: sql`b.cycle_id`, kind: 'id' },
  due: { expression: sql`(${dueRank} * 4294967296 + ${dueCycle})`, kind: 'id' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
  totalSmsCount: { expression: sql`b.sms_count`, kind: 'signed' },
  totalCost: { expression: sql`b.total_micro`, kind: 'signed' },
}

// A unique key of a period, for keyset pages: newer cycles are larger.
const rowKey = sql`(b.cycle_id::bigint * 2147483648 + b.user_id)`

/** A page of periods. */
export async function listPeriods(
  db: Db,
  filter: PeriodFilter,
  page: SortedPage<(typeof periodSorts)[number]>,
): Promise<PageReply<BillingPeriod[]>> {
  let found = mayEndBeforePaid(filter, page) ? await readPage(db, filter, page, isBeforePaid) : []
  if (found.length <= page.limit) found = await readPage(db, filter, page, sql`true`)
  const cut = cutPage(found, page.limit, (last) => [last.sort_key, last.row_key])
  return { items: cut.rows.map((period) => toPeriod(period, filter.hasOwnOpen !== true)), next: cut.next }
}

/** Whether a page sorted by due can be full before the paid bills begin: then years of paid bills need not be read. */
function mayEndBeforePaid(
  { status, userId }: PeriodFilter,
  { sort, order }: Pick<SortedPage<string>, 'sort' | 'order'>,
) {
  return sort === 'due' && order === 'desc' && status === undefined && userId === undefined
}

const isBeforePaid = sql`b.status not in ('paid', 'void', 'no_bill')`

/** One row more than the page has, if there is one. Joins that only shown rows need are done after the page is cut. */
async function readPage(
  db: Db,
  filter: PeriodFilter,
  page: SortedPage<(typeof periodSorts)[number]>,
  restriction: RawBuilder<unknown>,
): Promise<PeriodRow[]> {
  const set = keyset(sorts[page.sort], rowKey, page.order, page.cursor)
  const pattern = containsPattern(filter.search ?? '')
  const condition = allOf([
    restriction,
    filter.cycleId !== undefined && sql`b.cycle_id = ${filter.cycleId}`,
    filter.userId !== undefined && sql`b.user_id = ${filter.userId}`,
    filter.status !== undefined && sql`b.status = ${filter.status}`,
    filter.search !== undefined &&
      filter.search !== '' &&
      sql`(u.username ilike ${pattern} or u.email ilike ${pattern} or b.usdt_address ilike ${pattern})`,
    set.after,
  ])
  return rows<PeriodRow>(
    db,
    sql`with page as (
          select b.*, ${set.key} as sort_key, ${rowKey}::text as row_key
          from ${periods(filter)} b join users u on u.id = b.user_id
          where ${condition} order by ${set.orderBy} limit ${page.limit + 1}
        )
        select b.*, c.starts_at, c.ends_at, b.sms_count > 0 and to_regclass(
            'records_' || to_char(date_trunc('week', c.starts_at at time zone 'UTC'), 'YYYYMMDD')
          ) is null as has_records_removed, u.username, coalesce(nullif(pr.email, ''), u.email) as email,
          y.transaction_hash, y.verification, y.verification_note, y.decision_reason, y.awaits_approval,
          q.username as requested_by, y.created_at as requested_at, k.reason as parked_reason, k.words as parked_words,
          coalesce(credited.micro, 0) as credited_micro, rd.run_id,
          w.reason as withheld_reason, w.client_reason as withheld_client_reason,
          a.id as amendment_id, a.kind as amendment_kind, a.amount_micro as amendment_micro,
          a.usdt_address as amendment_address, a.reason as amendment_reason, ar.username as amendment_requester,
          a.requested_at as amendment_requested_at, a.acceptable_from as amendment_acceptable_from,
          split_part(rtrim(st.closing, chr(10)), chr(10), -1)::jsonb as end_line, (
            select (-sum(e.amount_micro))::text from ledger_entries e
            where e.user_id = st.user_id and e.cycle_id > st.cycle_id and e.kind = 'carry' and e.account = 'payable'
              and e.reference = b.cycle_id || '-' || b.user_id
          ) as carried_micro
        from page b join cycles c on c.id = b.cycle_id join users u on u.id = b.user_id
        left join payment_profiles pr on pr.user_id = b.user_id
        left join payments y on y.id = b.payment_id left join users q on q.id = y.requested_by
        left join parked_accounts k on k.user_id = b.user_id
        left join payment_run_debts rd on rd.is_live and rd.reference = b.cycle_id || '-' || b.user_id
        left join lateral (
          select sum(n.amount_micro)::bigint as micro from bill_amendments n
          where n.cycle_id = b.cycle_id and n.user_id = b.user_id and n.kind = 'credit_note' and n.status = 'done'
        ) credited on true
        left join lateral (
          select n.reason, n.client_reason from bill_amendments n
          where b.withheld_at is not null and n.cycle_id = b.cycle_id and n.user_id = b.user_id
            and n.kind = 'withhold' and n.status = 'done' order by n.id desc limit 1
        ) w on true
        left join bill_amendments a on a.cycle_id = b.cycle_id and a.user_id = b.user_id and a.status = 'pending'
        left join users ar on ar.id = a.requested_by
        left join statements st on b.status = 'no_bill' and st.cycle_id = b.cycle_id and st.user_id = b.user_id
        order by ${set.orderBy}`,
  )
}

/** One period; undefined when there is none. */
export async function findPeriod(db: Db, filter: PeriodFilter): Promise<BillingPeriod | undefined> {
  return (await listPeriods(db, filter, { sort: 'newest', order: 'desc', limit: 1 })).items[0]
}

/** Only staff sees why an account is parked, and why a person decided about a payment. */
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
    recordsUrl: recordsUrl({ cycleId: period.cycle_id, userId: period.user_id, settlement: 'bill' }),
    ...(period.has_records_removed && { areRecordsRemoved: true }),
    totalCost: formatMicro(total, 2),
    costPerSms: formatMicro(averageMicro(total, count), 2),
    ...debtReplyFields(period),
    status: period.status,
    billSentAt: iso(period.bill_sent_at),
    payableFrom: iso(period.payable_from),
    paidAt: iso(period.paid_at),
    paymentTxHash: period.transaction_hash,
    paymentVerification: period.verification,
    verificationNote: verificationNoteOf(period, isForStaff),
    approval: approvalOf(period, isForStaff),
    ...amendmentFields(period, isForStaff),
    ...(isForStaff && parkedFields(period)),
    ...(period.end_line !== null && { unbilled: unbilledOf(period.end_line, period.carried_micro) }),
    createdAt: period.starts_at.toISOString(),
  }
}

function amendmentFields(period: PeriodRow, isForStaff: boolean) {
  const reason = isForStaff ? period.withheld_reason : period.withheld_client_reason
  const amountMicro = period.amendment_micro
  return {
    withheld:
      period.withheld_at === null ? null : { at: period.withheld_at.toISOString(), reason: reason ?? '' },
    creditedAmount: formatMicro(BigInt(period.credited_micro), 2),
    runId: isForStaff ? period.run_id : null,
    pendingAmendment:
      period.amendment_id === null || !isForStaff
        ? null
        : {
            id: period.amendment_id,
            kind: period.amendment_kind,
            amount: amountMicro === null ? '' : formatMicro(BigInt(amountMicro), 2),
            usdtAddress: period.amendment_address ?? '',
            reason: period.amendment_reason,
            requestedBy: period.amendment_requester,
            requestedAt: period.amendment_requested_at.toISOString(),
            acceptableFrom: period.amendment_acceptable_from.toISOString(),
          },
  }
}

function unbilledOf({ payouts, held, refused }: EndLine, carriedMicro: string | null) {
  return { payouts, held, refused: refused ?? '0.00', carried: formatMicro(BigInt(carriedMicro ?? 0), 2) }
}
