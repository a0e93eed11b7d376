// SQL on amendments of bills, and on what they change about a bill.
import { sql } from 'kysely'
import type { AmendmentKind, AmendmentStatus } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { addressInForce, inExportedRun, type BillId } from '../billing/index.ts'

export interface AmendmentRow {
  readonly id: string
  readonly cycle_id: number
  readonly user_id: number
  readonly kind: AmendmentKind
  readonly status: AmendmentStatus
  readonly amount_micro: string | null
  readonly message_ids: readonly string[]
  readonly case_id: string | null
  readonly usdt_address: string | null
  readonly former_address: string | null
  readonly reason: string
  readonly client_reason: string
  /** Null: the gateway. */
  readonly requested_by: number | null
  readonly requester: string
  readonly requested_at: Date
  readonly acceptable_from: Date
  readonly decider: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string
}

const selected = sql`select a.*, coalesce(q.username, '') as requester, d.username as decider
  from bill_amendments a left join users q on q.id = a.requested_by left join users d on d.id = a.decided_by`

/** The amendments of a bill, oldest first. */
export function amendmentsOf(db: Db, { cycleId, userId }: BillId): Promise<AmendmentRow[]> {
  return rows(db, sql`${selected} where a.cycle_id = ${cycleId} and a.user_id = ${userId} order by a.id`)
}

export function findAmendment(db: Db, id: string): Promise<AmendmentRow | undefined> {
  return row(db, sql`${selected} where a.id = ${id}::bigint`)
}

/** Whether an amendment waits; one of the case `exceptCaseId` does not count. */
export async function hasPending(
  tx: Db,
  { cycleId, userId }: BillId,
  exceptCaseId: string | null = null,
): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from bill_amendments where cycle_id = ${cycleId} and user_id = ${userId} and status = 'pending'
          and (case_id is null or case_id is distinct from ${exceptCaseId}::bigint)`,
  )
  return found !== undefined
}

interface CaseNote {
  readonly caseId: string
  readonly amountMicro: bigint
  readonly reason: string
  readonly at: Date
}

/** Adds to the credit note of a case on a bill, or makes it; gives its id. The bill is locked. */
export async function addToCaseNote(tx: Db, { cycleId, userId }: BillId, note: CaseNote): Promise<string> {
  const more = await row<{ id: string }>(
    tx,
    sql`update bill_amendments set amount_micro = amount_micro + ${note.amountMicro}
        where cycle_id = ${cycleId} and user_id = ${userId} and case_id = ${note.caseId}::bigint and status = 'pending'
        returning id`,
  )
  if (more !== undefined) return more.id
  const made = await row<{ id: string }>(
    tx,
    sql`insert into bill_amendments (cycle_id, user_id, kind, amount_micro, case_id, reason, requested_at, acceptable_from)
        values (${cycleId}, ${userId}, 'credit_note', ${note.amountMicro}, ${note.caseId}::bigint, ${note.reason},
          ${note.at}, ${note.at})
        returning id`,
  )
  if (made === undefined) throw new Error('The new credit note did not come back')
  return made.id
}

/** Ends the credit notes of a case that grow; gives them. */
export async function endCaseNote(
  tx: Db,
  caseId: string,
  at: Date,
): Promise<(BillId & { readonly id: string; readonly amountMicro: bigint })[]> {
  const found = await rows<{ id: string; cycle_id: number; user_id: number; amount_micro: string }>(
    tx,
    sql`update bill_amendments set status = 'done', decided_at = ${at}
        where case_id = ${caseId}::bigint and status = 'pending' returning id, cycle_id, user_id, amount_micro`,
  )
  return found.map(({ id, cycle_id: cycleId, user_id: userId, amount_micro: amount }) => ({
    id,
    cycleId,
    userId,
    amountMicro: BigInt(amount),
  }))
}

interface NewAmendment {
  readonly bill: BillId
  readonly kind: AmendmentKind
  readonly amountMicro: bigint | null
  readonly messageIds: readonly string[]
  readonly address: string | null
  readonly formerAddress: string | null
  readonly reason: string
  readonly clientReason: string
  /** Null: the gateway. */
  readonly requestedBy: number | null
  readonly at: Date
  readonly acceptableFrom: Date
}

export async function insertAmendment(tx: Db, amendment: NewAmendment): Promise<string> {
  const { bill, kind, amountMicro, messageIds, address, formerAddress, reason, clientReason } = amendment
  const made = await row<{ id: string }>(
    tx,
    sql`insert into bill_amendments (cycle_id, user_id, kind, amount_micro, message_ids, usdt_address, former_address,
          reason, client_reason, requested_by, requested_at, acceptable_from)
        values (${bill.cycleId}, ${bill.userId}, ${kind}, ${amountMicro}, ${[...messageIds]}::text[], ${address},
          ${formerAddress}, ${reason}, ${clientReason}, ${amendment.requestedBy}, ${amendment.at},
          ${amendment.acceptableFrom})
        returning id`,
  )
  return made?.id ?? ''
}

interface AmendmentDecision {
  readonly status: 'done' | 'rejected'
  readonly by: number | null
  readonly at: Date
  readonly reason: string
}

/** Sets the decision on a pending amendment. Throws when it is decided already, so that it is never carried out twice. */
export async function setDecision(tx: Db, id: string, decision: AmendmentDecision): Promise<void> {
  const { status, by, at, reason } = decision
  const count = await changed(
    tx,
    sql`update bill_amendments set status = ${status}, decided_by = ${by}, decided_at = ${at}, decision_reason = ${reason}
        where id = ${id}::bigint and status = 'pending'`,
  )
  if (count !== 1) throw new Error('The amendment was decided already')
}

export async function setHolds(tx: Db, id: string, holdIds: readonly string[]): Promise<void> {
  await sql`update bill_amendments set hold_ids = ${[...holdIds]}::bigint[] where id = ${id}::bigint`.execute(
    tx,
  )
}

/** The client's address in force, and the one that a waiting change names. */
export async function profileAddresses(
  tx: Db,
  userId: number,
  now: Date,
): Promise<{ inForce: string | null; next: string | null }> {
  const found = await row<{ in_force: string | null; next: string | null }>(
    tx,
    sql`select ${addressInForce('p', now)} as in_force, case when next_from > ${now} then next_address end as next
        from payment_profiles p where user_id = ${userId}`,
  )
  return { inForce: found?.in_force ?? null, next: found?.next ?? null }
}

export interface BillPayments {
  /** Waits for a second person. */
  readonly awaitsApproval: boolean
  /** A transfer that may still arrive, also by a payment run that is with the wallet, or be decided on. */
  readonly isUnderWay: boolean
}

/** To be asked while the bill is locked: nobody enters a payment or exports a run of it then. */
export async function paymentsOf(tx: Db, { cycleId, userId }: BillId): Promise<BillPayments> {
  const found = await row<{ awaits: boolean; under_way: boolean }>(
    tx,
    sql`select coalesce(bool_or(awaits_approval), false) as awaits,
          coalesce(bool_or(not awaits_approval), false) or ${inExportedRun(sql`${`${cycleId}-${userId}`}`)}
            as under_way
        from payments where cycle_id = ${cycleId} and user_id = ${userId} and payout_id is null and status = 'pending'`,
  )
  return { awaitsApproval: found?.awaits === true, isUnderWay: found?.under_way === true }
}
