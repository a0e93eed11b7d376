// Held records that somebody decided on in a cycle: what was released counts in its bill, though the records are of
// earlier cycles.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { messageIdOf } from '../records/index.ts'

export interface DecidedRecord {
  readonly userId: number
  /** A release in the record's own cycle is none: there it counts as if it had never been held. */
  readonly kind: 'release' | 'refusal'
  readonly messageId: string
  readonly at: Date
  readonly number: string
  /** Empty once the record is no longer kept. */
  readonly sender: string
  readonly amountMicro: bigint
  /** The cycle that the record came in. */
  readonly heldCycleId: number
  readonly decidedAt: Date
}

/** By client and time, of clients from one id to another. What is worth nothing moves nothing, and is left out. */
export async function decidedRecords(
  db: Db,
  cycleId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<DecidedRecord[]> {
  const found = await rows<{
    user_id: number
    kind: DecidedRecord['kind']
    record_created_at: Date
    record_id: string
    number: string
    sender: string | null
    amount_micro: string
    held_cycle_id: number
    decided_at: Date
  }>(
    db,
    sql`with decided as (
          select distinct kind, reference::bigint as hold_id from ledger_entries
          where cycle_id = ${cycleId} and user_id between ${from} and ${to} and kind <> 'traffic'
            and kind in ('release', 'refusal') and account = 'held'
        )
        select h.user_id, d.kind, p.record_created_at, p.record_id, n.number, r.sender, p.amount_micro,
          p.cycle_id as held_cycle_id, h.decided_at
        from decided d join holds h on h.id = d.hold_id join hold_records p on p.hold_id = h.id
        left join records r on r.created_at = p.record_created_at and r.id = p.record_id
        join numbers n on n.id = coalesce(r.number_id, h.number_id)
        where p.amount_micro > 0 and (d.kind = 'refusal' or p.cycle_id <> ${cycleId})
        order by h.user_id, d.kind, p.record_created_at, p.record_id`,
  )
  return found.map((record) => ({
    userId: record.user_id,
    kind: record.kind,
    messageId: messageIdOf({
      createdAtMs: record.record_created_at.getTime(),
      recordId: Number(record.record_id),
    }),
    at: record.record_created_at,
    number: record.number,
    sender: record.sender ?? '',
    amountMicro: BigInt(record.amount_micro),
    heldCycleId: record.held_cycle_id,
    decidedAt: record.decided_at,
  }))
}
