// SQL on debts: bills and payouts as something that is owed, received, and paid in the end.
import { sql, type RawBuilder } from 'kysely'
import { changed, onlyRow, row, type Db } from '../../platform/db.ts'
import { parseReference, type DebtId } from '../rules.ts'

export type { DebtId } from '../rules.ts'

export interface DebtRow {
  readonly cycle_id: number
  readonly user_id: number
  readonly total_micro: string
  /** What arrived for it; may be more than was owed. */
  readonly received_micro: string
  /** By the client's credit and debts. */
  readonly set_off_micro: string
  /** What is still to be paid. */
  readonly due_micro: string
  /** What was received beyond the debt, until a person decides on it. */
  readonly surplus_micro: string
  readonly usdt_address: string | null
  readonly status: string
  /** Since when nothing is paid for it; null while it may be. */
  readonly withheld_at: Date | null
  /** Whether an amendment of it waits for a second person. */
  readonly awaits_amendment: boolean
  /** Whether messages of its client are being held now, or will be taken off bills the next morning. */
  readonly is_being_held: boolean
  readonly payable_from: Date
  /** The newest payment of it; null before the first. */
  readonly payment_id: string | null
}

const parts = (total: string): RawBuilder<unknown> =>
  sql.raw(`cycle_id, user_id, ${total} as total_micro, received_micro, set_off_micro, due_micro, usdt_address, status, payable_from, payment_id,
    greatest(0, received_micro + set_off_micro + reduced_micro - ${total}) - excess_micro as surplus_micro`)

const isBeingHeld = sql`user_id in (select user_id from clients_being_held) as is_being_held`

/** Locks the bill or payout, so that everything that is done about it takes turns. */
export function lockDebt(tx: Db, debt: DebtId): Promise<DebtRow | undefined> {
  return debt.kind === 'period'
    ? row(
        tx,
        sql`select ${parts('total_micro')}, withheld_at, exists (
              select from bill_amendments a where a.cycle_id = b.cycle_id and a.user_id = b.user_id and a.status = 'pending'
            ) as awaits_amendment, ${isBeingHeld}
            from billing_periods b where ${isPeriod(debt)} for update`,
      )
    : row(
        tx,
        sql`select ${parts('amount_micro')}, null::timestamptz as withheld_at, false as awaits_amendment,
              ${isBeingHeld}
            from payouts where ${isPayout(debt)} for update`,
      )
}

/** Locks debts in the order of their references, so that runs, set-offs and payments take turns. */
export async function lockDebts(tx: Db, references: readonly string[]): Promise<void> {
  for (const reference of references.toSorted()) {
    const debt = parseReference(reference)
    if (debt !== undefined) await lockDebt(tx, debt)
  }
}

const isPeriod = ({ cycleId, userId }: { cycleId: number; userId: number }): RawBuilder<unknown> =>
  sql`cycle_id = ${cycleId} and user_id = ${userId}`
const isPayout = ({ id }: { id: string }): RawBuilder<unknown> => sql`id = ${id}::bigint`

/** Whose debt it is; undefined when there is no such one. */
export async function userOf(tx: Db, debt: DebtId): Promise<number | undefined> {
  const found = await row<{ user_id: number }>(
    tx,
    debt.kind === 'period'
      ? sql`select user_id from billing_periods where ${isPeriod(debt)}`
      : sql`select user_id from payouts where ${isPayout(debt)}`,
  )
  return found?.user_id
}

/** Has everything that is done about several debts of a client take turns. To be taken before the debts. */
export async function lockClientDebts(tx: Db, userId: number): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Whether nothing more is expected for it: a paid or void bill, a completed payout. */
export const isSettled = ({ status }: Pick<DebtRow, 'status'>): boolean =>
  status === 'paid' || status === 'void' || status === 'completed'

/** What a payment, a waiver or their withdrawal changes; each may be below 0. */
interface DebtChange {
  readonly receivedMicro?: bigint
  readonly reducedMicro?: bigint
  readonly excessMicro?: bigint
}

/** Adds to what was received and waived; the amount due follows. */
export async function changeDebt(tx: Db, debt: DebtId, change: DebtChange): Promise<void> {
  const setting = sql`received_micro = received_micro + ${change.receivedMicro ?? 0n},
    reduced_micro = reduced_micro + ${change.reducedMicro ?? 0n},
    excess_micro = excess_micro + ${change.excessMicro ?? 0n}`
  await (
    debt.kind === 'period'
      ? sql`update billing_periods set ${setting} where ${isPeriod(debt)}`
      : sql`update payouts set ${setting} where ${isPayout(debt)}`
  ).execute(tx)
}

/** Sets the newest payment of a debt, and the state that follows from it. Throws when the debt was settled before. */
export async function setDebtState(
  tx: Db,
  debt: DebtId,
  { paymentId, isFailed, settledAt }: { paymentId: string; isFailed: boolean; settledAt: Date | null },
): Promise<void> {
  const writing =
    debt.kind === 'period'
      ? sql`update billing_periods set payment_id = ${paymentId}::bigint, paid_at = ${settledAt},
            status = ${settledAt !== null ? 'paid' : isFailed ? 'failed' : 'sent_to_support'}
          where ${isPeriod(debt)} and status <> 'paid'`
      : sql`update payouts set payment_id = ${paymentId}::bigint, processed_at = ${settledAt},
            status = ${settledAt !== null ? 'completed' : 'pending'}
          where ${isPayout(debt)} and status = 'pending'`
  if ((await changed(tx, writing)) !== 1) throw new Error('The bill or payout was settled already')
}

/** The earliest time of a transfer that can pay it: when the bill was sent, or the payout was made. */
export async function owedSince(db: Db, debt: DebtId): Promise<Date> {
  const found = await onlyRow<{ at: Date }>(
    db,
    debt.kind === 'period'
      ? sql`select bill_sent_at as at from billing_periods where ${isPeriod(debt)}`
      : sql`select created_at as at from payouts where ${isPayout(debt)}`,
  )
  return found.at
}

/** Whether a payment is being looked up, or waits for approval. */
export async function isUnderWay(tx: Db, debt: DebtId): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from payments where ${isPaymentOf(debt)} and ${underWay('payments')} limit 1`,
  )
  return found !== undefined
}

/** The condition on a payment that is being looked up, or waits for approval. */
export const underWay = (alias: string): RawBuilder<unknown> =>
  sql`${sql.raw(alias)}.status = 'pending' and (${sql.raw(alias)}.awaits_approval or ${sql.raw(alias)}.verification = 'confirming')`

/** The condition on a payment that it pays this debt. */
export const isPaymentOf = (debt: DebtId): RawBuilder<unknown> =>
  debt.kind === 'period'
    ? sql`cycle_id = ${debt.cycleId} and user_id = ${debt.userId}`
    : sql`payout_id = ${debt.id}::bigint`

const referenceOf = (debt: DebtId): string =>
  debt.kind === 'period' ? `${debt.cycleId}-${debt.userId}` : `payout-${debt.id}`

/** The payment run whose transfer for a debt has not come yet; undefined in none. */
export async function findUnsentRun(tx: Db, debt: DebtId): Promise<string | undefined> {
  const found = await tx
    .selectFrom('payment_run_debts as d')
    .innerJoin('payment_run_lines as l', 'l.id', 'd.line_id')
    .select('d.run_id')
    .where('d.reference', '=', referenceOf(debt))
    .where('d.is_live', '=', true)
    .where('l.transfer_id', 'is', null)
    .executeTakeFirst()
  return found?.run_id
}

/** The payment run that a debt is in; undefined in none. */
export async function findLiveRun(tx: Db, debt: DebtId): Promise<string | undefined> {
  const found = await tx
    .selectFrom('payment_run_debts')
    .select('run_id')
    .where('reference', '=', referenceOf(debt))
    .where('is_live', '=', true)
    .executeTakeFirst()
  return found?.run_id
}
