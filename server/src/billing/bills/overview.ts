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
import { debtsWithState, stepAt } from '../debts/next-step.ts'
import { isPaidFrom } from '../payments/payment-views.ts'

/** The terms for a person, who may be about to do something about `about`. */
export async function readTerms(
  { db, clock, settings, terms, tron }: BillingDeps,
  userId: number,
  about: string | undefined,
): Promise<BillingTerms> {
  const [payableAfterDays, addressWaitHours, limitMicro, movedMicro] = await Promise.all([
    terms.payableAfterDays(db, userId),
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
  const [ready, paid, open, held, closeWait] = await Promise.all([
    sumReady(db, now),
    sumPaid(db, now),
    sumOpen(db),
    sumHeld(db),
    readCloseWait(db),
  ])
  return { ready, paid, open, held, closeWait }
}

const thirtyDaysMs = 30 * 86_400_000

/** The row of a query without groups, which always has one. */
function only<Row>(found: Row | undefined): Row {
  if (found === undefined) throw new Error('A sum came without its row')
  return found
}

async function sumReady(db: Db, now: Date): Promise<BillingSummary['ready']> {
  const found = only(
    await row<{ count: number; micro: string; oldest: Date | null }>(
      db,
      sql`select count(*)::int as count, coalesce(sum(d.due_micro), 0)::text as micro, min(d.owed_since) as oldest
          from ${debtsWithState} where not d.is_settled and ${stepAt(now)} = 'pay'`,
    ),
  )
  return { count: found.count, amount: amount(found.micro), oldestAt: found.oldest?.toISOString() ?? null }
}

/** The same payments as the list with that day and the status confirmed. */
async function sumPaid(db: Db, now: Date): Promise<BillingSummary['paid']> {
  const since = new Date(now.getTime() - thirtyDaysMs).toISOString().slice(0, 10)
  const found = only(
    await row<{ count: number; micro: string; verified: number }>(
      db,
      sql`select count(*)::int as count, coalesce(sum(y.received_micro), 0)::text as micro,
            (count(*) filter (where y.verification = 'verified'))::int as verified
          from payments y where y.status = 'confirmed' and ${isPaidFrom(since)}`,
    ),
  )
  return { count: found.count, amount: amount(found.micro), verifiedCount: found.verified, since }
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
    await row<{ count: number; micro: string; holds: number }>(
      db,
      sql`select coalesce(sum(open_count), 0)::int as count, coalesce(sum(open_micro), 0)::text as micro,
            (select count(*)::int from holds where status = 'open') as holds
          from hold_sums where open_count > 0`,
    ),
  )
  return { holdCount: found.holds, smsCount: found.count, amount: amount(found.micro) }
}
