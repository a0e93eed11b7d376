// SQL on what people say of transfers.
import { sql } from 'kysely'
import type { Db, NewRow } from '../../platform/db.ts'

export async function insertDecision(tx: Db, decision: NewRow<'transfer_decisions'>): Promise<void> {
  await tx.insertInto('transfer_decisions').values(decision).execute()
}

/** The decision on a transfer that waits for a second person, or that explained it. */
export async function hasDecision(tx: Db, transferId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('transfer_decisions')
    .select('transfer_id')
    .where('transfer_id', '=', transferId)
    .where(sql<boolean>`(status = 'pending' or (status = 'done' and kind = 'explain'))`)
    .executeTakeFirst()
  return found !== undefined
}

export function lockPending(tx: Db, transferId: string) {
  return tx
    .selectFrom('transfer_decisions')
    .select(['id', 'kind', 'debt_references', 'reason', 'requested_by'])
    .where('transfer_id', '=', transferId)
    .where('status', '=', 'pending')
    .forUpdate()
    .executeTakeFirst()
}

export async function endDecision(
  tx: Db,
  id: string,
  { status, by, at }: { readonly status: 'done' | 'refused'; readonly by: number; readonly at: Date },
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('transfer_decisions')
    .set({ status, decided_by: by, decided_at: at })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error('The decision was taken already')
}

/** Locks the person's row until the transaction ends, so that explanations by one person take turns. */
export async function lockExplanationsBy(tx: Db, userId: number): Promise<void> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** What a person explained away without a second one since `from`, in millionths. */
export async function sumExplainedAlone(tx: Db, by: number, from: Date): Promise<bigint> {
  const found = await tx
    .selectFrom('transfer_decisions as x')
    .innerJoin('transfers as t', 't.id', 'x.transfer_id')
    .select(sql<string>`coalesce(sum(t.amount_micro), 0)::text`.as('sum'))
    .where((eb) => eb.and({ 'x.kind': 'explain', 'x.status': 'done', 'x.requested_by': by }))
    .where('x.decided_by', 'is', null)
    .where('x.requested_at', '>', from)
    .executeTakeFirst()
  return BigInt(found?.sum ?? 0)
}
