// SQL on amendments of bills, and on what they change about a bill.
import { sql } from 'kysely'
import { row, type Db, type FoundBy, type NewRow } from '../platform/db.ts'
import { addressInForce, inExportedRun, type BillId } from '../billing/index.ts'

const selected = (db: Db) =>
  db
    .selectFrom('bill_amendments as a')
    .leftJoin('users as q', 'q.id', 'a.requested_by')
    .leftJoin('users as d', 'd.id', 'a.decided_by')
    .selectAll('a')
    .select(['q.username as requester', 'd.username as decider'])

/** The amendments of a bill, oldest first. */
export function amendmentsOf(db: Db, { cycleId, userId }: BillId) {
  return selected(db)
    .where('a.cycle_id', '=', cycleId)
    .where('a.user_id', '=', userId)
    .orderBy('a.id')
    .execute()
}

export function findAmendment(db: Db, id: string) {
  return selected(db).where('a.id', '=', id).executeTakeFirst()
}

export type AmendmentRow = FoundBy<typeof findAmendment>

/** Whether an amendment waits; one of the case `exceptCaseId` does not count. */
export async function hasPending(
  tx: Db,
  { cycleId, userId }: BillId,
  exceptCaseId: string | null = null,
): Promise<boolean> {
  const found = await tx
    .selectFrom('bill_amendments')
    .select('cycle_id')
    .where('cycle_id', '=', cycleId)
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .where(sql<boolean>`(case_id is null or case_id is distinct from ${exceptCaseId}::bigint)`)
    .executeTakeFirst()
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
  const more = await tx
    .updateTable('bill_amendments')
    .set({ amount_micro: sql<string>`amount_micro + ${note.amountMicro}` })
    .where((eb) => eb.and({ cycle_id: cycleId, user_id: userId, status: 'pending' }))
    .where('case_id', '=', note.caseId)
    .returning('id')
    .executeTakeFirst()
  if (more !== undefined) return more.id
  return insertAmendment(tx, {
    cycle_id: cycleId,
    user_id: userId,
    kind: 'credit_note',
    amount_micro: note.amountMicro,
    case_id: note.caseId,
    reason: note.reason,
    requested_at: note.at,
    acceptable_from: note.at,
  })
}

/** Ends the credit notes of a case that grow; gives them. */
export async function endCaseNote(
  tx: Db,
  caseId: string,
  at: Date,
): Promise<(BillId & { readonly id: string; readonly amountMicro: bigint })[]> {
  const found = await tx
    .updateTable('bill_amendments')
    .set({ status: 'done', decided_at: at })
    .where('case_id', '=', caseId)
    .where('status', '=', 'pending')
    .returning(['id', 'cycle_id', 'user_id', 'amount_micro'])
    .execute()
  return found.map(({ id, cycle_id: cycleId, user_id: userId, amount_micro: amount }) => ({
    id,
    cycleId,
    userId,
    amountMicro: BigInt(amount ?? 0),
  }))
}

export async function insertAmendment(tx: Db, amendment: NewRow<'bill_amendments'>): Promise<string> {
  const { id } = await tx
    .insertInto('bill_amendments')
    .values(amendment)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
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
  const { numUpdatedRows } = await tx
    .updateTable('bill_amendments')
    .set({ status, decided_by: by, decided_at: at, decision_reason: reason })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error('The amendment was decided already')
}

export async function setHolds(tx: Db, id: string, holdIds: readonly string[]): Promise<void> {
  await tx.updateTable('bill_amendments').set({ hold_ids: holdIds }).where('id', '=', id).execute()
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
