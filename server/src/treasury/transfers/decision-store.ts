// SQL on what people say of transfers.
import { sql } from 'kysely'
import { changed, row, type Db } from '../../platform/db.ts'

export interface TransferDecision {
  readonly id: string
  readonly kind: 'match' | 'explain'
  readonly debt_references: readonly string[]
  readonly reason: string
  readonly requested_by: number
}

interface NewDecision {
  readonly transferId: string
  readonly kind: 'match' | 'explain'
  readonly references: readonly string[]
  readonly reason: string
  readonly by: number
  /** False: a second person is asked. */
  readonly isDone: boolean
  readonly at: Date
}

export async function insertDecision(tx: Db, decision: NewDecision): Promise<void> {
  const { transferId, kind, references, reason, by, isDone, at } = decision
  await sql`insert into transfer_decisions (transfer_id, kind, debt_references, reason, status, requested_by, requested_at,
      decided_at)
    values (${transferId}::bigint, ${kind}, ${[...references]}::text[], ${reason}, ${isDone ? 'done' : 'pending'},
      ${by}, ${at}, ${isDone ? at : null})`.execute(tx)
}

/** The decision on a transfer that waits for a second person, or that explained it. */
export async function hasDecision(tx: Db, transferId: string): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from transfer_decisions where transfer_id = ${transferId}::bigint
          and (status = 'pending' or (status = 'done' and kind = 'explain'))`,
  )
  return found !== undefined
}

export function lockPending(tx: Db, transferId: string): Promise<TransferDecision | undefined> {
  return row(
    tx,
    sql`select id, kind, debt_references, reason, requested_by from transfer_decisions
        where transfer_id = ${transferId}::bigint and status = 'pending' for update`,
  )
}

export async function endDecision(
  tx: Db,
  id: string,
  { status, by, at }: { readonly status: 'done' | 'refused'; readonly by: number; readonly at: Date },
): Promise<void> {
  const count = await changed(
    tx,
    sql`update transfer_decisions set status = ${status}, decided_by = ${by}, decided_at = ${at}
        where id = ${id}::bigint and status = 'pending'`,
  )
  if (count !== 1) throw new Error('The decision was taken already')
}

/** Locks the person's row until the transaction ends, so that explanations by one person take turns. */
export async function lockExplanationsBy(tx: Db, userId: number): Promise<void> {
  await sql`select from users where id = ${userId} for no key update`.execute(tx)
}

/** What a person explained away without a second one since `from`, in millionths. */
export async function sumExplainedAlone(tx: Db, by: number, from: Date): Promise<bigint> {
  const found = await row<{ sum: string }>(
    tx,
    sql`select coalesce(sum(t.amount_micro), 0)::text as sum from transfer_decisions x
        join transfers t on t.id = x.transfer_id
        where x.kind = 'explain' and x.status = 'done' and x.requested_by = ${by} and x.decided_by is null
          and x.requested_at > ${from}`,
  )
  return BigInt(found?.sum ?? 0)
}
