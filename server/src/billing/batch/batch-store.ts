// SQL on unpaid bills and payouts together.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'

export interface UnpaidRow {
  readonly reference: string
  readonly user_id: number
  readonly username: string
  readonly usdt_address: string | null
  readonly due_micro: string
  readonly payable_from: Date
  readonly parked_reason: string | null
  /** State of the payment that is under way; null without one. */
  readonly awaits_approval: boolean | null
  readonly verification: string | null
}

/** The oldest `limit` unpaid bills and payouts. */
export function listUnpaid(db: Db, limit: number): Promise<UnpaidRow[]> {
  return rows(
    db,
    sql`select d.reference, d.user_id, u.username, d.usdt_address, d.due_micro, d.payable_from,
          k.reason as parked_reason, y.awaits_approval, y.verification
        from debts d join users u on u.id = d.user_id left join parked_accounts k on k.user_id = d.user_id
        left join payments y on y.id = d.payment_id and y.status = 'pending'
        where not d.is_settled
        order by d.cycle_id, d.reference limit ${limit}`,
  )
}
