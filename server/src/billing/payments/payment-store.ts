// SQL on payments. Every change of state is compare-and-set.
import { sql } from 'kysely'
import type { PaymentStatus, PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db, type NewRow, type Row } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'
import { addressInForce } from '../profile/profile-store.ts'
import { isPaymentOf, type DebtId } from '../debts/debt-store.ts'

export type PaymentRow = Row<'payments'>

/** What a person decides about a payment of another amount. */
export type PaymentDecision = 'owe' | 'waive' | 'credit' | 'reject'

export function findPaymentRow(tx: Db, id: string): Promise<PaymentRow | undefined> {
  return tx.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst()
}

/** What the payment pays; undefined for an unallocated one. */
export function debtOf(payment: Pick<PaymentRow, 'cycle_id' | 'user_id' | 'payout_id'>): DebtId | undefined {
  if (payment.payout_id !== null) return { kind: 'payout', id: payment.payout_id }
  return payment.cycle_id === null
    ? undefined
    : { kind: 'period', cycleId: payment.cycle_id, userId: payment.user_id }
}

/** Adds a payment of a bill or payout; without `debtId` it is unallocated. Whoever enters one that waits for nobody settles it. */
export async function insertPayment(
  tx: Db,
  debtId: DebtId | undefined,
  payment: NewRow<'payments'> & { readonly requested_by: number },
): Promise<string> {
  const { id } = await tx
    .insertInto('payments')
    .values({
      ...payment,
      processed_by: payment.awaits_approval === true ? null : payment.requested_by,
      cycle_id: debtId?.kind === 'period' ? debtId.cycleId : null,
      payout_id: debtId?.kind === 'payout' ? debtId.id : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

interface PaymentChange {
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  /** What the check found, which the client reads too. Left out, it stays. */
  readonly note?: string
  /** Why a person decided, for staff alone. */
  readonly decisionReason?: string
  readonly processedBy: number | null
  readonly nextCheckAt: Date | null
}

/** Changes a pending payment; false when it is no longer pending. */
export async function changePayment(tx: Db, id: string, change: PaymentChange): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`update payments set status = ${change.status}, verification = ${change.verification},
            verification_note = coalesce(${change.note ?? null}::text, verification_note),
            decision_reason = coalesce(${change.decisionReason ?? null}::text, decision_reason), awaits_approval = false,
            proposed_decision = null, proposed_by = null, proposed_at = null,
            processed_by = coalesce(${change.processedBy}::int, processed_by), next_check_at = ${change.nextCheckAt},
            check_count = check_count + 1
          where id = ${id}::bigint and status = 'pending'`,
    )) === 1
  )
}

export function duePayments(db: Db, now: Date, limit: number): Promise<{ id: string }[]> {
  return db
    .selectFrom('payments')
    .select('id')
    .where('next_check_at', '<=', now)
    .where('status', '=', 'pending')
    .orderBy('next_check_at')
    .limit(limit)
    .execute()
}

export async function userExists(db: Db, userId: number): Promise<boolean> {
  return (await db.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()) !== undefined
}

/** The client's address in force at `at`; null without one. */
export async function findAddress(db: Db, userId: number, at: Date): Promise<string | null> {
  const found = await row<{ address: string | null }>(
    db,
    sql`select ${addressInForce('p', at)} as address from payment_profiles p where user_id = ${userId}`,
  )
  return found?.address ?? null
}

/** Locks a payment that belongs to no bill and no payout. */
export function lockUnallocatedPayment(tx: Db, id: string): Promise<PaymentRow | undefined> {
  return tx
    .selectFrom('payments')
    .selectAll()
    .where('id', '=', id)
    .where('cycle_id', 'is', null)
    .where('payout_id', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Sets the time of the next check; `note` is for the person who waits. */
export async function postponeCheck(db: Db, id: string, at: Date, note: string): Promise<void> {
  await sql`update payments set next_check_at = ${at}, check_count = check_count + 1, verification_note = ${note}
    where id = ${id}::bigint and status = 'pending' and verification = 'confirming'`.execute(db)
}

/** A payment that has a transaction hash and has not failed. */
export interface LivePayment {
  readonly id: string
  readonly transaction_hash: string
  readonly hash_place: number
  readonly usdt_address: string
  readonly amount_micro: string
  /** Whether it belongs to no bill and no payout. */
  readonly is_unallocated: boolean
}

export function livePayments(db: Db, hashes: readonly string[]): Promise<LivePayment[]> {
  return rows(
    db,
    sql`select id, transaction_hash, hash_place, usdt_address, amount_micro,
          cycle_id is null and payout_id is null as is_unallocated
        from payments where transaction_hash = any(${[...hashes]}::text[]) and status <> 'failed' order by id`,
  )
}

/** Makes checks of payments that name the same transaction take turns. */
export async function lockHash(tx: Db, hash: string): Promise<void> {
  await lockItem(tx, 'paymentHash', hash)
}

/** Whether a payment of too much still waits for a decision. */
export async function hasSurplus(tx: Db, debt: DebtId): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from payments where ${isPaymentOf(debt)} and status = 'pending' and verification = 'overpaid' limit 1`,
  )
  return found !== undefined
}

/** Confirms what was less than due, once the rest has come by another payment. */
export async function confirmUnderpaid(tx: Db, debt: DebtId): Promise<void> {
  await sql`update payments set status = 'confirmed', verification_note = 'Paid in several transfers.',
      proposed_decision = null, proposed_by = null, proposed_at = null
    where ${isPaymentOf(debt)} and status = 'pending' and verification = 'underpaid'`.execute(tx)
}

/** Notes what somebody wants to do about a payment, until a second person agrees. */
export async function proposeDecision(
  tx: Db,
  id: string,
  proposal: { decision: PaymentDecision; by: number; reason: string; at: Date },
): Promise<void> {
  await sql`update payments set proposed_decision = ${proposal.decision}, proposed_by = ${proposal.by},
      proposed_reason = ${proposal.reason}, proposed_at = ${proposal.at}
    where id = ${id}::bigint and status = 'pending'`.execute(tx)
}

/** Has a payment that was just entered wait for a second person. */
export async function setAwaitsApproval(tx: Db, id: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ awaits_approval: true, processed_by: null })
    .where('id', '=', id)
    .execute()
}

/** Sets what a payment brought. */
export async function setReceived(tx: Db, id: string, receivedMicro: bigint): Promise<void> {
  await tx.updateTable('payments').set({ received_micro: receivedMicro }).where('id', '=', id).execute()
}

/** Notes the payment that takes the place of one with a mistyped hash. Throws when another one has taken it. */
export async function setReplacedWith(tx: Db, id: string, successorId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('payments')
    .set({ replaced_with: successorId })
    .where('id', '=', id)
    .where('replaced_with', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error('The payment was replaced already')
}

/** Corrects the hash of a payment that counts by somebody's word. */
export async function setHashByWord(tx: Db, id: string, hash: string, notes: string): Promise<void> {
  await tx
    .updateTable('payments')
    .set({ transaction_hash: hash, hash_place: 0, notes })
    .where('id', '=', id)
    .execute()
}

/**
 * Ends the checks of a payment that nothing depends on any more: it was replaced, or what it pays was settled, before
 * `before`. To be called when no node knows its transaction. False when something still depends on it.
 */
export async function endWatch(db: Db, id: string, before: Date): Promise<boolean> {
  return (
    (await changed(
      db,
      sql`update payments y set status = 'failed', verification = 'rejected', next_check_at = null,
            verification_note = 'Its transaction was never seen on chain.'
          where y.id = ${id}::bigint and y.status = 'pending' and y.verification = 'confirming' and (
            exists (select from payments n where n.id = y.replaced_with and n.created_at < ${before})
            or exists (
              select from debts d where d.user_id = y.user_id and d.settled_at < ${before}
                and (d.payout_id = y.payout_id or (d.payout_id is null and y.payout_id is null and d.cycle_id = y.cycle_id))
            ))`,
    )) === 1
  )
}

/** Has the payments of a transaction checked at once: its receipt is there. */
export async function wakeChecks(tx: Db, txid: string, now: Date): Promise<void> {
  await sql`update payments set next_check_at = ${now}
    where transaction_hash = ${txid} and status = 'pending' and next_check_at > ${now}`.execute(tx)
}
