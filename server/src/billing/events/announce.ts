// Events about bills, payouts and payments, for the endpoints of their clients. SQL makes them, because one close makes
// thousands; their fields are those of the API.
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../platform/db.ts'
import { decimalOf, isoOf } from '../../http/reply.ts'
import type { BillingDeps } from '../deps.ts'
import type { AccountSpan, DebtId } from '../rules.ts'

type AnnounceParts = Pick<BillingDeps, 'announce'>

const span = sql`'periodStart', ${isoOf('c.starts_at')}, 'periodEnd', ${isoOf('c.ends_at')}`

/** The bills of a condition on `b`, as events of this type. */
function bills(type: 'bill.created' | 'bill.updated', condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select b.user_id, ${type}::text, b.cycle_id || '-' || b.user_id, jsonb_build_object(
        'id', b.cycle_id || '-' || b.user_id, 'userId', b.user_id, ${span}, 'status', b.status,
        'totalSmsCount', b.sms_count, 'totalCost', ${decimalOf('b.total_micro')},
        'receivedAmount', ${decimalOf('b.received_micro')}, 'dueAmount', ${decimalOf('b.due_micro')},
        'usdtAddress', coalesce(b.usdt_address, ''), 'billSentAt', ${isoOf('b.bill_sent_at')},
        'payableFrom', ${isoOf('b.payable_from')}, 'paidAt', ${isoOf('b.paid_at')},
        'isWithheld', b.withheld_at is not null)
    from billing_periods b join cycles c on c.id = b.cycle_id where ${condition}`
}

/** Tells of the bills that a close made for these accounts. */
export async function announceBills(
  tx: Db,
  { announce }: AnnounceParts,
  cycleId: number,
  { from, to }: AccountSpan,
): Promise<void> {
  await announce?.(
    tx,
    bills('bill.created', sql`b.cycle_id = ${cycleId} and b.user_id between ${from} and ${to}`),
  )
}

/** Tells of the payouts that a close made for these accounts, one event for each number. */
export async function announcePayouts(
  tx: Db,
  { announce }: AnnounceParts,
  cycleId: number,
  { from, to }: AccountSpan,
): Promise<void> {
  await announce?.(
    tx,
    sql`
    select o.user_id, 'payout.created'::text, o.id::text, jsonb_build_object(
        'id', o.id::text, 'userId', o.user_id, 'number', n.number, ${span}, 'smsCount', o.sms_count,
        'amount', ${decimalOf('o.amount_micro')}, 'payoutStatus', o.status,
        'usdtAddress', coalesce(o.usdt_address, ''))
    from payouts o join numbers n on n.id = o.number_id join cycles c on c.id = o.cycle_id
    where o.cycle_id = ${cycleId} and o.user_id between ${from} and ${to}`,
  )
}

/** Tells that the state of a bill, or what is due of it, has changed. Payouts have no such event. */
export async function announceChange(tx: Db, { announce }: AnnounceParts, id: DebtId): Promise<void> {
  if (id.kind === 'period')
    await announce?.(tx, bills('bill.updated', sql`b.cycle_id = ${id.cycleId} and b.user_id = ${id.userId}`))
}

/** Tells the same of many bills at once: those of rows with the columns cycle_id, user_id and payout_id. */
export async function announceChanges(
  tx: Db,
  { announce }: AnnounceParts,
  changedDebts: RawBuilder<unknown>,
): Promise<void> {
  const condition = sql`(b.cycle_id, b.user_id) in (
    select cycle_id, user_id from ${changedDebts} r where payout_id is null)`
  await announce?.(tx, bills('bill.updated', condition))
}

/** Tells that a bill or a payout is paid, and by which payment. */
export async function announcePayment(tx: Db, { announce }: AnnounceParts, paymentId: string): Promise<void> {
  await announce?.(
    tx,
    sql`
    select y.user_id, 'payment.confirmed'::text, y.id::text, jsonb_build_object(
        'id', y.id::text, 'userId', y.user_id,
        'billId', case when y.payout_id is null then y.cycle_id || '-' || y.user_id end,
        'payoutId', y.payout_id::text, 'amount', ${decimalOf('y.received_micro')},
        'usdtAddress', y.usdt_address, 'transactionHash', y.transaction_hash, 'verification', y.verification)
    from payments y where y.id = ${paymentId}::bigint`,
  )
}
