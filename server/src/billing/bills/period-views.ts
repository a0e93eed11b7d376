// Billing periods for screens and exports: bills, open periods, and closed periods without a bill.
import { sql, type RawBuilder } from 'kysely'
import type { BillingPeriod, periodSorts } from '@tollgate/contract/billing/bills.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { EndLine } from '@tollgate/contract/statements/statement-format.ts'
import type { PeriodStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import type { PageReply } from '../../http/handlers.ts'
import { decimalOf, isoOf, replyRows } from '../../http/reply.ts'
import type { Db } from '../../platform/db.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { allOf, keyset, type Sort, type SortedPage } from '../../http/lists/sorted-page.ts'
import {
  approvalOf,
  debtColumns,
  parkedFields,
  verificationNoteOf,
  type ParkedColumns,
} from '../debts/reply-fields.ts'
import { averageMicro, recordsUrl } from '../rules.ts'
import { cycleSums } from '../close/cycle-sums.ts'
import { addressInForce } from '../profile/profile-store.ts'

/** A period as it is read; the fields of the reply that are not here are made of these. */
type PeriodRow = Omit<
  BillingPeriod,
  'recordsUrl' | 'costPerSms' | 'areRecordsRemoved' | 'unbilled' | keyof ParkedColumns
> &
  ParkedColumns & {
    readonly sortKey: string
    readonly rowKey: string
    readonly cycleId: number
    readonly hasRecordsRemoved: boolean
    /** For a period without a bill: the end line of its statement, and the amount carried on. */
    readonly endLine: EndLine | null
    readonly carried: string | null
  }

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
  const cut = cutPage(found, page.limit, (last) => [last.sortKey, last.rowKey])
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
  const isForStaff = filter.hasOwnOpen !== true
  return replyRows<PeriodRow>(
    db,
    sql`with page as (
          select b.*, ${set.key} as sort_key, ${rowKey}::text as row_key
          from ${periods(filter)} b join users u on u.id = b.user_id
          where ${condition} order by ${set.orderBy} limit ${page.limit + 1}
        )
        select b.sort_key, b.row_key, b.cycle_id || '-' || b.user_id as id, b.cycle_id, b.user_id, u.username as user_name,
          coalesce(nullif(pr.email, ''), u.email) as user_email, ${debtColumns('b')},
          c.starts_at as period_start, c.ends_at as period_end, b.sms_count::float8 as total_sms_count,
          b.total_micro as total_cost_micro, b.status, b.bill_sent_at, b.payable_from, b.paid_at,
          b.sms_count > 0 and to_regclass(
            'records_' || to_char(date_trunc('week', c.starts_at at time zone 'UTC'), 'YYYYMMDD')
          ) is null as has_records_removed,
          y.transaction_hash as payment_tx_hash, y.verification as payment_verification,
          ${verificationNoteOf(isForStaff)} as verification_note, ${approvalOf(isForStaff)} as approval,
          k.reason as parked_reason, k.words as parked_words, coalesce(credited.micro, 0) as credited_amount_micro,
          ${isForStaff ? sql`rd.run_id` : sql`null`} as run_id,
          case when b.withheld_at is not null then json_build_object('at', ${isoOf('b.withheld_at')},
            'reason', coalesce(${isForStaff ? sql`w.reason` : sql`w.client_reason`}, '')) end as withheld,
          case when a.id is not null and ${isForStaff} then json_build_object('id', a.id::text, 'kind', a.kind,
            'amount', coalesce(${decimalOf('a.amount_micro')}, ''), 'usdtAddress', coalesce(a.usdt_address, ''),
            'reason', a.reason, 'requestedBy', ar.username, 'requestedAt', ${isoOf('a.requested_at')},
            'acceptableFrom', ${isoOf('a.acceptable_from')}) end as pending_amendment, c.starts_at as created_at,
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

/** Only staff sees why an account is parked. */
function toPeriod(found: PeriodRow, isForStaff: boolean): BillingPeriod {
  const { sortKey: _key, rowKey: _row, cycleId, hasRecordsRemoved, endLine, carried, ...rest } = found
  const { parkedReason, parkedWords, ...period } = rest
  const average = averageMicro(parseMicro(period.totalCost) ?? 0n, BigInt(period.totalSmsCount))
  return {
    ...period,
    recordsUrl: recordsUrl({ cycleId, userId: period.userId, settlement: 'bill' }),
    ...(hasRecordsRemoved && { areRecordsRemoved: true }),
    costPerSms: formatMicro(average, 2),
    ...parkedFields({ parkedReason, parkedWords }, isForStaff),
    ...(endLine !== null && { unbilled: unbilledOf(endLine, carried) }),
  }
}

function unbilledOf({ payouts, held, refused }: EndLine, carried: string | null) {
  return { payouts, held, refused: refused ?? '0.00', carried: carried ?? '0.00' }
}
