// What an amendment changes in the bill itself.
import { sql, type RawBuilder } from 'kysely'
import { changed, type Db } from '../../platform/db.ts'

/** A bill by its cycle and its client. */
export interface BillId {
  readonly cycleId: number
  readonly userId: number
}

export async function setWithheld(tx: Db, { cycleId, userId }: BillId, at: Date | null): Promise<void> {
  await tx
    .updateTable('billing_periods')
    .set({ withheld_at: at })
    .where('cycle_id', '=', cycleId)
    .where('user_id', '=', userId)
    .execute()
}

/** Nothing is paid for the bill any more. Throws while something is due. */
export async function setVoid(tx: Db, { cycleId, userId }: BillId): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('billing_periods')
    .set({ status: 'void', withheld_at: null })
    .where((eb) => eb.and({ cycle_id: cycleId, user_id: userId, due_micro: '0' }))
    .where('status', '<>', 'paid')
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error('The bill cannot be void')
}

/** What was left of the bill was credited: what was received before has paid it. */
export async function setPaid(tx: Db, { cycleId, userId }: BillId, at: Date): Promise<void> {
  await tx
    .updateTable('billing_periods')
    .set({ status: 'paid', paid_at: at, withheld_at: null })
    .where((eb) => eb.and({ cycle_id: cycleId, user_id: userId, due_micro: '0' }))
    .where('status', '<>', 'paid')
    .execute()
}

/** Nothing is due of the payout any more, as all of it is held or was paid. Does nothing while something is. */
export async function setPayoutCompleted(tx: Db, id: string, at: Date): Promise<void> {
  await tx
    .updateTable('payouts')
    .set({ status: 'completed', processed_at: at })
    .where((eb) => eb.and({ id, status: 'pending', due_micro: '0' }))
    .execute()
}

/**
 * Sends the bill, and the client's payouts that go to the same address, to another one. A payout with a payment under way,
 * also by a payment run that is with the wallet, stays as it is: its money goes to the former address. Returns how many
 * payouts were changed.
 */
export async function setAddress(
  tx: Db,
  { cycleId, userId }: BillId,
  address: string,
  former: string | null,
): Promise<number> {
  await tx
    .updateTable('billing_periods')
    .set({ usdt_address: address })
    .where('cycle_id', '=', cycleId)
    .where('user_id', '=', userId)
    .execute()
  const following = sql`user_id = ${userId} and status = 'pending' and usdt_address is not distinct from ${former}`
  // Locked first, in the order of references: an export that holds one now is committed when the next statement reads runs.
  await sql`select from payouts where ${following} order by id::text collate "C" for update`.execute(tx)
  return changed(
    tx,
    sql`update payouts o set usdt_address = ${address}
        where ${following}
          and not exists (select from payments y where y.payout_id = o.id and y.status = 'pending')
          and not ${inExportedRun(sql`'payout-' || o.id`)}`,
  )
}

/** The condition that the debt of this reference is in a run whose file is with the wallet. */
export const inExportedRun = (reference: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from payment_run_debts d join payment_runs r on r.id = d.run_id
    where d.is_live and r.status = 'exported' and d.reference = ${reference})`
