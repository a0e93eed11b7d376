// SQL on payments and on what they pay. Every change of state is compare-and-set.
import { sql } from 'kysely'
import type { PaymentStatus, PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'
import { addressInForce } from '../profile/profile-store.ts'

/** What a payment pays. */
export type PaymentTarget =
  | { readonly kind: 'period'; readonly cycleId: number; readonly userId: number }
  | { readonly kind: 'payout'; readonly id: string }

export interface OwedRow {
  readonly cycle_id: number
  readonly user_id: number
  readonly amount_micro: string
  readonly usdt_address: string | null
  readonly status: string
  readonly payable_from: Date | null
  readonly payment_id: string | null
}

/** Locks the bill or payout, so that payments of it take turns. */
export function lockOwed(tx: Db, target: PaymentTarget): Promise<OwedRow | undefined> {
  return target.kind === 'period'
    ? row(
        tx,
        sql`select cycle_id, user_id, total_micro as amount_micro, usdt_address, status, payable_from, payment_id
            from billing_periods where cycle_id = ${target.cycleId} and user_id = ${target.userId} for update`,
      )
    : row(
        tx,
        sql`select cycle_id, user_id, amount_micro, usdt_address, status, null::timestamptz as payable_from, payment_id
            from payouts where id = ${target.id}::bigint for update`,
      )
}

export interface PaymentRow {
  readonly id: string
  readonly user_id: number
  readonly amount_micro: string
  readonly usdt_address: string
  readonly transaction_hash: string | null
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  readonly awaits_approval: boolean
  readonly requested_by: number | null
  readonly cycle_id: number | null
  readonly payout_id: string | null
  readonly created_at: Date
  readonly check_count: number
}

export function findPayment(tx: Db, id: string): Promise<PaymentRow | undefined> {
  return row(tx, sql`select * from payments where id = ${id}::bigint`)
}

interface NewPayment {
  readonly userId: number
  readonly amountMicro: bigint
  readonly address: string
  readonly hash: string | null
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  readonly awaitsApproval: boolean
  readonly requestedBy: number
  readonly notes: string
  readonly target: PaymentTarget | undefined
  /** The position among the payments that name the same transaction; 0 for the first. */
  readonly hashPlace: number
  readonly nextCheckAt: Date | null
  readonly at: Date
}

export async function insertPayment(tx: Db, payment: NewPayment): Promise<string> {
  const { target } = payment
  const made = await row<{ id: string }>(
    tx,
    sql`insert into payments (user_id, amount_micro, usdt_address, transaction_hash, status, verification,
          awaits_approval, requested_by, processed_by, notes, cycle_id, payout_id, hash_place, next_check_at, created_at)
        values (${payment.userId}, ${payment.amountMicro}, ${payment.address}, ${payment.hash}, ${payment.status},
          ${payment.verification}, ${payment.awaitsApproval}, ${payment.requestedBy},
          ${payment.awaitsApproval ? null : payment.requestedBy}, ${payment.notes},
          ${target?.kind === 'period' ? target.cycleId : null}, ${target?.kind === 'payout' ? target.id : null},
          ${payment.hashPlace}, ${payment.nextCheckAt}, ${payment.at})
        returning id`,
  )
  return made?.id ?? ''
}

interface PaymentChange {
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  readonly note: string
  readonly processedBy: number | null
  readonly nextCheckAt: Date | null
}

/** Changes a pending payment; false when it is no longer pending. */
export async function changePayment(tx: Db, id: string, change: PaymentChange): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`update payments set status = ${change.status}, verification = ${change.verification},
            verification_note = ${change.note}, awaits_approval = false,
            processed_by = coalesce(${change.processedBy}::int, processed_by), next_check_at = ${change.nextCheckAt},
            check_count = check_count + 1
          where id = ${id}::bigint and status = 'pending'`,
    )) === 1
  )
}

/** Sets the current payment of the bill or payout, and the status that follows from it. */
export async function setOwedStatus(
  tx: Db,
  target: PaymentTarget,
  paymentId: string,
  status: string,
  paidAt: Date | null,
) {
  const writing =
    target.kind === 'period'
      ? sql`update billing_periods set payment_id = ${paymentId}::bigint, status = ${status}, paid_at = ${paidAt}
          where cycle_id = ${target.cycleId} and user_id = ${target.userId} and status <> 'paid'`
      : sql`update payouts set payment_id = ${paymentId}::bigint, status = ${status}, processed_at = ${paidAt}
          where id = ${target.id}::bigint and status = 'pending'`
  if ((await changed(tx, writing)) !== 1) throw new Error('The bill or payout was paid already')
}

export function duePayments(db: Db, now: Date, limit: number): Promise<{ id: string }[]> {
  return rows(
    db,
    sql`select id from payments where next_check_at <= ${now} and status = 'pending' order by next_check_at limit ${limit}`,
  )
}

export async function userExists(db: Db, userId: number): Promise<boolean> {
  return (await row(db, sql`select id from users where id = ${userId}`)) !== undefined
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
  return row(
    tx,
    sql`select * from payments where id = ${id}::bigint and cycle_id is null and payout_id is null for update`,
  )
}

/** Sets the time of the next check; `note` is for the person who waits. */
export async function postponeCheck(db: Db, id: string, at: Date, note: string): Promise<void> {
  await sql`update payments set next_check_at = ${at}, check_count = check_count + 1, verification_note = ${note}
    where id = ${id}::bigint and status = 'pending' and verification = 'confirming'`.execute(db)
}

/** The earliest time of a transfer that can pay it: when the bill was sent, or the payout was made. */
export async function owedSince(db: Db, target: PaymentTarget): Promise<Date> {
  const found = await row<{ at: Date }>(
    db,
    target.kind === 'period'
      ? sql`select bill_sent_at as at from billing_periods
          where cycle_id = ${target.cycleId} and user_id = ${target.userId}`
      : sql`select created_at as at from payouts where id = ${target.id}::bigint`,
  )
  if (found === undefined) throw new Error('The bill or payout is missing')
  return found.at
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

/** The log indexes of a transaction that have paid something, each with its payment. */
export function claimedLogs(
  tx: Db,
  network: string,
  txid: string,
): Promise<{ log_index: number; payment_id: string }[]> {
  return rows(
    tx,
    sql`select log_index, payment_id from claimed_transfers where network = ${network} and txid = ${txid}`,
  )
}

/** Claims transfers for a payment. The table's primary key refuses a second claim. */
export async function claimTransfers(
  tx: Db,
  network: string,
  txid: string,
  logIndexes: readonly number[],
  paymentId: string,
): Promise<void> {
  await sql`insert into claimed_transfers (network, txid, log_index, payment_id)
    select ${network}, ${txid}, i, ${paymentId}::bigint from unnest(${logIndexes}::int[]) i`.execute(tx)
}

/** Releases the transfers that a rejected payment claimed: another bill may use them. */
export async function releaseTransfers(tx: Db, paymentId: string): Promise<void> {
  await sql`delete from claimed_transfers where payment_id = ${paymentId}::bigint`.execute(tx)
}
