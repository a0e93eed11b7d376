// The terms of payment, and the sums of all clients' open, unpaid and paid money.
import { sql } from 'kysely'
import type { BillingSummary, BillingTerms } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, type Db } from '../../platform/db.ts'
import { sumOfDay } from '../approval/act-store.ts'
import type { BillingDeps } from '../deps.ts'
import { explorers } from '../../tron/index.ts'
import { readCloseWait } from '../close/close-gate.ts'
import { cycleSums } from '../close/cycle-sums.ts'

/** The terms for a person, who may be about to do something about `about`. */
export async function readTerms(
  { db, clock, settings, tron }: BillingDeps,
  userId: number,
  about: string | undefined,
): Promise<BillingTerms> {
  const [payableAfterDays, addressWaitHours, limitMicro, movedMicro] = await Promise.all([
    settings.payableAfterDays.get(db),
    settings.addressWaitHours.get(db),
    settings.secondPersonAboveMicro.get(db),
    sumOfDay(db, userId, about === undefined ? [] : [about], clock.now()),
  ])
  return {
    payableAfterDays,
    addressWaitHours,
    secondPersonAbove: formatMicro(limitMicro, 2),
    movedAlone: formatMicro(movedMicro, 2),
    isCheckedOnChain: tron !== undefined,
    // Without a configured node, transfers are assumed to be on the main net.
    explorerUrl:
      tron === undefined ? 'https://tronscan.org/#/transaction/' : (explorers[tron.usdtContract] ?? ''),
  }
}

const amount = (micro: string): string => formatMicro(BigInt(micro), 2)

/** Open and unpaid money of all clients, and what was paid in the last 30 days. */
export async function summariseBilling(db: Db, now: Date): Promise<BillingSummary> {
  const [bills, open, held, closeWait] = await Promise.all([
    sumBills(db, now),
    sumOpen(db),
    sumHeld(db),
    readCloseWait(db),
  ])
  return { ...bills, open, held, closeWait }
}

const thirtyDaysMs = 30 * 86_400_000

interface BillSums {
  ready_count: number
  ready_micro: string
  failed_count: number
  withheld_count: number
  confirming_count: number
  approval_count: number
  oldest: Date | null
  paid_count: number
  paid_micro: string
  verified_count: number
}

/** The row of a query without groups, which always has one. */
function only<Row>(found: Row | undefined): Row {
  if (found === undefined) throw new Error('A sum came without its row')
  return found
}

async function sumBills(db: Db, now: Date): Promise<Pick<BillingSummary, 'ready' | 'paid'>> {
  const since = new Date(now.getTime() - thirtyDaysMs)
  const found = only(
    await row<BillSums>(
      db,
      sql`select (count(*) filter (where not is_settled))::int as ready_count,
            coalesce(sum(due_micro) filter (where not is_settled), 0)::text as ready_micro,
            (count(*) filter (where b.status = 'failed'))::int as failed_count,
            (count(*) filter (where not is_settled and withheld_at is not null))::int as withheld_count,
            (count(*) filter (where not is_settled and y.status = 'pending' and y.verification = 'confirming'))::int
              as confirming_count,
            (count(*) filter (where not is_settled and (y.awaits_approval or exists (
              select from bill_amendments a
              where a.cycle_id = b.cycle_id and a.user_id = b.user_id and a.status = 'pending'))))::int as approval_count,
            min(bill_sent_at) filter (where not is_settled) as oldest,
            (count(*) filter (where b.status = 'paid'))::int as paid_count,
            coalesce(sum(b.received_micro) filter (where b.status = 'paid'), 0)::text as paid_micro,
            (count(*) filter (where b.status = 'paid' and y.verification = 'verified'))::int as verified_count
          from (select *, status in ('paid', 'void') as is_settled from billing_periods) b
          left join payments y on y.id = b.payment_id
          where b.status not in ('paid', 'void') or b.paid_at >= ${since}`,
    ),
  )
  return {
    ready: {
      count: found.ready_count,
      amount: amount(found.ready_micro),
      failedCount: found.failed_count,
      withheldCount: found.withheld_count,
      confirmingCount: found.confirming_count,
      approvalCount: found.approval_count,
      oldestBillSentAt: found.oldest?.toISOString() ?? null,
    },
    paid: { count: found.paid_count, amount: amount(found.paid_micro), verifiedCount: found.verified_count },
  }
}

async function sumOpen(db: Db): Promise<BillingSummary['open']> {
  const found = await row<{ clients: number; count: string; micro: string; ends_at: Date }>(
    db,
    sql`select count(s.user_id)::int as clients, coalesce(sum(s.sms_count), 0)::text as count,
          -- Who owes more than he earned gets no bill; it takes nothing from the bills of others.
          coalesce(sum(s.total_micro) filter (where s.total_micro > 0), 0)::text as micro, c.ends_at
        from cycles c left join lateral (
          select * from ${cycleSums(sql`c.id`)} sums where sms_count > 0 or total_micro <> 0
        ) s on true
        where c.closed_at is null group by c.id order by c.id desc limit 1`,
  )
  // There is no cycle before the first message.
  if (found === undefined) return { clientCount: 0, smsCount: 0, amount: '0.00', periodEnd: null }
  return {
    clientCount: found.clients,
    smsCount: Number(found.count),
    amount: amount(found.micro),
    periodEnd: found.ends_at.toISOString(),
  }
}

async function sumHeld(db: Db): Promise<BillingSummary['held']> {
  const found = only(
    await row<{ count: number; micro: string }>(
      db,
      // Without refused records: they are in no bill, but nobody has to decide on them any more.
      sql`with held as materialized (select id, amount_micro from records where is_held)
          select count(*)::int as count, coalesce(sum(amount_micro), 0)::text as micro from held r
          where not exists (select from hold_records p join holds h on h.id = p.hold_id
            where p.record_id = r.id and h.status = 'confirmed')`,
    ),
  )
  return { smsCount: found.count, amount: amount(found.micro) }
}
