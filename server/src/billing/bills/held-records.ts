// The held records that a period's lines and its statement list: those that were decided in the period (a released record
// counts in this period's bill, although it came in an earlier one), and those of the period that were held at its close.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { messageIdOf } from '../../ingest/index.ts'

/** A record that is or was held. */
export interface HeldRecord {
  readonly messageId: string
  readonly at: Date
  readonly number: string
  readonly amountMicro: bigint
  /** The cycle in which the record came. */
  readonly heldCycleId: number
}

export interface DecidedRecord extends HeldRecord {
  readonly userId: number
  /** A release in the record's own cycle is not listed: the record counts there as if it had never been held. */
  readonly kind: 'release' | 'refusal'
  /** The source address; empty when the record is deleted already. */
  readonly sender: string
  readonly decidedAt: Date
}

/** The records decided in the cycle, of clients in a range of ids, by client and time. Records worth 0 are included. */
export async function decidedRecords(
  db: Db,
  cycleId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<DecidedRecord[]> {
  const found = await rows<DecidedRow>(
    db,
    sql`select p.user_id, case p.outcome when 'released' then 'release' else 'refusal' end as kind, ${heldColumns}, h.decided_at
        from ${heldSource} where p.decided_cycle_id = ${cycleId} and p.user_id between ${from} and ${to}
          and h.decided_at is not null and (p.outcome = 'confirmed' or p.cycle_id <> ${cycleId})
        order by p.user_id, kind, p.record_created_at, p.record_id`,
  )
  return found.map((record) => ({
    ...toHeldRecord(record),
    userId: record.user_id,
    kind: record.kind,
    sender: record.sender ?? '',
    decidedAt: record.decided_at,
  }))
}

/** A client's records of the cycle that were not decided when it closed, or are not decided yet; by time. */
export async function heldRecords(db: Db, cycleId: number, userId: number): Promise<HeldRecord[]> {
  const found = await rows<HeldRow>(
    db,
    sql`select ${heldColumns} from ${heldSource} where p.user_id = ${userId} and p.cycle_id = ${cycleId} and not p.is_billed
          and (p.decided_cycle_id is null or p.decided_cycle_id > ${cycleId})
        order by p.record_created_at, p.record_id`,
  )
  return found.map(toHeldRecord)
}

const heldColumns = sql`p.record_created_at, p.record_id, n.number, r.sender, p.amount_micro, p.cycle_id as held_cycle_id`
const heldSource = sql`holds h join hold_records p on p.hold_id = h.id
  left join records r on r.created_at = p.record_created_at and r.id = p.record_id
  join numbers n on n.id = p.number_id`

interface HeldRow {
  readonly record_created_at: Date
  readonly record_id: string
  readonly number: string
  readonly sender: string | null
  readonly amount_micro: string
  readonly held_cycle_id: number
}

interface DecidedRow extends HeldRow {
  readonly user_id: number
  readonly kind: DecidedRecord['kind']
  readonly decided_at: Date
}

function toHeldRecord(record: HeldRow): HeldRecord {
  return {
    messageId: messageIdOf({
      createdAtMs: record.record_created_at.getTime(),
      recordId: Number(record.record_id),
    }),
    at: record.record_created_at,
    number: record.number,
    amountMicro: BigInt(record.amount_micro),
    heldCycleId: record.held_cycle_id,
  }
}
