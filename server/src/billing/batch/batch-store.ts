// SQL on unpaid bills and payouts together.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'

export interface UnpaidRow {
  readonly reference: string
  readonly user_id: number
  readonly username: string
  readonly usdt_address: string | null
  readonly amount_micro: string
  readonly payable_from: Date | null
  readonly parked_reason: string | null
  /** State of the payment that is under way; null without one. */
  readonly awaits_approval: boolean | null
  readonly verification: string | null
}

/** The oldest `limit` unpaid bills and payouts. */
export function listUnpaid(db: Db, limit: number): Promise<UnpaidRow[]> {
  return rows(
    db,
    sql`select w.reference, w.user_id, u.username, w.usdt_address, w.amount_micro, w.payable_from,
          k.reason as parked_reason, y.awaits_approval, y.verification
        from (
          select cycle_id, cycle_id || '-' || user_id as reference, user_id, usdt_address, total_micro as amount_micro,
            payable_from, payment_id
          from billing_periods where status <> 'paid'
          union all
          select cycle_id, 'payout-' || id, user_id, usdt_address, amount_micro, null, payment_id
          from payouts where status = 'pending'
        ) w join users u on u.id = w.user_id left join parked_accounts k on k.user_id = w.user_id
        left join payments y on y.id = w.payment_id and y.status = 'pending'
        order by w.cycle_id, w.reference limit ${limit}`,
  )
}
