// Moves what is decided: from held to payable, or back to expense when nobody gets it. Many records are moved in slices,
// so that neither messages nor the log wait for them; the cycle that is open at its slice is the one of a record's decision.
import { sql } from 'kysely'
import type { HoldStatus } from '@tollgate/contract/vocabulary.ts'
import type { Ledger, LedgerLine } from '../ledger/index.ts'
import { changeRecords, type RecordKey } from '../ingest/index.ts'
import { rows, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'

/** A slice takes some 100 ms. */
export const sliceRecordsMax = 2_000
const holdsPerSlice = 200

interface MoveParts {
  readonly ledger: Pick<Ledger, 'holdOpenCycle' | 'post'>
}

interface MovedRow {
  readonly record_id: string
  readonly record_created_at: Date
  readonly user_id: number
  readonly cycle_id: number
  readonly settlement: number
  readonly amount_micro: string
  readonly reference: string
  readonly status: Exclude<HoldStatus, 'open'>
  readonly decided_by: number | null
  readonly decision_reason: string
}

/** Moves the next slice of these holds, which are decided. The caller keeps `cycleId` open. */
export async function moveDecided(
  tx: Db,
  { ledger }: MoveParts,
  { ids, cycleId }: { readonly ids: readonly string[]; readonly cycleId: number },
): Promise<void> {
  // The caller has locked the holds, so what is next stays so. Asked again for an outcome, the planner would take its count
  // of records without one, which is 0 whenever all is decided, and compare each of a large case with each of its slice.
  const moved = await rows<MovedRow>(
    tx,
    sql`with next as materialized (
          select p.record_id, h.status, h.decided_by, h.decision_reason, coalesce('case-' || h.case_id, h.id::text) as reference
          from holds h join hold_records p on p.hold_id = h.id
          where h.id = any(${[...ids]}::bigint[]) and h.is_moving and p.outcome is null
          order by p.record_created_at, p.record_id limit ${sliceRecordsMax}::int
        )
        update hold_records p set outcome = n.status, decided_cycle_id = ${cycleId}::int from next n
        where p.record_id = n.record_id
        returning p.record_id, p.record_created_at, p.user_id, p.cycle_id, p.settlement, p.amount_micro, n.reference,
          n.status, n.decided_by, n.decision_reason`,
  )
  await sql`update holds h set is_moving = false where id = any(${[...ids]}::bigint[]) and is_moving
    and not exists (select from hold_records p where p.hold_id = h.id and p.outcome is null)`.execute(tx)
  await changeRecords(tx, moved.filter(({ status }) => status === 'released').map(keyOf), { isHeld: false })
  const lines = linesOf(moved, cycleId)
  if (lines.length > 0) await ledger.post(tx, lines)
}

const keyOf = ({ record_id, record_created_at }: MovedRow): RecordKey => ({
  recordId: Number(record_id),
  createdAtMs: record_created_at.getTime(),
})

/** Two lines for each reference and settlement. */
function linesOf(moved: readonly MovedRow[], cycleId: number): LedgerLine[] {
  const sums = new Map<string, { readonly first: MovedRow; amountMicro: bigint }>()
  for (const part of moved) {
    const key = `${part.reference} ${part.user_id} ${part.settlement} ${part.status} ${part.cycle_id === cycleId}`
    const sum = sums.get(key) ?? { first: part, amountMicro: 0n }
    sum.amountMicro += BigInt(part.amount_micro)
    sums.set(key, sum)
  }
  return [...sums.values()].flatMap(({ first, amountMicro }): LedgerLine[] => {
    if (amountMicro === 0n) return []
    const { settlement, reference, user_id: userId } = first
    const isRelease = first.status === 'released'
    // Released in its own cycle it is billed as if it had never been held; later it is a line of its own in the bill.
    const kind = !isRelease ? 'refusal' : first.cycle_id === cycleId ? 'hold' : 'release'
    const line = {
      cycleId,
      settlement,
      kind,
      reference,
      reason: first.decision_reason,
      ...(first.decided_by !== null && { actorId: first.decided_by }),
    }
    return [
      { ...line, userId, account: 'held', amountMicro: -amountMicro },
      isRelease
        ? { ...line, userId, account: 'payable', amountMicro }
        : { ...line, userId: null, account: 'traffic_expense', amountMicro },
    ]
  })
}

/** Goes on with what is decided and not moved yet: one slice. False when there is none. */
export async function moveNextSlice(db: Db, parts: MoveParts): Promise<boolean> {
  return transaction(db, async (tx) => {
    const found = await rows<{ id: string }>(
      tx,
      sql`select id from holds where is_moving order by id limit ${holdsPerSlice}::int for update skip locked`,
    )
    if (found.length === 0) return false
    const { id: cycleId } = await parts.ledger.holdOpenCycle(tx)
    await moveDecided(tx, parts, { ids: found.map(({ id }) => id), cycleId })
    return true
  })
}
