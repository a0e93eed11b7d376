// SQL on payments and on what they pay. Every change of state is compare-and-set.
import { sql } from 'kysely'
import type { PaymentStatus, PaymentVerification } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { addressInForce } from './sums.ts'

/** What a payment pays. */
export type Target =
  | { readonly kind: 'period'; readonly cycleId: number; readonly userId: number }
  | { readonly kind: 'payout'; readonly id: string }

export interface DebtRow {
  readonly cycle_id: number
  readonly user_id: number
  readonly amount_micro: string
  readonly usdt_address: string | null
  readonly status: string
  readonly payable_from: Date | null
  readonly payment_id: string | null
}

/** Locks the bill or payout, so that whoever pays it takes turns. */
export function lockDebt(tx: Db, target: Target): Promise<DebtRow | undefined> {
  return target.kind === 'period'
    ? row(
        tx,
        sql`select cycle_id, user_id, total_micro as amount_micro, usdt_address, status, payable_from, payment_id
            from billing_periods where cycle_id = ${target.cycleId} and user_id = ${target.userId} for update`,
      )
    : row(
        tx,
        sql`select cycle_id, user_id, amount_micro, usdt_address, status, null as payable_from, payment_id
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

export interface NewPayment {
  readonly userId: number
  readonly amountMicro: bigint
  readonly address: string
  readonly hash: string | null
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  readonly awaitsApproval: boolean
  readonly requestedBy: number
  readonly notes: string
  readonly target: Target | undefined
  /** Several payments by one transaction have a place each. */
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

export interface PaymentChange {
  readonly status: PaymentStatus
  readonly verification: PaymentVerification | null
  readonly note: string
  readonly processedBy: number | null
  readonly nextCheckAt: Date | null
}

/** Changes a pending payment; false when somebody else was quicker. */
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

/** Names the payment that is under way, and the state that the bill or payout has by it. */
export async function setDebt(
  tx: Db,
  target: Target,
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

/** The address that a client is paid to now; null without one. */
export async function findAddress(db: Db, userId: number, at: Date): Promise<string | null> {
  const found = await row<{ address: string | null }>(
    db,
    sql`select ${addressInForce('p', at)} as address from payment_profiles p where user_id = ${userId}`,
  )
  return found?.address ?? null
}

/** A payment that pays neither bill nor payout, locked. */
export function lockLoosePayment(tx: Db, id: string): Promise<PaymentRow | undefined> {
  return row(
    tx,
    sql`select * from payments where id = ${id}::bigint and cycle_id is null and payout_id is null for update`,
  )
}

/** Says when to look again; `note` is for the person who waits. */
export async function postponeCheck(db: Db, id: string, at: Date, note: string): Promise<void> {
  await sql`update payments set next_check_at = ${at}, check_count = check_count + 1, verification_note = ${note}
    where id = ${id}::bigint and status = 'pending' and verification = 'confirming'`.execute(db)
}

/** From when on a transfer can be for this debt: a bill's sending, a payout's making. */
export async function debtSince(db: Db, target: Target): Promise<Date> {
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

/** A payment that is not refused, and has a transaction hash. */
export interface LivePayment {
  readonly id: string
  readonly transaction_hash: string
  readonly hash_place: number
  readonly usdt_address: string
  readonly amount_micro: string
  /** Pays neither bill nor payout. */
  readonly is_loose: boolean
}

export function livePayments(db: Db, hashes: readonly string[]): Promise<LivePayment[]> {
  return rows(
    db,
    sql`select id, transaction_hash, hash_place, usdt_address, amount_micro,
          cycle_id is null and payout_id is null as is_loose
        from payments where transaction_hash = any(${[...hashes]}::text[]) and status <> 'failed' order by id`,
  )
}

/** Lets those who judge payments by one transaction take turns. */
export async function lockHash(tx: Db, hash: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(7003, hashtext(${hash}))`.execute(tx)
}

/** Which places of a transaction's log have paid what. */
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

/** Claims transfers for a payment. The table's key refuses what is claimed already. */
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

/** Gives back what a payment claimed that turned out to pay nothing: the transfers may be for another bill. */
export async function releaseTransfers(tx: Db, paymentId: string): Promise<void> {
  await sql`delete from claimed_transfers where payment_id = ${paymentId}::bigint`.execute(tx)
}
